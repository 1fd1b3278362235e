import DaybookJournal
import Glibc

/// A directory for the files of an example, which are gone when it has been played.
enum ScratchDirectory {
  /// Where the system keeps what is temporary.
  static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  /// Makes a directory, hands out its path, and removes it with all that is in it.
  ///
  /// - Throws: ``DiskError`` if the system refuses to make one, and what the closure throws
  static func with(in parent: String, _ body: (String) throws -> Void) throws {
    let template = FilePaths.join(parent, "daybook-example-XXXXXX")
    var bytes = Array(template.utf8CString)
    guard mkdtemp(&bytes) != nil else { throw DiskError(.create, path: template, code: errno) }
    let path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      let disk = SystemDisk()
      // What cannot be removed is left for whoever looks into the directory.
      for name in (try? disk.list(path)) ?? [] { try? disk.remove(FilePaths.join(path, name)) }
      rmdir(path)
    }
    try body(path)
  }
}
