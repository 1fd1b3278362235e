import Daybook

/// The ranks of some rows of a list after each of its differences.
///
/// The ranks are computed from the differences alone. So the cost of a step depends on the size of
/// the difference, and not on the size of the list.
struct RankCurves {
  private let ids: [RecordIdentifier]
  /// The index of each row in the list; nil while the row is not in it.
  private(set) var ranks: [Int?]
  private(set) var curves: [Curve]

  init(_ ids: [RecordIdentifier]) {
    self.ids = ids
    ranks = Array(repeating: nil, count: ids.count)
    curves = ids.map { Curve(ValueText.text(of: $0)) }
  }

  /// Applies the difference of a transaction.
  mutating func apply(_ difference: RecordDifference, after sequence: UInt64) {
    let (before, after) = (difference.before, difference.after)
    var left = difference.deleted.map { before.index(at: $0.indexPath) }
    left += difference.moved.map { before.index(at: $0.indexPath) }
    left.sort()
    var entered: [RecordIdentifier: Int] = [:]
    for row in difference.inserted { entered[row.id] = after.index(at: row.indexPath) }
    for row in difference.moved { entered[row.id] = after.index(at: row.newIndexPath) }
    let newRanks = entered.values.sorted()
    let gone = Set(difference.deleted.map(\.id))
    for (row, id) in ids.enumerated() {
      if let rank = entered[id] {
        ranks[row] = rank
      } else if gone.contains(id) {
        ranks[row] = nil
      } else if let rank = ranks[row] {
        ranks[row] = RankCurves.newRank(rank, without: left, with: newRanks)
      }
      curves[row].append(ranks[row].map { Double($0 + 1) }, after: sequence)
    }
  }

  /// Returns the new index of a row that stays in the list.
  ///
  /// - Parameters:
  ///   - rank: The old index of the row.
  ///   - left: The sorted old indices of rows that leave their position.
  ///   - entered: The sorted new indices of rows that take a new position.
  private static func newRank(_ rank: Int, without left: [Int], with entered: [Int]) -> Int {
    var rank = rank - (left.firstIndex { $0 >= rank } ?? left.count)
    for other in entered {
      guard other <= rank else { break }
      rank += 1
    }
    return rank
  }
}
