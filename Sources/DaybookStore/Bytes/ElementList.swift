/// The positions of the elements of an array in a row.
///
/// Elements of fixed width are stored consecutively, without a count. Elements of variable width
/// follow a header: a u32 with the number of elements, and a table with a u32 for each element. The
/// table contains the offset of each element's end, relative to the end of the table.
package struct ElementList {
  /// The number of elements.
  package let count: Int
  /// The number of bytes of each element; nil if elements have variable width.
  private let width: Int?
  /// The offset of the first element.
  private let start: Int

  /// Creates the list in the bytes of an array; nil if the bytes are not a valid list.
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

  /// Returns the range of an element in the bytes that the list was created from.
  package func range(_ index: Int, in bytes: RawSpan) -> Range<Int> {
    precondition(index >= 0 && index < count, "element \(index) of \(count)")
    if let width { return index * width..<(index + 1) * width }
    func end(_ index: Int) -> Int {
      index < 0 ? start : start + Int(bytes.number(at: 4 + index * 4, as: UInt32.self) ?? 0)
    }
    return end(index - 1)..<end(index)
  }

  /// Appends a list with a number of elements. A closure appends each element, given its index.
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
