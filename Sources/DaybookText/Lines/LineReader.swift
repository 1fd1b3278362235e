import DaybookJournal
import DaybookPlatform
import DaybookStore

/// Gives the lines of a text one after the other, from a file or a pipe of any size.
///
/// ```swift
/// var lines = LineReader(descriptor: STDIN_FILENO, path: "-")
/// while let line = try lines.next() {
///   if !line.isBlank { use(line.number, line.bytes) }
/// }
/// ```
///
/// It asks for 64 KiB at a time, and that is what it holds, unless a line is longer than half of it:
/// then up to three times the line, while its memory grows. A line's bytes are those that were read,
/// not a copy, and stay as they are for as long as someone holds them; what is held is then the
/// whole piece. A byte is copied only when a piece ends within its line, and then, on average, at
/// most twice.
package struct LineReader {
  /// One line, without what ends it.
  package struct Line: Sendable {
    /// Its place in the text, from 1.
    package let number: Int
    package let bytes: ByteView

    /// Whether nothing but spaces stand in it.
    ///
    /// - Complexity: O(*n*) in the spaces before the first other byte
    package var isBlank: Bool {
      for place in 0..<bytes.count {
        switch bytes[place] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
        default: return false
        }
      }
      return true
    }
  }

  /// Fills a part of the memory and answers with how much: 0 only at the end of the text.
  package typealias Source = (UnsafeMutableRawBufferPointer) throws(DiskError) -> Int

  /// How much is asked for at a time.
  package static let pieceByteCount = 64 << 10
  /// How long a line may be, unless the caller says otherwise.
  package static let lengthMax = 1 << 30

  private let lengthMax: Int
  private let source: Source
  private var buffer: LineBuffer
  // Where in the buffer the next line begins, how far it was searched for the line's end, and how
  // far it is filled.
  private var start = 0
  private var searched = 0
  private var filled = 0
  private var isAtEnd = false
  private var lineCount = 0

  /// A reader of what a closure reads.
  package init(lengthMax: Int = LineReader.lengthMax, source: @escaping Source) {
    precondition(lengthMax >= 0, "lines of at most \(lengthMax) bytes")
    self.lengthMax = lengthMax
    self.source = source
    buffer = LineBuffer(byteCount: LineReader.pieceByteCount)
  }

  /// A reader of a file or pipe that the caller has opened, and closes.
  package init(descriptor: Int32, path: String, lengthMax: Int = LineReader.lengthMax) {
    let file = FileDescriptor(descriptor, path: path)
    self.init(lengthMax: lengthMax) { memory throws(DiskError) in try file.read(into: memory) }
  }

  /// How much memory is held for the lines to come.
  package var memoryByteCount: Int { buffer.byteCount }

  /// The next line, or nil behind the last. A text that ends with a line's end has no empty line
  /// behind it.
  ///
  /// - Throws: If reading fails, or if the line is longer than a line may be; asked again, the
  ///   reader then throws again.
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
      // One byte more, as it may be the first of the two that end the line.
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
      throw LineError(.disk(error), line: lineCount + 1)
    }
  }

  /// Brings the begun line to the front of a buffer that has at least as much room behind it.
  private mutating func makeRoom() {
    let begun = start..<filled
    if begun.count > buffer.byteCount / 2 {
      buffer = LineBuffer(byteCount: buffer.byteCount * 2, beginningWith: begun, of: buffer)
    } else if isKnownUniquelyReferenced(&buffer),
      buffer.byteCount == LineReader.pieceByteCount || begun.count * 4 > buffer.byteCount
    {
      buffer.moveToFront(begun)
    } else {
      // Someone holds a line of it, or it grew for a long line that is past.
      let byteCount = max(LineReader.pieceByteCount, begun.count * 2)
      buffer = LineBuffer(byteCount: byteCount, beginningWith: begun, of: buffer)
    }
    filled -= start
    searched -= start
    start = 0
  }
}

/// Why the next line of a text could not be read.
package struct LineError: Error, Hashable, Sendable {
  /// What is the matter, for programs.
  package enum Reason: Hashable, Sendable {
    /// The line is longer than a line may be.
    case tooLong(byteCountMax: Int)
    /// The operating system refused a call.
    case disk(DiskError)
  }

  /// What is the matter, for programs.
  package let reason: Reason
  /// The line, from 1.
  package let line: Int

  init(_ reason: Reason, line: Int) {
    self.reason = reason
    self.line = line
  }
}

extension LineError: CustomStringConvertible {
  /// Where and what.
  package var description: String { "line \(line): \(sentence)" }

  /// What is the matter, without the place.
  package var sentence: String {
    switch reason {
    case .tooLong(let byteCountMax):
      "a line has at most \(byteCountMax) bytes, and this one has more."
    case .disk(let error): "\(error.operation.rawValue): \(error.reasonPhrase)."
    }
  }
}

/// Memory that lines are read into and then seen in.
///
/// What a line was given of is never written again: the reader writes behind it, and to the front
/// only when it holds the last reference. Unsafe memory stays in here.
final class LineBuffer: Sendable {
  // Written through only by the one reader, where no line was given of it.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    memory = .allocate(byteCount: byteCount, alignment: 16)
  }

  /// A buffer at whose beginning stands a range of another.
  convenience init(byteCount: Int, beginningWith range: Range<Int>, of other: LineBuffer) {
    self.init(byteCount: byteCount)
    precondition(range.count <= byteCount, "\(range.count) bytes into \(byteCount)")
    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: other.memory[other.checked(range)]))
  }

  deinit { memory.deallocate() }

  var byteCount: Int { memory.count }

  subscript(place: Int) -> UInt8 { memory[checked(place..<place + 1).lowerBound] }

  /// The place of the first line feed in a range, or nil.
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

  /// Some bytes, which keep this buffer in memory.
  func view(_ range: Range<Int>) -> ByteView {
    ByteView(owner: self, bytes: UnsafeRawBufferPointer(rebasing: memory[checked(range)]))
  }

  /// Has a source write into a range, and answers with how many bytes it wrote.
  func fill(_ range: Range<Int>, from source: LineReader.Source) throws(DiskError) -> Int {
    let count = try source(UnsafeMutableRawBufferPointer(rebasing: memory[checked(range)]))
    precondition(
      count >= 0 && count <= range.count, "a source filled \(count) bytes of \(range.count)")
    return count
  }

  /// Moves a range to the beginning.
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
