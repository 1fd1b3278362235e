/// The greatest number that has identified a record of an entity: records that are numbered one behind the other, as
/// most are that come in great number, need not be looked for.
struct IdentifierBound: Sendable {
  /// Greater than the number of any record, in the order of numbers; or the greatest there is, which means nothing.
  private(set) var rawValue: UInt64
  private let kind: IdentifierKind

  init(_ kind: IdentifierKind) { self.init(kind, rawValue: 0) }

  init(_ kind: IdentifierKind, rawValue: UInt64) {
    self.kind = kind
    self.rawValue = rawValue
  }

  /// Where a number is in the order of all, from 0.
  @inline(__always)
  private func rank(_ word: UInt64) -> UInt64 { kind == .int ? word ^ 1 << 63 : word }

  private var isOfNumbers: Bool { kind == .int || kind == .uint }

  /// Takes note of a record. Nothing is known of those whose identifiers are no numbers.
  mutating func include(_ word: UInt64) {
    guard isOfNumbers else { return }
    let rank = rank(word)
    if rank >= rawValue { rawValue = rank == .max ? rank : rank + 1 }
  }

  mutating func include(_ words: [UInt64]) {
    guard isOfNumbers, let greatest = words.max(by: { rank($0) < rank($1) }) else { return }
    include(greatest)
  }

  /// Whether some numbers are beyond all that have identified a record, and no two of them are the same. False also
  /// where that would take a search.
  func isBefore(_ words: [UInt64]) -> Bool {
    guard isOfNumbers, rawValue < .max, let first = words.first else { return false }
    var last = rank(first)
    if last < rawValue { return false }
    for word in words.dropFirst() {
      let rank = rank(word)
      if rank <= last { return false }
      last = rank
    }
    return true
  }
}
