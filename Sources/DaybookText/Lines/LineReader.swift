import DaybookJournal
import DaybookPlatform
import DaybookStore

/// A reader of the lines of a text, from a file or a pipe of any size.
///
/// ```swift
/// var lines = LineReader(descriptor: STDIN_FILENO, path: "-")
/// while let line = try lines.next() {
///   if !line.isBlank { use(line.number, line.bytes) }
/// }
/// ```
///
/// The reader requests 64 KiB at a time, and usually has a buffer of 64 KiB. A line that is longer
/// than half of the buffer makes the buffer grow. While the buffer grows, the reader uses up to
/// three times the length of the line.
///
/// The bytes of a line are a view of the buffer, not a copy. The bytes do not change while a view
/// exists, and a view keeps the complete buffer in memory. The reader copies bytes only if the
/// buffer ends within a line. On average, it copies such a byte at most twice.
package struct LineReader {
  /// A line without its line end.
  package struct Line: Sendable {
    /// The number of the line in the text, starting at 1.
    package let number: Int
    package let bytes: ByteView

    /// A Boolean value that indicates whether the line contains only spaces, tabs and carriage
    /// returns.
    ///
    /// - Complexity: O(*n*) in the number of spaces before the first other byte
    package var isBlank: Bool {
      for index in 0..<bytes.count {
        switch bytes[index] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
        default: return false
        }
      }
      return true
    }
  }

  /// A function that reads bytes into a part of a buffer, and returns the number of bytes. The
  /// function returns 0 only at the end of the text.
  package typealias Source = (UnsafeMutableRawBufferPointer) throws(DiskError) -> Int

  /// The largest number of bytes that the reader requests at a time.
  package static let pieceByteCount = 64 << 10
  /// The default limit for the length of a line, in bytes.
  package static let lengthMax = 1 << 30

  private let lengthMax: Int
  private let source: Source
  private let damage: () -> String?
  private var buffer: LineBuffer
  // Positions in the buffer. `start` is the start of the next line. `searched` is the end of the
  // bytes that were searched for a line end. `filled` is the end of the bytes that were read.
  private var start = 0
  private var searched = 0
  private var filled = 0
  private var isAtEnd = false
  private var lineCount = 0

  /// Creates a reader of the bytes that a closure returns.
  ///
  /// - Parameters:
  ///   - lengthMax: The limit for the length of a line, in bytes.
  ///   - damage: A closure that returns the sentence about damaged bytes, if an error of the source
  ///     reports damage and not an error of the disk.
  ///   - source: The source.
  package init(
    lengthMax: Int = LineReader.lengthMax, damage: @escaping () -> String? = { nil },
    source: @escaping Source
  ) {
    precondition(lengthMax >= 0, "lines of at most \(lengthMax) bytes")
    self.lengthMax = lengthMax
    self.source = source
    self.damage = damage
    buffer = LineBuffer(byteCount: LineReader.pieceByteCount)
  }

  /// Creates a reader of an open file or pipe. The caller closes it.
  package init(descriptor: Int32, path: String, lengthMax: Int = LineReader.lengthMax) {
    let file = FileDescriptor(descriptor, path: path)
    self.init(lengthMax: lengthMax) { memory throws(DiskError) in try file.read(into: memory) }
  }

  /// The size of the current buffer.
  package var memoryByteCount: Int { buffer.byteCount }

  /// Returns the next line, or nil after the last line.
  ///
  /// A text that ends with a line end has no empty line after it.
  ///
  /// - Throws: ``LineError`` if reading fails, or if the line is longer than the limit. Later calls
  ///   throw an error too.
  /// - Complexity: O(*n*) in the length of the line
  package mutating func next() throws(LineError) -> Line? {
    while true {
      if let end = buffer.newline(in: searched..<filled) {
        let line = try line(start..<end)
        start = end + 1
        searched = start
        return line
      }
      searched = filled
      // One more byte is allowed, because it may be the carriage return of the line end.
      guard filled - start <= lengthMax || (filled - start == lengthMax + 1 && !isAtEnd) else {
        throw tooLong()
      }
      if isAtEnd {
        guard start < filled else { return nil }
        let line = try line(start..<filled)
        start = filled
        return line
      }
      try readPiece()
    }
  }

  private mutating func line(_ range: Range<Int>) throws(LineError) -> Line {
    var end = range.upperBound
    let hasNewline = end < filled
    if hasNewline, end > range.lowerBound, buffer[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard end - range.lowerBound <= lengthMax else { throw tooLong() }
    lineCount += 1
    return Line(number: lineCount, bytes: buffer.view(range.lowerBound..<end))
  }

  private func tooLong() -> LineError {
    LineError(.tooLong(byteCountMax: lengthMax), line: lineCount + 1)
  }

  private mutating func readPiece() throws(LineError) {
    if filled == buffer.byteCount { makeRoom() }
    let end = min(filled + LineReader.pieceByteCount, buffer.byteCount)
    do {
      let count = try buffer.fill(filled..<end, from: source)
      filled += count
      isAtEnd = count == 0
    } catch {
      throw LineError(damage().map { .damaged($0) } ?? .disk(error), line: lineCount + 1)
    }
  }

  /// Moves the incomplete line to the front of this buffer or of a new buffer. After the line, the
  /// buffer has at least as much free space as the line is long.
  private mutating func makeRoom() {
    let begun = start..<filled
    if begun.count > buffer.byteCount / 2 {
      buffer = LineBuffer(byteCount: buffer.byteCount * 2, beginningWith: begun, of: buffer)
    } else if isKnownUniquelyReferenced(&buffer),
      buffer.byteCount == LineReader.pieceByteCount || begun.count * 4 > buffer.byteCount
    {
      buffer.moveToFront(begun)
    } else {
      // Two cases: a view of a line of this buffer exists, so its bytes must not change. Or the
      // buffer was enlarged for an earlier long line, and a smaller one is enough.
      let byteCount = max(LineReader.pieceByteCount, begun.count * 2)
      buffer = LineBuffer(byteCount: byteCount, beginningWith: begun, of: buffer)
    }
    filled -= start
    searched -= start
    start = 0
  }
}

