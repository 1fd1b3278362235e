import FoundationEssentials

/// A directory for the files of an example. It is removed after the example.
enum ScratchDirectory {
  /// A directory that could not be created.
  struct Refusal: Error, CustomStringConvertible {
    let parent: String

    var description: String {
      "\(parent): a directory for the example's files cannot be created here. Nothing was changed. "
        + "Set TMPDIR to a directory that you can write to."
    }
  }

  /// The directory for temporary files.
  static var parent: String { FileManager.default.temporaryDirectory.path }

  /// Creates a directory, passes its path to a closure, and removes the directory and its contents.
  ///
  /// - Throws: ``Refusal`` if the directory cannot be created, and what the closure throws
  static func with(in parent: String, _ body: (String) throws -> Void) throws {
    let files = FileManager.default
    let path = "\(parent)/daybook-example-\(UUID().uuidString)"
    do {
      try files.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch { throw Refusal(parent: parent) }
    // A directory that cannot be removed is left.
    defer { try? files.removeItem(atPath: path) }
    try body(path)
  }
}
