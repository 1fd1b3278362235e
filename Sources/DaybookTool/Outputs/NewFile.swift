import DaybookJournal
import DaybookPlatform

/// A file that gets its name only when all of it is written, and takes no other's.
///
/// Until then it stands beside its place under another name, and is removed if it is not finished.
final class NewFile {
  private let path: String
  private let temporaryPath: String
  private let file: any DiskFile
  private var byteCount: UInt64 = 0

  /// Begins a file.
  ///
  /// - Parameter source: The file that the new one is made of. Who may not read that may not read this.
  /// - Throws: ``ToolError`` with `refused`, if there is one of that name or none can be made.
  init(_ path: String, madeOf source: String) throws(ToolError) {
    self.path = path
    // A path with a zero in it would end there for the system.
    guard !path.utf8.contains(0) else {
      throw ToolError(
        .refused, sentence: "\(DiskError(.create, path: path, code: Errno.invalidArgument))")
    }
    let disk = SystemDisk()
    guard !disk.isNameTaken(path) else { throw NewFile.exists(path) }
    temporaryPath =
      path + ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
    // What comes from standard input has the permissions of any new file.
    let permissions = source == "-" ? nil : try? disk.status(of: source).permissions
    do throws(DiskError) {
      file = try disk.create(temporaryPath, permissions: (permissions ?? 0o666) & 0o666)
    } catch { throw NewFile.refusal(error, path: path) }
  }

  // The name beside the place is removed whether the file has got its own or not.
  deinit { try? SystemDisk().remove(temporaryPath) }

  func write(_ bytes: [UInt8]) throws(ToolError) {
    do throws(DiskError) { try file.writeAll(bytes.span.bytes, at: byteCount) } catch {
      throw NewFile.refusal(error, path: path)
    }
    byteCount += UInt64(bytes.count)
  }

  /// Gives the file its name.
  func finish() throws(ToolError) {
    do throws(DiskError) {
      try file.sync()
      // A link, unlike a change of name, takes no name that another file has got meanwhile.
      try SystemDisk().link(temporaryPath, to: path)
    } catch {
      switch (error.operation, error.code) {
      case (.link, Errno.fileExists): throw NewFile.exists(path)
      case (.link, Errno.notPermitted), (.link, Errno.operationNotSupported),
        (.link, Errno.functionNotImplemented):
        try claimName()
      default: throw NewFile.refusal(error, path: path)
      }
    }
  }

  /// Gives the file its name where hard links are refused: an empty file claims the name, and is replaced.
  private func claimName() throws(ToolError) {
    let disk = SystemDisk()
    do throws(DiskError) {
      _ = try disk.create(path, permissions: 0o600)
    } catch {
      if error.code == Errno.fileExists { throw NewFile.exists(path) }
      throw NewFile.refusal(error, path: path)
    }
    do throws(DiskError) {
      try disk.rename(temporaryPath, to: path)
    } catch {
      try? disk.remove(path)
      throw NewFile.refusal(error, path: path)
    }
  }

  /// The error of a call, under the name that the file is to get.
  private static func refusal(_ error: DiskError, path: String) -> ToolError {
    ToolError(.refused, sentence: "\(DiskError(error.operation, path: path, code: error.code))")
  }

  private static func exists(_ path: String) -> ToolError {
    ToolError(
      .refused,
      sentence: "\(path): a file of this name exists. Nothing was changed. "
        + "Choose another name, or move the file away.")
  }
}
