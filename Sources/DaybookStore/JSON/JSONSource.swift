import DaybookJournal

/// The bytes of a JSON text. ``JSONReader`` reads them one after the other.
///
/// In the JSON reader, only this type uses unsafe pointers, so this type checks the bounds of each
/// access. After the end of the text it returns a zero byte, which never occurs in JSON. Therefore
/// the code for the grammar does not compare each offset with the end.
struct JSONSource: Sendable {
  /// The bytes, with a reference to the owner of their memory.
  let view: ByteView
  // A pointer to the memory of `view`, which retains the memory. No thread ever writes the memory,
  // so `nonisolated(unsafe)` is correct. The pointer exists because access through `view` needs a
  // closure, which is slow for single bytes.
  nonisolated(unsafe) private let bytes: UnsafeRawBufferPointer

  init(_ view: ByteView) {
    self.view = view
    bytes = view.withSpan { span in span.withUnsafeBytes { $0 } }
  }

  @inline(__always)
  var count: Int { bytes.count }

  /// Returns the byte at an offset; 0 at or after the end.
  @inline(__always)
  subscript(offset: Int) -> UInt8 {
    UInt(bitPattern: offset) < UInt(bitPattern: bytes.count) ? bytes[offset] : 0
  }

  /// Returns the end of the *plain* bytes from a start offset. Plain bytes are the ASCII characters
  /// that a JSON string contains without an escape. The result is the offset of a quotation mark,
  /// of a backslash, of a control character, of a byte outside ASCII, or of the end of the text.
  ///
  /// - Complexity: O(*n*) in the number of plain bytes. The loop compares eight bytes at a time.
  @inline(__always)
  func plainEnd(from start: Int) -> Int {
    JSONSource.plainEnd(
      bytes, from: start, stoppingAt: 0x8080_8080_8080_8080, stoppingAtDelete: 0)
  }

  /// Returns the end of the plain bytes of a span, as ``plainEnd(from:)`` does. Unlike that method,
  /// this function also stops at a delete character (U+007F).
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
    precondition(start >= 0, "the text starts at byte \(start) of \(bytes.count)")
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    var offset = start
    while offset &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      // In `quoted`, the top bit of a byte is set if the text has a quotation mark there; `slashed`
      // and `controls` are similar. The subtraction can borrow from the next higher byte, and then
      // set that byte's top bit wrongly. But only a byte that matches can start a borrow, and the
      // code uses only the first match, which is correct.
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

  /// Returns the string of a range. The caller has verified that the bytes are UTF-8.
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

  /// Returns the end of the scalar that starts at an offset with a byte outside ASCII; nil if the
  /// bytes are not UTF-8.
  ///
  /// The cases are the rows of the table "Well-Formed UTF-8 Byte Sequences" in the Unicode
  /// standard.
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

  /// Returns the column of the scalar at an offset, counted from 1 in Unicode scalars.
  ///
  /// - Complexity: O(*n*) in the offset. The reader calls this method only for errors.
  func column(at offset: Int) -> Int {
    var column = 1
    for index in 0..<min(offset, bytes.count) where bytes[index] & 0xC0 != 0x80 { column += 1 }
    return column
  }
}
