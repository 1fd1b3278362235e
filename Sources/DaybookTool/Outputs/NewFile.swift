import DaybookJournal
import DaybookPlatform

/// A new file that gets its name only when it is complete, and never replaces another file.
///
/// It is written under a temporary name in the same directory. The temporary name is removed even
/// if the file is not finished.
final class NewFile {
  private let path: String
  private let temporaryPath: String
  private let file: any DiskFile
  private var byteCount: UInt64 = 0

  /// Creates the file under its temporary name.
  ///
  /// - Parameters:
  ///   - path: The final path of the file.
  ///   - source: The exported file. The new file gets the same permissions, so that it has no more
  ///     readers.
  /// - Throws: ``ToolError`` with `refused` if the name is taken or the file cannot be created.
  init(_ path: String, madeOf source: String) throws(ToolError) {
    self.path = path
    // For the system the path would end at a zero byte.
    guard !path.utf8.contains(0) else {
      throw ToolError(
        .refused, sentence: "\(DiskError(.create, path: path, code: Errno.invalidArgument))")
    }
    let disk = SystemDisk()
    guard !disk.isNameTaken(path) else { throw NewFile.exists(path) }
    temporaryPath =
      path + ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
    // The export of a text on standard input has the permissions of any new file.
    let permissions = source == "-" ? nil : try? disk.status(of: source).permissions
    do throws(DiskError) {
      file = try disk.create(temporaryPath, permissions: (permissions ?? 0o666) & 0o666)
    } catch { throw NewFile.refusal(error, path: path) }
  }

  // The temporary name is removed, whether the file got its final name or not.
  deinit { try? SystemDisk().remove(temporaryPath) }

  func write(_ bytes: [UInt8]) throws(ToolError) {
    do throws(DiskError) { try file.writeAll(bytes.span.bytes, at: byteCount) } catch {
      throw NewFile.refusal(error, path: path)
    }
    byteCount += UInt64(bytes.count)
  }

  /// Links the file to its final name.
  func finish() throws(ToolError) {
    do throws(DiskError) {
      try file.sync()
      // Unlike a rename, a link never replaces a file that got the name in the meantime.
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

  /// Renames the file where hard links are refused. An empty file claims the name first and is then
  /// replaced.
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

  /// Returns the error of a call, under the final name of the file.
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
