/// Rows by words that stand for what is in them.
///
/// A word is the upper 48 bits of a hash, so whoever finds a row by it has to look whether it is one that was meant.
/// Each row has a set of words: one that two of its values share is there once, and stays until both are gone.
///
/// The first word of a pair of the tree is the word, and in the bits that it leaves the entity; the second is the slot.
/// The value is only the root, as with ``PageTree``.
package struct RowIndex: Hashable, Sendable {
  package private(set) var tree = PageTree()

  package init() {}

  /// Those of a tree.
  init(_ tree: PageTree) { self.tree = tree }

  /// How many words there are, those of different rows counted apart.
  package var count: Int { tree.count }

  /// Makes the words of a row others.
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
        // It may be missing if the bytes that it was made of have changed under the mapping.
        tree.remove(pair, in: space)
      }
    }
  }

  /// Takes words out and puts others in; both are sorted for that, so that what is built at once has
  /// full pages.
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

  /// Hands out the rows that have a word. The index may not be changed meanwhile.
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

  /// The word for a hash.
  @inline(__always)
  static func word(ofHash hash: UInt64) -> UInt64 { hash & ~UInt64(entityMax) }

  /// The pair for a word of a row.
  @inline(__always)
  static func pair(of word: UInt64, entity: Int, slot: UInt32) -> TreePair {
    precondition(
      entity >= 0 && entity <= entityMax && word == self.word(ofHash: word),
      "word \(word) of a row of entity \(entity)")
    return TreePair(word | UInt64(entity), second: slot)
  }

  /// What a pair is of.
  @inline(__always)
  static func parts(of pair: TreePair) -> (word: UInt64, entity: Int, slot: UInt32) {
    (word(ofHash: pair.first), Int(pair.first & UInt64(entityMax)), pair.second)
  }
}
