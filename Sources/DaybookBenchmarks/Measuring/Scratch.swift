import DaybookJournal
import Glibc

/// A directory for files that are measured and removed.
struct Scratch {
  private let directory: String

  init(in parent: String) throws(DiskError) {
    directory = FilePaths.join(parent, "daybook-benchmarks-\(getpid())")
    guard mkdir(directory, 0o700) == 0 else {
      throw DiskError(.create, path: directory, code: errno)
    }
  }

  func path(_ name: String) -> String { FilePaths.join(directory, name) }

  func removeFiles() {
    let disk = SystemDisk()
    // What cannot be removed is left for whoever looks into the directory.
    for name in (try? disk.list(directory)) ?? [] { try? disk.remove(path(name)) }
  }

  func remove() {
    removeFiles()
    rmdir(directory)
  }
}

/// A file written by bare system calls: the yardstick of every durable append.
//
// Shared state: `offset`, advanced by whoever appends; one at a time does, as it is measured.
final class RawFile: @unchecked Sendable {
  private let descriptor: Int32
  private var offset = 0

  /// - Parameter zeroed: How many bytes of zeros are written and synced first.
  init(at path: String, zeroed: Int = 0) throws(DiskError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DiskError(.create, path: path, code: errno) }
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    for place in stride(from: 0, to: zeroed, by: zeros.count) {
      pwrite(descriptor, zeros, zeros.count, place)
    }
    fsync(descriptor)
  }

  deinit { close(descriptor) }

  func append(_ bytes: [UInt8]) {
    let written = pwrite(descriptor, bytes, bytes.count, offset)
    precondition(written == bytes.count, "\(written) of \(bytes.count) bytes: errno \(errno)")
    let status = fdatasync(descriptor)
    precondition(status == 0, "fdatasync: errno \(errno)")
    offset += bytes.count
  }
}
