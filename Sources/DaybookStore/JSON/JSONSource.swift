import DaybookJournal

/// The bytes of a text, for looking at one after the other.
///
/// The one place where the reader touches memory: every bound is checked here, and beyond the end
/// stands a zero, which no JSON text has, so that the grammar need not ask for the end at each
/// step.
struct JSONSource: Sendable {
  /// The same bytes, with what keeps them in memory.
  let view: ByteView
  // Points into memory that `view` keeps and nobody writes; held beside it because a closure for
  // each byte would cost more than the byte.
  nonisolated(unsafe) private let bytes: UnsafeRawBufferPointer

  init(_ view: ByteView) {
    self.view = view
    bytes = view.withSpan { span in span.withUnsafeBytes { $0 } }
  }

  @inline(__always)
  var count: Int { bytes.count }

  /// The byte at an offset, or 0 beyond the end.
  @inline(__always)
  subscript(offset: Int) -> UInt8 {
    UInt(bitPattern: offset) < UInt(bitPattern: bytes.count) ? bytes[offset] : 0
  }

  /// Where, from an offset on, the first byte stands that is not plain text in a string: a
  /// quotation mark, a backslash, a control character, a byte of a scalar beyond ASCII, or the end.
  ///
  /// - Complexity: O(*n*) in the bytes gone past, eight at a time
  @inline(__always)
  func plainEnd(from start: Int) -> Int {
    JSONSource.plainEnd(
      bytes, from: start, stoppingAt: 0x8080_8080_8080_8080, stoppingAtDelete: 0)
  }

  /// Returns the offset of the first byte that ``plainEnd(from:)`` stops at or that is a delete
  /// character (U+007F).
  static func printableEnd(of span: RawSpan, from start: Int) -> Int {
    let tops: UInt64 = 0x8080_8080_8080_8080
    return span.withUnsafeBytes {
      plainEnd($0, from: start, stoppingAt: tops, stoppingAtDelete: tops)
    }
  }

  @inline(__always)
  private static func plainEnd(
    _ bytes: UnsafeRawBufferPointer, from start: Int, stoppingAt high: UInt64,
    stoppingAtDelete delete: UInt64
  ) -> Int {
    precondition(start >= 0, "text from byte \(start) of \(bytes.count)")
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    var offset = start
    while offset &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      // A byte's top bit is set where the byte is zero, or below 0x20. A borrow can set it wrongly
      // only behind a byte where it is set rightly, and the first one is what counts.
      let quotes = word ^ (ones &* 0x22)
      let slashes = word ^ (ones &* 0x5C)
      let quoted = (quotes &- ones) & ~quotes
      let slashed = (slashes &- ones) & ~slashes
      let controls = (word &- ones &* 0x20) & ~word
      let deletes = word ^ (ones &* 0x7F)
      let deleted = (deletes &- ones) & ~deletes & delete
      let found = ((quoted | slashed | controls) & tops) | (word & high) | deleted
      if found != 0 { return offset &+ found.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 || (byte >= 0x80 && high != 0) { break }
      if byte == 0x7F && delete != 0 { break }
      offset &+= 1
    }
    return offset
  }

  /// The text of a range, which is known to be UTF-8.
  @inline(__always)
  func string(_ range: Range<Int>) -> String {
    String(decoding: slice(range), as: UTF8.self)
  }

  /// Appends the bytes of a range.
  func append(_ range: Range<Int>, to output: inout [UInt8]) {
    output.append(contentsOf: slice(range))
  }

  @inline(__always)
  private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count, "bytes \(range) of \(bytes.count)")
    return UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  /// Where the scalar ends that begins at an offset with a byte beyond ASCII, or nil if the bytes
  /// there are not UTF-8: the table of well-formed sequences in the Unicode standard, row by row.
  @inline(__always)
  func scalarEnd(at offset: Int) -> Int? {
    let second: ClosedRange<UInt8>
    let length: Int
    switch self[offset] {
    case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
    case 0xE0: (second, length) = (0xA0...0xBF, 3)
    case 0xE1...0xEC, 0xEE...0xEF: (second, length) = (0x80...0xBF, 3)
    case 0xED: (second, length) = (0x80...0x9F, 3)
    case 0xF0: (second, length) = (0x90...0xBF, 4)
    case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
    case 0xF4: (second, length) = (0x80...0x8F, 4)
    default: return nil
    }
    guard second.contains(self[offset &+ 1]) else { return nil }
    if length > 2, self[offset &+ 2] & 0xC0 != 0x80 { return nil }
    if length > 3, self[offset &+ 3] & 0xC0 != 0x80 { return nil }
    return offset &+ length
  }

  /// The column of the scalar at an offset, from 1, in Unicode scalars.
  ///
  /// - Complexity: O(*n*) in the offset: asked for only when there is something to complain about
  func column(at offset: Int) -> Int {
    var column = 1
    for place in 0..<min(offset, bytes.count) where bytes[place] & 0xC0 != 0x80 { column += 1 }
    return column
  }
}
