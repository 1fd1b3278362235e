import DaybookStore

/// Reads rows of an index in the order of a request, and counts the rows that it reads.
struct IndexReader {
  private let index: ResultSnapshot
  private(set) var readCount = 0
  private var buffer = RowBuffer()

  /// The number of rows with equal values that are compared one by one before their first row is
  /// searched for.
  private static let comparedCountMax = 8

  init(_ index: ResultSnapshot) { self.index = index }

  /// Returns the ranks of the rows whose keys are in a range.
  ///
  /// - Complexity: O(log *n*)
  mutating func ranks(of keys: KeyRange) -> Range<Int> {
    let start = rank(of: keys.start, in: 0..<index.order.count)
    let end = keys.end.map { rank(of: $0, in: start..<index.order.count) } ?? index.order.count
    return start..<end
  }

  /// Returns the part of some ranks that is after a position in the order of a request. Returns all
  /// ranks if the index cannot find the position.
  ///
  /// - Returns: The ranks, and a head that is read first. If the index is read in the opposite
  ///   order, the head contains later rows with the position's values. They were created after the
  ///   position's record.
  /// - Complexity: O(log *n*)
  mutating func ranks(
    _ ranks: Range<Int>, after start: ListPosition, by match: IndexMatch
  ) -> (head: Range<Int>, rest: Range<Int>) {
    let none = ranks.lowerBound..<ranks.lowerBound
    guard match.order != .other, let key = match.keyWithoutFixedValues(start.key) else {
      return (none, ranks)
    }
    if match.order == .same {
      return (none, rank(after: match.equalKey + key, in: ranks)..<ranks.upperBound)
    }
    // Descending sort keys write the bytes of the index inverted, and the creation number as it is.
    let values = match.equalKey + key.dropLast(IndexReader.creationByteCount).map { ~$0 }
    let first = rank(of: values, in: ranks)
    let same = first..<rank(after: values, in: first..<ranks.upperBound)
    let later = rank(
      after: values + key.suffix(IndexReader.creationByteCount), in: same)
    return (later..<same.upperBound, ranks.lowerBound..<first)
  }

  /// Returns the first rank of a range with a key after all keys that start with some bytes.
  private mutating func rank(after bytes: [UInt8], in ranks: Range<Int>) -> Int {
    guard let end = KeyRange.end(ofKeysStartingWith: bytes) else { return ranks.upperBound }
    return rank(of: end, in: ranks)
  }

  /// Returns the first rank of a range with a key that is not before some bytes; the end of the
  /// range if all are before them.
  private mutating func rank(of bytes: [UInt8], in ranks: Range<Int>) -> Int {
    if bytes.isEmpty { return ranks.lowerBound }
    return index.order.first(
      of: ranks, notBefore: RowKey.prefix(bytes[...]), in: index.space
    ) { slot in
      load(slot)
      return RowKey.compare(buffer.bytes[...], to: bytes[...]) < 0
    }.rank
  }

  /// Reads the key of a row into the buffer.
  private mutating func load(_ slot: UInt32) {
    readCount += 1
    buffer.removeAll()
    let location = index.state.reader.row(inSlot: slot, of: index.plan.entity).location
    index.plan.appendOwn(location, in: index.state, to: &buffer)
  }

  /// The number of bytes of a creation number, with which each key ends.
  private static let creationByteCount = 8

  /// Returns the values in the key of a row.
  private mutating func values(atRank rank: Int) -> ArraySlice<UInt8> {
    load(index.slot(atRank: rank))
    return buffer.bytes.dropLast(IndexReader.creationByteCount)
  }

  /// Calls a closure with the slots of rows, in the order of the index, until the closure returns
  /// false.
  ///
  /// - Returns: false if the closure has returned false.
  mutating func forEach(in ranks: Range<Int>, _ body: (UInt32) -> Bool) -> Bool {
    var start = ranks.lowerBound
    // Most readers stop after a few rows.
    var pieceCount = 32
    while start < ranks.upperBound {
      let end = min(ranks.upperBound, start + pieceCount)
      for slot in index.order.values(start..<end, in: index.space) {
        readCount += 1
        if !body(slot) { return false }
      }
      start = end
      pieceCount = 1024
    }
    return true
  }

  /// Calls a closure with the slots of rows, the greatest values first, until the closure returns
  /// false. Rows with equal values are in the order of their creation.
  mutating func forEachReversed(in ranks: Range<Int>, _ body: (UInt32) -> Bool) {
    guard var last = ranks.last else { return }
    var values = values(atRank: last)
    while true {
      var first = last
      var before: ArraySlice<UInt8>?
      while first > ranks.lowerBound {
        if last - first == IndexReader.comparedCountMax {
          // The rows with these values start at the first key that is not before the values alone.
          first = rank(of: Array(values), in: ranks.lowerBound..<first)
          before = first > ranks.lowerBound ? self.values(atRank: first - 1) : nil
          break
        }
        let other = self.values(atRank: first - 1)
        guard other == values else {
          before = other
          break
        }
        first -= 1
      }
      guard forEach(in: first..<last + 1, body), let before else { return }
      last = first - 1
      values = before
    }
  }
}
