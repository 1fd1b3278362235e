import DaybookCLibrary
import DaybookJournal
import DaybookPlatform

/// A temporary directory of one test on this machine's disk.
package struct TemporaryDirectory {
  package let path: String

  /// Creates the value for a directory that exists.
  package init(path: String) { self.path = path }

  /// Creates a directory, passes it to a body, and removes it with its contents.
  package static func with<Result>(_ body: (TemporaryDirectory) throws -> Result) throws -> Result {
    let directory = try make()
    defer { remove(directory.path) }
    return try body(directory)
  }

  private static func make() throws -> TemporaryDirectory {
    var template = Array("/tmp/daybook-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Surprise("mkdtemp: errno \(errno)") }
    return TemporaryDirectory(
      path: String(
        decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Returns the path of a name in the directory.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in the directory, in order.
  package var names: [String] { ((try? SystemDisk().list(path)) ?? []).sorted() }

  /// Creates or replaces a file, and returns its path.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let path = path(name)
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Surprise("\(path): errno \(errno)") }
    defer { close(descriptor) }
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        DaybookCLibrary.write(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { throw Surprise("\(path): errno \(errno)") }
      done += count
    }
    return path
  }

  /// Returns the bytes of a file in the directory.
  package func bytes(of name: String) throws -> [UInt8] {
    let file = try SystemDisk().open(path(name), for: .reading)
    let byteCount = try file.status().byteCount
    return try CopiedImage(file, byteCount: byteCount).view(at: 0, atLeast: Int(byteCount)).copy()
  }

  private static func remove(_ path: String) {
    for name in (try? SystemDisk().list(path)) ?? [] {
      let inner = "\(path)/\(name)"
      if unlink(inner) != 0 { remove(inner) }
    }
    rmdir(path)
  }
}

/// Returns the description of the error that a body throws, or a fixed sentence if it throws none.
package func sentence(of body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing is thrown"
  } catch {
    return "\(error)"
  }
}

extension TemporaryDirectory {
  /// Creates a directory, passes it to an asynchronous body, and removes it with its contents.
  package static func with<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TemporaryDirectory) async throws -> Result
  ) async throws -> Result {
    let directory = try make()
    defer { remove(directory.path) }
    return try await body(directory)
  }
}
