import DaybookCLibrary
import DaybookJournal
import DaybookPlatform

/// The files of the project, located relative to this source file.
package enum ProjectFiles {
  /// The directory that contains `Package.swift`.
  package static let root: String = {
    var path = #filePath
    for _ in 0..<3 { path = FilePaths.split(path).directory }
    return path
  }()

  package static func path(_ name: String) -> String { FilePaths.join(root, name: name) }

  /// Returns the bytes of a file.
  package static func bytes(_ name: String) throws -> [UInt8] {
    let file = try SystemDisk().open(path(name), for: .reading)
    let count = try file.status().byteCount
    return try CopiedImage(file, byteCount: count).view(at: 0, atLeast: Int(count)).copy()
  }

  /// Returns the lines of a text file.
  package static func lines(_ name: String) throws -> [String] {
    String(decoding: try bytes(name), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Creates or replaces a file.
  package static func write(_ bytes: [UInt8], to name: String) throws {
    let disk = SystemDisk()
    let temporary = path(name) + ".new"
    if (try? disk.status(of: temporary)) != nil { try disk.remove(temporary) }
    let file = try disk.create(temporary, permissions: 0o644)
    try file.writeAll(bytes.span.bytes, at: 0)
    try disk.rename(temporary, to: path(name))
  }

  /// Returns the names in a directory, in order.
  package static func names(in directory: String) throws -> [String] {
    try SystemDisk().list(path(directory)).sorted()
  }
}