/// The error of a line that could not be read.
package struct LineError: Error, Hashable, Sendable {
  /// The reasons for an error. Programs can switch on them.
  package enum Reason: Hashable, Sendable {
    /// The line is longer than the limit.
    case tooLong(byteCountMax: Int)
    /// The compressed bytes are damaged. The sentence says where.
    case damaged(String)
    /// A call of the operating system failed.
    case disk(DiskError)
  }

  /// The reason for the error. Programs can switch on it.
  package let reason: Reason
  /// The number of the line, starting at 1.
  package let line: Int

  init(_ reason: Reason, line: Int) {
    self.reason = reason
    self.line = line
  }
}

extension LineError: CustomStringConvertible {
  /// A description with the number of the line.
  package var description: String { "line \(line): \(sentence)" }

  /// A description without the number of the line.
  package var sentence: String {
    switch reason {
    case .tooLong(let byteCountMax):
      "the line is too long; the limit is \(byteCountMax) bytes."
    case .damaged(let sentence): sentence
    case .disk(let error): "\(error.operation.rawValue): \(error.reasonPhrase)."
    }
  }
}

/// The memory that lines are read into. Views of lines refer to it.
///
/// Bytes that a line refers to are never overwritten. The reader writes only to the bytes after
/// them. If the reader has the only reference to the buffer, no line refers to it, and the reader
/// may also write to the front. All unsafe memory access of the reader is in this type.
final class LineBuffer: Sendable {
  // Only the reader writes to this memory, and only to bytes that no line refers to.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    memory = .allocate(byteCount: byteCount, alignment: 16)
  }

  /// Creates a buffer that starts with a copy of a range of a second buffer.
  convenience init(byteCount: Int, beginningWith range: Range<Int>, of other: LineBuffer) {
    self.init(byteCount: byteCount)
    precondition(range.count <= byteCount, "\(range.count) bytes into \(byteCount)")
    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: other.memory[other.checked(range)]))
  }

  deinit { memory.deallocate() }

  var byteCount: Int { memory.count }

  subscript(index: Int) -> UInt8 { memory[checked(index..<index + 1).lowerBound] }

  /// Returns the position of the first line feed in a range, or nil.
  ///
  /// - Complexity: O(*n*)
  func newline(in range: Range<Int>) -> Int? {
    let part = memory[checked(range)]
    guard let base = memory.baseAddress,
      let found = Memory.firstAddress(
        of: UInt8(ascii: "\n"), in: base + range.lowerBound, byteCount: part.count)
    else { return nil }
    return found - UnsafeRawPointer(base)
  }

  /// Returns a view of a range. The view keeps this buffer in memory.
  func view(_ range: Range<Int>) -> ByteView {
    ByteView(owner: self, bytes: UnsafeRawBufferPointer(rebasing: memory[checked(range)]))
  }

  /// Calls a source to fill a range, and returns the number of bytes that it wrote.
  func fill(_ range: Range<Int>, from source: LineReader.Source) throws(DiskError) -> Int {
    let count = try source(UnsafeMutableRawBufferPointer(rebasing: memory[checked(range)]))
    precondition(
      count >= 0 && count <= range.count, "a source filled \(count) bytes of \(range.count)")
    return count
  }

  /// Moves a range to the front.
  func moveToFront(_ range: Range<Int>) {
    guard let base = memory.baseAddress else { return }
    base.copyMemory(from: base + checked(range).lowerBound, byteCount: range.count)
  }

  private func checked(_ range: Range<Int>) -> Range<Int> {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= memory.count,
      "bytes \(range) of a buffer of \(memory.count)")
    return range
  }
}
