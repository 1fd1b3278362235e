/// Reads elements of an array in any order.
///
/// If there are many to read, the way to each leaf is gone once, before. The array may not be edited
/// meanwhile.
struct PageArrayReader {
  private let array: PageArray
  private let space: PageSpace
  /// Where each leaf lies; nothing if the way to it is gone for each element.
  private var leaves: [PageBytes] = []

  /// - Parameter readCount: How many elements are going to be read.
  /// - Complexity: O(leaves) if more are read than there are leaves, else O(1)
  init(_ array: PageArray, in space: PageSpace, forCount readCount: Int) {
    self.array = array
    self.space = space
    let leafCount = (array.count + array.leafElementCount - 1) / array.leafElementCount
    guard readCount > leafCount else { return }
    leaves = (0..<leafCount).map { leaf in
      space.bytes(of: array.leaf(leaf * array.leafElementCount, in: space))
    }
  }

  /// The element at an index.
  ///
  /// - Complexity: O(1) if many are read, else as for the array
  @inline(__always)
  func element<Element: PageElement>(_ index: Int, as type: Element.Type) -> Element {
    array.check(index)
    array.checkWidth(type)
    if leaves.isEmpty { return array.element(index, as: type, in: space) }
    return leaves[index >> array.leafShift].load(array.offset(index), as: type)
  }
}
