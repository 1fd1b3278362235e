import DaybookJournal
import DaybookPlatform

/// A temporary directory for the import of a text journal. It is removed with its files, even if a
/// signal ends the process.
final class TemporaryFolder: Sendable {
  let path: String

  /// Creates an empty directory that only this user can read.
  ///
  /// - Throws: ``ToolError`` with `refused` if the directory cannot be created.
  init() throws(ToolError) {
    let parent = CurrentProcess.temporaryDirectory
    do throws(DiskError) {
      path = try Interruption.shared.creatingFolder { () throws(DiskError) in
        try SystemDisk().createTemporaryDirectory(
          FilePaths.join(parent, name: "daybook-XXXXXX"))
      }
    } catch {
      throw ToolError(.refused, sentence: "\(DiskError(.create, path: parent, code: error.code))")
    }
  }

  deinit { Interruption.shared.removeFolder(path) }
}
