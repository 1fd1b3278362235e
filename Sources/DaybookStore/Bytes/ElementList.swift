/// The elements of an array in a row.
///
/// Fixed-width elements are stored consecutively. For other elements, the list starts with their
/// number, and a table of their ends, counted from the end of the table. These numbers are u32.
package struct ElementList {
  package let count: Int
  private let width: Int?
  private let start: Int

  /// Creates the list that the bytes contain; nil if they do not contain a list.
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

  /// Appends a number of elements. A closure appends each, by its index.
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
