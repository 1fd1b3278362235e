import DaybookJournal
import DaybookPlatform

/// A buffered writer for standard output. All commands write their results to it.
final class Output {
  /// The error of a write after the reader has closed the output, for example `head` in a pipe. The
  /// tool then exits without a message.
  struct Closed: Error {}

  private let descriptor: FileDescriptor
  private var bytes: [UInt8] = []
  private static let pieceByteCount = 64 << 10

  init(_ descriptor: Int32) {
    self.descriptor = FileDescriptor(descriptor, path: "standard output")
  }

  /// Appends a line.
  func line(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
    if bytes.count >= Output.pieceByteCount { try flush() }
  }

  /// Appends bytes.
  func write(_ more: [UInt8]) throws {
    bytes.append(contentsOf: more)
    if bytes.count >= Output.pieceByteCount { try flush() }
  }

  /// A Boolean value that indicates whether the system reports that the reader has closed the
  /// output.
  var hasLostReader: Bool { descriptor.hasLostReader }

  /// Writes the buffer to the descriptor.
  func flush() throws {
    if !bytes.isEmpty { Progress.shared.clear() }
    defer { bytes.removeAll(keepingCapacity: true) }
    do throws(DiskError) { try descriptor.writeAll(bytes.span.bytes) } catch {
      if error.code == Errno.pipeClosed { throw Closed() }
      throw ToolError(.refused, sentence: "\(error)")
    }
  }
}
