import FoundationEssentials

/// A temporary directory for the files of an example.
enum ScratchDirectory {
  /// The error of a directory that could not be created.
  struct Refusal: Error, CustomStringConvertible {
    let parent: String

    var description: String {
      "\(parent): a directory for the example's files cannot be created here. Nothing was changed. "
        + "Set TMPDIR to a directory that you can write to."
    }
  }

  /// The directory for temporary files.
  static var parent: String { FileManager.default.temporaryDirectory.path }

  /// Creates a directory, calls a closure with its path, and removes the directory with its
  /// contents.
  ///
  /// - Throws: ``Refusal`` if the directory cannot be created; every error that the closure throws
  static func with(in parent: String, _ body: (String) async throws -> Void) async throws {
    let files = FileManager.default
    let path = "\(parent)/daybook-example-\(UUID().uuidString)"
    do {
      try files.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch { throw Refusal(parent: parent) }
    // If the directory cannot be removed, it stays, because the example itself has succeeded.
    defer { try? files.removeItem(atPath: path) }
    try await body(path)
  }
}
