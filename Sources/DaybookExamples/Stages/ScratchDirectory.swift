import DaybookJournal
import DaybookPlatform

/// A directory for the files of an example, which are gone when it has been played.
enum ScratchDirectory {
  /// Where the system keeps what is temporary.
  static var parent: String { CurrentProcess.temporaryDirectory }

  /// Makes a directory, hands out its path, and removes it with all that is in it.
  ///
  /// - Throws: ``DiskError`` if the system refuses to make one, and what the closure throws
  static func with(in parent: String, _ body: (String) throws -> Void) throws {
    let disk = SystemDisk()
    let path = try disk.createTemporaryDirectory(
      FilePaths.join(parent, "daybook-example-XXXXXX"))
    // What cannot be removed is left for whoever looks into the directory.
    defer { disk.removeDirectoryWithFiles(path) }
    try body(path)
  }
}
