/// Directories and names, taken apart and put together.
package enum FilePaths {
  /// `a/b/c` is `c` in `a/b`, `c` is `c` in `.`, and `/c` is `c` in `/`.
  package static func split(_ path: String) -> (directory: String, name: String) {
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[bytes.index(after: slash)...])
    return (slash == bytes.startIndex ? "/" : String(path[..<slash]), name)
  }

  /// The path of a name in a directory.
  package static func join(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}
