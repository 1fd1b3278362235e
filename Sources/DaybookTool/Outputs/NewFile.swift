import DaybookJournal
import DaybookPlatform

/// A new file for `daybook export`. The file gets its name only when it is complete, and never
/// replaces an existing file.
///
/// The file is written under a temporary name in the same directory. The deinitializer removes the
/// temporary name, so that an incomplete file does not remain.
final class NewFile {
  private let path: String
  private let temporaryPath: String
  private let file: any DiskFile
  private var byteCount: UInt64 = 0

  /// Creates the file under its temporary name.
  ///
  /// - Parameters:
  ///   - path: The final path of the file.
  ///   - source: The path of the exported journal. The new file gets at most the permissions of the
  ///     journal, so that the export does not make data readable for more users.
  /// - Throws: ``ToolError`` with `refused` if a file of the name exists, or if the file cannot be
  ///   created
  init(_ path: String, madeOf source: String) throws(ToolError) {
    self.path = path
    // The system would ignore all characters after a zero byte.
    guard !path.utf8.contains(0) else {
      throw ToolError(
        .refused, sentence: "\(DiskError(.create, path: path, code: Errno.invalidArgument))")
    }
    let disk = InterruptibleDisk()
    guard !SystemDisk().isNameTaken(path) else { throw NewFile.exists(path) }
    temporaryPath =
      path + ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
    // Standard input has no permissions to copy, so the export gets the default permissions of new
    // files.
    let permissions = source == "-" ? nil : try? disk.status(of: source).permissions
    do throws(DiskError) {
      file = try disk.create(temporaryPath, permissions: (permissions ?? 0o666) & 0o666)
    } catch { throw NewFile.refusal(error, path: path) }
  }

  // The file keeps its final name, if it has got one.
  deinit { try? InterruptibleDisk().remove(temporaryPath) }

  func write(_ bytes: [UInt8]) throws(ToolError) {
    do throws(DiskError) { try file.writeAll(bytes.span.bytes, at: byteCount) } catch {
      throw NewFile.refusal(error, path: path)
    }
    byteCount += UInt64(bytes.count)
  }

  /// Syncs the file, and gives it its final name.
  func finish() throws(ToolError) {
    do throws(DiskError) {
      try file.sync()
      // A second process may have created a file of this name. In this case `link` fails, whereas
      // `rename` would replace that file.
      try InterruptibleDisk().link(temporaryPath, to: path)
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

  /// Renames the file, for file systems without hard links. The method first creates an empty file,
  /// which fails if a file of the name exists. Then the rename replaces the empty file.
  private func claimName() throws(ToolError) {
    let disk = InterruptibleDisk()
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

  /// Returns the error of a call, with the final name of the file instead of the temporary one.
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
