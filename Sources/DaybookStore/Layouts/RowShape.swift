/// The numbers of a layout that a reader needs to compute the end of a row. The struct contains no
/// reference, so that a loop over many rows retains nothing.
struct RowShape: Hashable, Sendable, BitwiseCopyable {
  /// The bits of a row's head that contain the layout's number.
  static let numberMask: UInt16 = (1 << 14) - 1
  /// The bit of a row's head that is set if values are stored outside of the row.
  static let storedFlag: UInt16 = 1 << 14
  /// The bit of a row's head that is set if the ends are 32-bit numbers.
  static let wideFlag: UInt16 = 1 << 15

  let number: UInt16
  /// The byte count of an identifier; 0 if identifiers are strings.
  let identifierByteCount: Int
  /// The offset of the table of ends in a row.
  let endsOffset: Int
  /// The number of entries in the table of ends.
  let variableCount: Int

  /// Returns the byte count of the row at an offset, or nil if the bytes are not a complete row of
  /// this layout.
  ///
  /// If it returns a count, the ends of the variable-width values are in ascending order and inside
  /// the row. Readers can therefore trust them, even if a faulty program wrote the bytes.
  @inline(__always)
  func rowByteCount(_ bytes: RawSpan, at offset: Int) -> Int? {
    guard let head = bytes.number(at: offset, as: UInt16.self), head & RowShape.numberMask == number
    else { return nil }
    let room = bytes.byteCount &- offset
    let width = head & RowShape.wideFlag == 0 ? 2 : 4
    let start = variableStart(head)
    guard start <= room else { return nil }
    var end = 0
    var entryOffset = offset &+ endsOffset
    for _ in 0..<variableCount {
      let next =
        width == 2
        ? Int(bytes.number(at: entryOffset, as: UInt16.self) ?? 0)
        : Int(bytes.number(at: entryOffset, as: UInt32.self) ?? 0)
      guard next >= end else { return nil }
      end = next
      entryOffset &+= width
    }
    guard start + end <= room else { return nil }
    return start + end
  }

  /// Returns the offset of the variable part in a row.
  @inline(__always)
  func variableStart(_ head: UInt16) -> Int {
    let width = head & RowShape.wideFlag == 0 ? 2 : 4
    let storedByteCount = head & RowShape.storedFlag == 0 ? 0 : (variableCount + 7) / 8
    return endsOffset &+ variableCount &* width &+ storedByteCount
  }
}
