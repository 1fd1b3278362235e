/// The roots of structures in pages, as a checkpoint has them: what leads to the pages, and how many things
/// stand there.
///
/// ```
///   array   count u64   root u32   height u8
///   tree    count u64   root u32   height u8
///   table   count u64   mask u32   buckets, an array
/// ```
extension RowBuffer {
  mutating func append(_ array: PageArray) {
    append(UInt64(array.count))
    append(array.root.rawValue)
    append(array.height)
  }

  mutating func append(_ tree: PageTree) {
    append(UInt64(tree.count))
    append(tree.root.rawValue)
    append(UInt8(tree.height))
  }

  mutating func append(_ table: SlotTable) {
    append(UInt64(table.count))
    append(table.mask)
    append(table.buckets)
  }
}

extension ByteCursor {
  /// The root of one of so many pages, and what stands beside it.
  private mutating func root(
    _ bytes: RawSpan, of pageCount: Int
  ) -> (count: Int, root: PageNumber, height: UInt8)? {
    guard let count = number(bytes, as: UInt64.self).flatMap(Int.init(exactly:)),
      let root = number(bytes, as: UInt32.self), Int(root) < pageCount,
      let height = number(bytes, as: UInt8.self), height <= 8
    else { return nil }
    return (count, PageNumber(rawValue: root), height)
  }

  mutating func array(
    _ bytes: RawSpan, elementByteCount: Int, of pageCount: Int
  ) -> PageArray? {
    var array = PageArray(elementByteCount: elementByteCount)
    guard let (count, root, height) = root(bytes, of: pageCount), height >= 1 else { return nil }
    array.root = root
    array.height = height
    guard count <= array.capacity else { return nil }
    array.setCount(count)
    return array
  }

  mutating func tree(_ bytes: RawSpan, of pageCount: Int) -> PageTree? {
    guard let (count, root, height) = root(bytes, of: pageCount), (count == 0) == root.isNone else {
      return nil
    }
    var tree = PageTree()
    tree.count = count
    tree.root = root
    tree.height = Int(height)
    return tree
  }

  mutating func table(_ bytes: RawSpan, of pageCount: Int) -> SlotTable? {
    var table = SlotTable()
    guard let count = number(bytes, as: UInt64.self).flatMap(Int.init(exactly:)),
      let mask = number(bytes, as: UInt32.self),
      let buckets = array(bytes, elementByteCount: 4, of: pageCount)
    else { return nil }
    table.count = count
    table.mask = mask
    table.buckets = buckets
    return table
  }
}
