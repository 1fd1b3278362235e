/// The numbers of a layout that determine the end of a row. It holds no reference.
struct RowShape: Hashable, Sendable, BitwiseCopyable {
  /// The bits of a row's head that are the layout's number.
  static let numberMask: UInt16 = (1 << 14) - 1
  /// The bit that says that values are kept elsewhere.
  static let storedFlag: UInt16 = 1 << 14
  /// The bit that says that the ends are wide.
  static let wideFlag: UInt16 = 1 << 15

  let number: UInt16
  /// 0 if identifiers are texts.
  let identifierByteCount: Int
  let endsOffset: Int
  let variableCount: Int

  /// How many bytes the row that begins at an offset has, or nil if none of this layout is there that is
  /// whole: then no read of it goes astray, whoever wrote it.
  @inline(__always)
  func rowByteCount(_ bytes: RawSpan, at offset: Int) -> Int? {
    guard let head = bytes.number(at: offset, as: UInt16.self), head & RowShape.numberMask == number
    else { return nil }
    let room = bytes.byteCount &- offset
    let width = head & RowShape.wideFlag == 0 ? 2 : 4
    let start = variableStart(head)
    guard start <= room else { return nil }
    var end = 0
    var place = offset &+ endsOffset
    for _ in 0..<variableCount {
      let next =
        width == 2
        ? Int(bytes.number(at: place, as: UInt16.self) ?? 0)
        : Int(bytes.number(at: place, as: UInt32.self) ?? 0)
      guard next >= end else { return nil }
      end = next
      place &+= width
    }
    guard start + end <= room else { return nil }
    return start + end
  }

  /// Where the values begin that the table of ends tells of.
  @inline(__always)
  func variableStart(_ head: UInt16) -> Int {
    let width = head & RowShape.wideFlag == 0 ? 2 : 4
    let storedByteCount = head & RowShape.storedFlag == 0 ? 0 : (variableCount + 7) / 8
    return endsOffset &+ variableCount &* width &+ storedByteCount
  }
}
