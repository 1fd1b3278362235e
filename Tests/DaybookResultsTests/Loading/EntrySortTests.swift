@testable import DaybookSimulation
import Testing

@testable import DaybookResults

@Suite struct `Sorting entries by their keys` {
  /// Counts around each number of entries at which the algorithm changes.
  static let counts = [0, 1, 2, 3, 31, 32, 33, 34, 127, 128, 129, 255, 256, 257, 1000, 5000]
  static let greatCounts = [32_767, 32_768, 32_769, 70_000]

  enum Crowd: String, CaseIterable {
    case any, same, two, few, ascending, descending, nearlyAscending, low, high, middle
    /// All keys share the bits that are distributed first.
    case shared
    /// All share their highest bits but one.
    case outlier
    /// Half of them are beside each other, the others anywhere.
    case clustered

    func key(_ index: Int, of count: Int, _ generator: inout SplitMix64) -> UInt64 {
      let any = generator.next()
      return switch self {
      case .any: any
      case .same: 0x1234_5678_9ABC_DEF0
      case .two: any & 1 << 63
      case .few: (any % 50) << 40
      case .ascending: UInt64(index / 3) << 20
      case .descending: UInt64(count - index) << 20
      case .nearlyAscending: UInt64(index) << 20 ^ (any % 100 == 0 ? any >> 40 : 0)
      case .low: any >> 52
      case .high: any & 0xFFF << 52
      case .middle: any & 0x0000_0FFF_F000_0000 | 0xA000_0000_0000_000A
      case .shared: (any & 3) << 62 | any & 0xFFFF
      case .outlier: index == count / 2 ? any | 1 << 63 : any >> 44
      case .clustered: any & 1 == 0 ? any : 0x7777_0000_0000_0000 | any >> 56
      }
    }
  }

  /// Compares the order of a number of entries with a simple model.
  private func hold(_ crowd: Crowd, _ count: Int) {
    var generator = SplitMix64(seed: UInt64(count))
    let entries = (0..<count).map {
      RankEntry(crowd.key($0, of: count, &generator), value: UInt32($0))
    }
    var sorted = entries
    EntrySort.sort(&sorted)
    // The value is the place that an entry had.
    let expected = entries.sorted { ($0.key, $0.value) < ($1.key, $1.value) }
    #expect(sorted == expected, "\(count) entries of the crowd \(crowd)")
  }

  @Test(arguments: Crowd.allCases)
  func `the sort is stable for any keys`(_ crowd: Crowd) {
    for count in Self.counts { hold(crowd, count) }
  }

  @Test(arguments: [Crowd.any, .few, .shared])
  func `the sort is stable for large counts`(_ crowd: Crowd) {
    for count in Self.greatCounts { hold(crowd, count) }
  }

  @Test func `sorting a range leaves the entries outside it unchanged`() {
    var generator = SplitMix64(seed: 1)
    for count in [2, 20, 200, 2000] {
      let entries = (0..<count + 20).map { RankEntry(generator.next(), value: UInt32($0)) }
      let range = 7..<7 + count
      var sorted = entries
      var room = [RankEntry](repeating: RankEntry(0, value: 0), count: count)
      var span = sorted.mutableSpan
      var scratch = room.mutableSpan
      EntrySort.sort(&span, in: range, scratch: &scratch)
      #expect(sorted[..<7] == entries[..<7])
      #expect(sorted[range] == entries[range].sorted { $0.key < $1.key }[...])
      #expect(sorted[range.upperBound...] == entries[range.upperBound...])
    }
  }
}
