/// The last transactions that were saved with a key, found by the marks of their keys.
///
/// It keeps at most 15 bytes of each, if they are 64 or more: eight in a ring, from the oldest to the newest, and four in an open table of
/// places in the ring, a quarter of which is vacant.
package struct MarkedTransactions: Sendable {
  /// Each the lowest bits of a transaction's number, and below them the home of its key's mark.
  private var ring: [UInt64] = []
  /// The newest transaction. No file is so long that others are more than 2^43 before it.
  private var newest: UInt64 = 0
  /// Where the oldest stands.
  private var origin = 0
  /// Each a place in the ring and one, and above it the check of the key's mark; zero where there is none.
  private var table: [UInt32] = []
  /// How many there is room for.
  private var room = 0
  /// How many are remembered.
  let countMax: Int
  /// The same of a store.
  package static let usualCountMax = 100_000

  private static let placeBitCount = 32 - KeyMark.checkBitCount
  private static let placeMask: UInt32 = 1 << placeBitCount - 1

  package init(countMax: Int = usualCountMax) {
    precondition(
      countMax > 0 && countMax <= MarkedTransactions.placeMask, "\(countMax) transactions with keys"
    )
    self.countMax = countMax
  }

  /// How many there are.
  package var count: Int { ring.count }

  /// How many bytes they take.
  package var byteCount: Int { ring.capacity * 8 + table.capacity * 4 }

  /// The transactions whose keys have a mark, the newest first.
  ///
  /// - Complexity: O(1) on average
  package func transactions(with mark: KeyMark) -> [UInt64] {
    guard !table.isEmpty else { return [] }
    var found: [UInt64] = []
    var index = firstIndex(for: mark.home)
    while table[index] != 0 {
      let (place, check) = MarkedTransactions.parts(of: table[index])
      if check == mark.check, home(at: place) == mark.home { found.append(sequence(at: place)) }
      index = self.index(after: index)
    }
    return found.sorted(by: >)
  }

  /// Adds the newest transaction, and forgets the oldest if there are too many.
  ///
  /// - Complexity: O(1) on average
  package mutating func append(_ sequence: UInt64, _ mark: KeyMark) {
    precondition(sequence > newest, "transaction \(sequence) after \(newest)")
    newest = sequence
    let entry = sequence << KeyMark.homeBitCount | mark.home
    let place: Int
    if ring.count == countMax {
      place = origin
      forget(at: place)
      ring[place] = entry
      origin = (origin + 1) % countMax
    } else {
      if ring.count == room { grow() }
      place = ring.count
      ring.append(entry)
    }
    put(MarkedTransactions.entry(place, mark.check))
  }

  /// Hands out all of them, the oldest first.
  package func forEach(_ body: (UInt64, KeyMark) -> Void) {
    var checks = [UInt32](repeating: 0, count: ring.count)
    for entry in table where entry != 0 {
      let (place, check) = MarkedTransactions.parts(of: entry)
      checks[place] = check
    }
    for offset in ring.indices {
      let place = (origin + offset) % ring.count
      body(sequence(at: place), KeyMark(home: home(at: place), check: checks[place]))
    }
  }

  // MARK: The ring

  private func sequence(at place: Int) -> UInt64 {
    newest - (newest &- ring[place] >> KeyMark.homeBitCount) & (.max >> KeyMark.homeBitCount)
  }
  private func home(at place: Int) -> UInt64 { ring[place] & (1 << KeyMark.homeBitCount - 1) }

  // MARK: The table

  private static func entry(_ place: Int, _ check: UInt32) -> UInt32 {
    check << placeBitCount | UInt32(place + 1)
  }

  private static func parts(of entry: UInt32) -> (place: Int, check: UInt32) {
    (Int(entry & placeMask) - 1, entry >> placeBitCount)
  }

  /// Where those of a home begin.
  private func firstIndex(for home: UInt64) -> Int {
    Int((home * UInt64(table.count)) >> KeyMark.homeBitCount)
  }

  private func index(after index: Int) -> Int { index + 1 == table.count ? 0 : index + 1 }

  /// How far it is from one index on to another.
  private func distance(from first: Int, to index: Int) -> Int {
    index >= first ? index - first : index - first + table.count
  }

  private mutating func put(_ entry: UInt32) {
    var index = firstIndex(for: home(at: MarkedTransactions.parts(of: entry).place))
    while table[index] != 0 { index = self.index(after: index) }
    table[index] = entry
  }

  /// Takes what stands at a place of the ring out of the table. Those behind it move up, so that nobody who looks for
  /// them ends where it was.
  private mutating func forget(at place: Int) {
    var hole = firstIndex(for: home(at: place))
    while MarkedTransactions.parts(of: table[hole]).place != place { hole = index(after: hole) }
    var index = index(after: hole)
    while table[index] != 0 {
      let first = firstIndex(for: home(at: MarkedTransactions.parts(of: table[index]).place))
      if distance(from: first, to: index) >= distance(from: hole, to: index) {
        table[hole] = table[index]
        hole = index
      }
      index = self.index(after: index)
    }
    table[hole] = 0
  }

  /// Makes room for an eighth more. To double it would leave half of it vacant at worst.
  private mutating func grow() {
    room = min(countMax, max(64, room + room / 8))
    ring.reserveCapacity(room)
    let old = table
    table = [UInt32](repeating: 0, count: (room * 4 + 2) / 3)
    for entry in old where entry != 0 { put(entry) }
  }
}
