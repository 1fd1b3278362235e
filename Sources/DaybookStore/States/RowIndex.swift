/// An index that finds rows by words. A word is the upper 48 bits of a hash of values in a row.
///
/// Different values can have equal words, so the caller must compare the values of each row that it
/// finds. Each row has a set of words. If two values of a row have one word, the word is stored
/// once, and is removed only when both values have changed.
///
/// The words are stored as pairs in a ``PageTree``. The first number of a pair contains the word in
/// its upper 48 bits and the entity in its lower 16 bits. The second number is the slot. The index
/// itself contains only the root of the tree.
package struct RowIndex: Hashable, Sendable {
  package private(set) var tree = PageTree()

  package init() {}

  /// Creates the index that a tree contains.
  init(_ tree: PageTree) { self.tree = tree }

  /// The number of pairs of a word and a row.
  package var count: Int { tree.count }

  /// Replaces the words of a row by new ones.
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
        // The pair can be missing: it was computed from mapped bytes, which another program may
        // have changed in the file.
        tree.remove(pair, in: space)
      }
    }
  }

  /// Removes and inserts pairs. Both arrays are sorted first, so that a new index has full pages.
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
