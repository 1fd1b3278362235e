import DaybookJournal
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

/// Compares the last transactions with keys with a list of all that were added.
@Suite struct `Marks of idempotency keys` {
  private struct Model {
    var all: [(sequence: UInt64, mark: KeyMark)] = []
    let countMax: Int

    var last: ArraySlice<(sequence: UInt64, mark: KeyMark)> { all.suffix(countMax) }

    func transactions(with mark: KeyMark) -> [UInt64] {
      last.filter { $0.mark == mark }.map(\.sequence).reversed()
    }
  }

  private static func mark(_ number: UInt64) throws -> KeyMark {
    try #require(KeyMark(rawValue: number))
  }

  @Test func `the last transactions are found by marks, also by shared ones`() throws {
    for seed in 0..<UInt64(FaultRow.count(60, full: 2000)) {
      var random = SplitMix64(seed: seed)
      func below(_ count: UInt64) -> UInt64 { random.next() % count }
      let countMax = Int(1 + below(seed % 3 == 0 ? 8 : 200))
      // Either a few marks shared by many transactions, or many marks shared by few.
      let marks = try (0..<1 + below(seed % 2 == 0 ? 4 : 60)).map { _ in
        try Self.mark(below(1 << 36))
      }
      var transactions = MarkedTransactions(countMax: countMax)
      var model = Model(countMax: countMax)
      var sequence = below(2) == 0 ? 0 : below(1 << 60)
      for step in 0..<600 {
        sequence += 1 + (below(20) == 0 ? below(1 << 30) : 0)
        let mark = marks[Int(below(UInt64(marks.count)))]
        transactions.append(sequence, with: mark)
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

  @Test func `a full table of marks keeps the last transactions`() throws {
    var transactions = MarkedTransactions()
    for number in 1...150_000 as ClosedRange<UInt64> {
      transactions.append(number * 3, with: try Self.mark(number))
    }
    #expect(transactions.count == 100_000)
    for number in [1, 50_000, 50_001, 100_000, 150_000, 150_001] as [UInt64] {
      let isRemembered = (50_001...150_000).contains(number)
      #expect(
        transactions.transactions(with: try Self.mark(number)) == (isRemembered ? [number * 3] : [])
      )
    }
  }

  @Test func `the mark of a key is independent of its Unicode spelling`() {
    for text in ["", "k", "caf\u{E9}", "a longer one, of some more than thirty-two bytes"] {
      for seed: UInt64 in [0, 1, .max] {
        let mark = KeyMark(of: text, seed: seed)
        let hash = XXH64.checksum(Array(text.utf8).span.bytes, seed: seed)
        #expect(mark.rawValue == (hash >> 43) << 15 | hash & 0x7FFF)
        #expect(KeyMark(rawValue: mark.rawValue) == mark)
      }
    }
    #expect(KeyMark(of: "cafe\u{301}", seed: 5) == KeyMark(of: "caf\u{E9}", seed: 5))
    #expect(KeyMark(of: "k", seed: 5) != KeyMark(of: "k", seed: 6))
    #expect(KeyMark(rawValue: 1 << 36 - 1) != nil && KeyMark(rawValue: 1 << 36) == nil)
  }
}
