import DaybookPlatform

/// A reader of the lines of standard input, each of which is a request to a server.
struct RequestLines {
  /// A line, or the reason why it is not read.
  enum Line: Hashable {
    case bytes([UInt8])
    /// The line has more bytes than a request may have.
    case tooLong
  }

  /// The maximum length of a request, in bytes.
  static let lengthMax = 1 << 20

  private let input: FileDescriptor
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  init(_ input: FileDescriptor) { self.input = input }

  /// Returns the next line without its end; nil at the end of the input.
  ///
  /// - Throws: `DiskError`
  mutating func next() throws -> Line? {
    var isTooLong = false
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<end])
        buffer.removeFirst(end + 1)
        return isTooLong || line.count > RequestLines.lengthMax ? .tooLong : .bytes(line)
      }
      if isAtEnd {
        guard !buffer.isEmpty || isTooLong else { return nil }
        let line = buffer
        buffer = []
        return isTooLong ? .tooLong : .bytes(line)
      }
      if buffer.count > RequestLines.lengthMax {
        isTooLong = true
        buffer.removeAll(keepingCapacity: true)
      }
      try fill()
    }
  }

  private mutating func fill() throws {
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    let count = try piece.withUnsafeMutableBytes { try input.read(into: $0) }
    isAtEnd = count == 0
    buffer += piece[..<count]
  }
}
