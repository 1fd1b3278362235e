import DaybookJournal
import DaybookPlatform

/// A temporary directory for the files of a workload. The workload removes the files after each
/// measurement, and the directory at its end.
struct Scratch {
  private let directory: String

  init(in parent: String) throws(DiskError) {
    directory = FilePaths.join(parent, name: "daybook-benchmarks-\(CurrentProcess.identifier)")
    try SystemDisk().createDirectory(directory)
  }

  func path(_ name: String) -> String { FilePaths.join(directory, name: name) }

  func removeFiles() {
    let disk = SystemDisk()
    // Errors are ignored: a file that cannot be removed stays in the directory.
    for name in (try? disk.list(directory)) ?? [] { try? disk.remove(path(name)) }
  }

  func remove() { SystemDisk().removeDirectoryWithFiles(directory) }
}

/// The yardstick of durable appends: a file that is written and synced directly with system calls.
//
// Shared state: `offset`, without a lock. `@unchecked` is safe because measurements append from
// only one thread at a time.
final class RawFile: @unchecked Sendable {
  private let file: FileDescriptor
  private var offset = 0

  /// - Parameter zeroed: The number of zero bytes to write and sync first.
  init(at path: String, zeroed: Int = 0) throws(DiskError) {
    file = try FileDescriptor.create(path, permissions: 0o600)
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    for offset in stride(from: 0, to: zeroed, by: zeros.count) {
      _ = zeros.withUnsafeBytes { file.write($0, at: offset) }
    }
    _ = file.sync()
  }

  deinit { file.close() }

  func append(_ bytes: [UInt8]) {
    let written = bytes.withUnsafeBytes { file.write($0, at: offset) }
    precondition(written == bytes.count, "\(written) of \(bytes.count) bytes: errno \(Errno.last)")
    let status = file.sync()
    precondition(status == 0, "fdatasync: errno \(Errno.last)")
    offset += bytes.count
  }
}
