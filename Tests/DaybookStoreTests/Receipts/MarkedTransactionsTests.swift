import DaybookJournal
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

/// The last transactions with a key, against a list of all that were ever added.
@Suite struct `Transactions by the marks of their keys` {
  private struct Model {
    var all: [(sequence: UInt64, mark: KeyMark)] = []
    let countMax: Int

    var last: ArraySlice<(sequence: UInt64, mark: KeyMark)> { all.suffix(countMax) }

    func transactions(with mark: KeyMark) -> [UInt64] {
      last.filter { $0.mark == mark }.map(\.sequence).reversed()
    }
  }

  private static let homeEnd: UInt64 = 1 << KeyMark.homeBitCount

  @Test func `are those that were added last, whatever marks they share`() {
    for seed in 0..<UInt64(FaultRow.count(60, full: 2000)) {
      var random = SplitMix64(seed: seed)
      func below(_ count: UInt64) -> UInt64 { random.next() % count }
      let countMax = Int(1 + below(seed % 3 == 0 ? 8 : 200))
      // Few homes, of which the last ones run over the table's end.
      let homes = (0..<1 + below(12)).map { _ in
        below(2) == 0 ? Self.homeEnd - 1 - below(3) : below(Self.homeEnd)
      }
      let checkCount = 1 + below(4)
      let marks = homes.flatMap { home in
        (0..<checkCount).map { KeyMark(home: home, check: UInt32($0) << 13) }
      }
      var transactions = MarkedTransactions(countMax: countMax)
      var model = Model(countMax: countMax)
      var sequence = below(2) == 0 ? 0 : below(1 << 60)
      for step in 0..<600 {
        sequence += 1 + (below(20) == 0 ? below(1 << 30) : 0)
        let mark = marks[Int(below(UInt64(marks.count)))]
        transactions.append(sequence, mark)
        model.all.append((sequence, mark))
        #expect(
          transactions.transactions(with: mark) == model.transactions(with: mark),
          "seed \(seed), step \(step)")
        guard step % 50 == 0 else { continue }
        for mark in marks {
          #expect(
            transactions.transactions(with: mark) == model.transactions(with: mark),
            "seed \(seed), step \(step)")
        }
        var found: [UInt64] = []
        var foundMarks: [KeyMark] = []
        transactions.forEach {
          found.append($0)
          foundMarks.append($1)
        }
        #expect(found == model.last.map(\.sequence), "seed \(seed), step \(step)")
        #expect(foundMarks == model.last.map(\.mark), "seed \(seed), step \(step)")
        #expect(transactions.count == model.last.count)
      }
    }
  }

  @Test func `take at most sixteen bytes each, and as many when others have gone`() {
    var transactions = MarkedTransactions()
    var random = SplitMix64(seed: 1)
    var mark: KeyMark {
      KeyMark(home: random.next() % Self.homeEnd, check: UInt32(random.next() % 1 << 15))
    }
    for count in 1...115_000 {
      transactions.append(UInt64(count), mark)
      guard count % 997 == 0 else { continue }
      #expect(transactions.count == min(count, 100_000))
      #expect(transactions.byteCount <= 16 * transactions.count, "\(count)")
    }
    #expect(transactions.byteCount <= 14 * 100_000)
  }

  @Test func `have the mark that is written of a key, of each spelling of its characters`() {
    for text in ["", "k", "caf\u{E9}", "a longer one, of some more than thirty-two bytes"] {
      for seed: UInt64 in [0, 1, .max] {
        let mark = KeyMark(of: text, seed: seed)
        let hash = XXH64.check(Array(text.utf8).span.bytes, seed: seed)
        #expect(mark.home == hash >> 43 && UInt64(mark.check) == hash & 0x7FFF)
        #expect(KeyMark(rawValue: mark.rawValue) == mark)
      }
    }
    #expect(KeyMark(of: "cafe\u{301}", seed: 5) == KeyMark(of: "caf\u{E9}", seed: 5))
    #expect(KeyMark(of: "k", seed: 5) != KeyMark(of: "k", seed: 6))
    #expect(KeyMark(rawValue: 1 << 36 - 1) != nil && KeyMark(rawValue: 1 << 36) == nil)
  }
}
