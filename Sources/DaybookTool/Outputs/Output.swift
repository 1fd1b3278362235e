import DaybookJournal
import DaybookPlatform

/// Standard output, written in pieces.
final class Output {
  /// Whoever read it has gone: there is nothing more to do.
  struct Closed: Error {}

  private let descriptor: FileDescriptor
  private var bytes: [UInt8] = []
  private static let pieceByteCount = 64 << 10

  init(_ descriptor: Int32) {
    self.descriptor = FileDescriptor(descriptor, path: "standard output")
  }

  /// Writes a line.
  func line(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
    if bytes.count >= Output.pieceByteCount { try flush() }
  }

  /// Writes bytes as they are.
  func write(_ more: [UInt8]) throws {
    bytes.append(contentsOf: more)
    if bytes.count >= Output.pieceByteCount { try flush() }
  }

  /// Whether nobody can read any more what is written, as far as the system says so.
  var hasLostReader: Bool { descriptor.hasLostReader }

  /// Hands everything on.
  func flush() throws {
    if !bytes.isEmpty { Progress.shared.clear() }
    defer { bytes.removeAll(keepingCapacity: true) }
    do throws(DiskError) { try descriptor.writeAll(bytes.span.bytes) } catch {
      if error.code == Errno.pipeClosed { throw Closed() }
      throw ToolError(.refused, sentence: "\(error)")
    }
  }
}
