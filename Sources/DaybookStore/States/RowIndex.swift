/// An index that finds rows by words, which are computed from the values in the rows.
///
/// A word is the upper 48 bits of a hash. Different values can have equal words, so the caller must
/// compare the values of each row that it finds. Each row has a set of words: a word that two
/// values of the row share is stored once, and is removed with the last of them.
///
/// In a pair of the tree, the first element contains the word, and the entity in the 16 bits that
/// the word leaves free. The second element is the slot. The index is only the tree's root; see
/// ``PageTree``.
package struct RowIndex: Hashable, Sendable {
  package private(set) var tree = PageTree()

  package init() {}

  /// Creates the index that a tree contains.
  init(_ tree: PageTree) { self.tree = tree }

  /// The number of words. Equal words of different rows are counted separately.
  package var count: Int { tree.count }

  /// Replaces the words of a row.
  ///
  /// - Complexity: O(k log k + c log count) for k words, of which c change
  mutating func replace(
    _ words: inout IndexWords, entity: Int, slot: UInt32, in space: PageSpace
  ) {
    guard words.old != words.new else { return }
    words.forEachDifference { word, isAdded in
      let pair = RowIndex.pair(of: word, entity: entity, slot: slot)
      if isAdded {
        tree.insert(pair, in: space)
      } else {
        // The pair may be missing if the mapped bytes that it was computed from have changed in the
        // file.
        tree.remove(pair, in: space)
      }
    }
  }

  /// Removes and inserts words. Both lists are sorted first, so that an index that is built at once
  /// has full pages.
  ///
  /// - Complexity: O((n + count) log (n + count)) for n pairs
  mutating func apply(
    removing old: consuming [TreePair], adding new: consuming [TreePair], in space: PageSpace
  ) {
    old.sort()
    for pair in old { tree.remove(pair, in: space) }
    new.sort()
    for pair in new { tree.insert(pair, in: space) }
  }

  /// Calls a closure with each row that has a word. The closure must not change the index.
  ///
  /// - Complexity: O(log count + rows)
  func forEach<Failure: Error>(
    with word: UInt64, in space: PageSpace,
    _ body: (_ entity: Int, _ slot: UInt32) throws(Failure) -> Void
  ) throws(Failure) {
    let range =
      RowIndex.pair(
        of: word, entity: 0, slot: 0)...RowIndex.pair(
        of: word, entity: RowIndex.entityMax, slot: .max)
    try tree.forEach(range, in: space) { (pair) throws(Failure) in
      try body(RowIndex.parts(of: pair).entity, pair.second)
    }
  }

  // MARK: Words

  private static let entityMax = 0xFFFF

  /// Returns the word of a hash.
  @inline(__always)
  static func word(ofHash hash: UInt64) -> UInt64 { hash & ~UInt64(entityMax) }

  /// Returns the pair for a word of a row.
  @inline(__always)
  static func pair(of word: UInt64, entity: Int, slot: UInt32) -> TreePair {
    precondition(
      entity >= 0 && entity <= entityMax && word == self.word(ofHash: word),
      "word \(word) of the row of entity \(entity) is invalid")
    return TreePair(word | UInt64(entity), second: slot)
  }

  /// Returns the components of a pair.
  @inline(__always)
  static func parts(of pair: TreePair) -> (word: UInt64, entity: Int, slot: UInt32) {
    (word(ofHash: pair.first), Int(pair.first & UInt64(entityMax)), pair.second)
  }
}
