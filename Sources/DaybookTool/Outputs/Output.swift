import DaybookJournal
import DaybookPlatform

/// A buffered writer for the results of commands: to standard output, or to a part in memory.
final class Output {
  /// The error of a write after the reader has closed the output, for example `head` in a pipe. The
  /// tool then exits without a message.
  struct Closed: Error {}

  /// The descriptor; nil if the results stay in memory.
  private let descriptor: FileDescriptor?
  private var bytes: [UInt8] = []
  /// The part of the results to keep in memory, as a range of their bytes.
  private let part: Range<Int>
  /// The bytes of the part.
  private(set) var keptBytes: [UInt8] = []
  /// The number of bytes that were flushed.
  private var flushedCount = 0
  /// A Boolean value that indicates whether there are results after the part.
  var isCut: Bool { flushedCount > part.upperBound }
  private static let pieceByteCount = 64 << 10

  init(_ descriptor: Int32) {
    self.descriptor = FileDescriptor(descriptor, path: "standard output")
    part = 0..<0
  }

  /// Creates a writer that keeps a part of the results in memory. When the part is complete, the
  /// writer ends the command by throwing ``Closed``.
  init(keeping part: Range<Int>) {
    descriptor = nil
    self.part = part
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
  var hasLostReader: Bool { descriptor?.hasLostReader ?? false }

  /// Writes the buffer to the descriptor, or to the part.
  func flush() throws {
    guard let descriptor else {
      let start = min(max(0, part.lowerBound - flushedCount), bytes.count)
      let end = min(max(start, part.upperBound - flushedCount), bytes.count)
      keptBytes += bytes[start..<end]
      flushedCount += bytes.count
      bytes.removeAll(keepingCapacity: true)
      if isCut { throw Closed() }
      return
    }
    if !bytes.isEmpty { Progress.shared.clear() }
    defer { bytes.removeAll(keepingCapacity: true) }
    do throws(DiskError) { try descriptor.writeAll(bytes.span.bytes) } catch {
      if error.code == Errno.pipeClosed { throw Closed() }
      throw ToolError(.refused, sentence: "\(error)")
    }
  }
}
