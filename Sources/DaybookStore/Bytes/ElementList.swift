/// The elements of an array in a row.
///
/// Elements of one width stand one behind the other. Others begin with their number and where each
/// ends, counted from the end of that table, as u32.
package struct ElementList {
  package let count: Int
  private let width: Int?
  private let start: Int

  /// The list in these bytes, or nil if they are none.
  package init?(_ bytes: RawSpan, byteCount width: Int?) {
    self.width = width
    if let width {
      guard bytes.byteCount % width == 0 else { return nil }
      count = bytes.byteCount / width
      start = 0
      return
    }
    guard let stored = bytes.number(at: 0, as: UInt32.self) else { return nil }
    let start = 4 + Int(stored) * 4
    guard start <= bytes.byteCount else { return nil }
    count = Int(stored)
    self.start = start
    var end = 0
    for index in 0..<count {
      guard let next = bytes.number(at: 4 + index * 4, as: UInt32.self), Int(next) >= end,
        start + Int(next) <= bytes.byteCount
      else { return nil }
      end = Int(next)
    }
    guard start + end == bytes.byteCount else { return nil }
  }

  /// Where an element stands, in the bytes that the list was made of.
  package func range(_ index: Int, in bytes: RawSpan) -> Range<Int> {
    precondition(index >= 0 && index < count, "element \(index) of \(count)")
    if let width { return index * width..<(index + 1) * width }
    func end(_ index: Int) -> Int {
      index < 0 ? start : start + Int(bytes.number(at: 4 + index * 4, as: UInt32.self) ?? 0)
    }
    return end(index - 1)..<end(index)
  }

  /// Appends so many elements, each by a closure that is given its index.
  package static func append(
    count: Int, byteCount width: Int?, to buffer: inout RowBuffer,
    _ element: (Int, inout RowBuffer) -> Void
  ) {
    if width != nil {
      for index in 0..<count { element(index, &buffer) }
      return
    }
    buffer.append(UInt32(count))
    let table = buffer.count
    buffer.appendZeros(count * 4)
    let start = buffer.count
    for index in 0..<count {
      element(index, &buffer)
      buffer.put(UInt32(buffer.count - start), at: table + index * 4)
    }
  }
}
