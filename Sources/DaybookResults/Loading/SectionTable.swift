import DaybookStore

/// The keys of sections, each once, by numbers in the order in which they come, and how many rows each
/// section has.
///
/// A number stands in a table, in the place that the hash of its key says, or in the next one behind it
/// that was vacant. At most half of the places are taken.
struct SectionTable {
  /// The key of each section, by its number.
  private(set) var keys = KeyArena()
  /// How many rows each section has.
  private(set) var rowCounts: [UInt32] = []
  /// The number of a section, plus one, and above it 32 bits of the hash of its key; 0 if the place is
  /// vacant.
  private var places = [UInt64](repeating: 0, count: 16)
  /// Goes into each hash, so that nobody can choose keys that have the same.
  private let seed: UInt64

  init(seed: UInt64 = .random(in: 0 ... .max)) { self.seed = seed }

  /// How many sections there are.
  var count: Int { rowCounts.count }

  /// Counts a row of a section, and says which number that has.
  ///
  /// - Complexity: O(1), and the bytes of the key
  mutating func add(_ key: RawSpan) -> UInt32 {
    let number = number(of: key)
    rowCounts[number] += 1
    return UInt32(number)
  }

  /// The number of a key, which is a new one if it has none.
  private mutating func number(of key: RawSpan) -> Int {
    let hash = hash(of: key)
    var place = Int(hash) & (places.count - 1)
    while places[place] != 0 {
      let number = Int(places[place] & 0xFFFF_FFFF) - 1
      if places[place] >> 32 == hash,
        keys.withBytes(of: number, body: { bytesAreEqual($0, and: key) })
      {
        return number
      }
      place = (place + 1) & (places.count - 1)
    }
    places[place] = hash << 32 | UInt64(count + 1)
    keys.append(key)
    rowCounts.append(0)
    if count * 2 > places.count { grow() }
    return count - 1
  }

  private mutating func grow() {
    var grown = [UInt64](repeating: 0, count: places.count * 2)
    for taken in places where taken != 0 {
      var place = Int(taken >> 32) & (grown.count - 1)
      while grown[place] != 0 { place = (place + 1) & (grown.count - 1) }
      grown[place] = taken
    }
    places = grown
  }

  /// The numbers of all sections in the order of their keys.
  func inOrder() -> [Int] {
    var entries = (0..<count).map { RankEntry(0, value: UInt32($0)) }
    var room = entries
    var span = entries.mutableSpan
    var scratch = room.mutableSpan
    var sort = KeySort(keys)
    sort.sort(&span, in: span.indices, scratch: &scratch)
    return entries.map { Int($0.value) }
  }

  /// The first eight bytes of the key of a section.
  func prefix(_ number: Int) -> UInt64 { keys.word(number, at: 0) }

  /// The hash of a key, of 32 bits.
  @inline(__always)
  func hash(of key: RawSpan) -> UInt64 {
    let count = key.byteCount
    var hash = SectionTable.mixed(seed ^ UInt64(count))
    guard count <= 16 else {
      for offset in stride(from: 0, to: count - 8, by: 8) {
        hash = SectionTable.mixed(hash ^ key.word(at: offset))
      }
      return SectionTable.mixed(hash ^ key.word(at: count - 8)) >> 32
    }
    guard count >= 4 else {
      return SectionTable.mixed(hash ^ key.word(at: 0, byteCount: count)) >> 32
    }
    // Four loads for any of these lengths, as it is hard to foretell which one it is.
    func half(_ offset: Int) -> UInt64 { UInt64(key.number(at: offset, as: UInt32.self) ?? 0) }
    let step = (count >> 3) << 2
    hash = SectionTable.mixed(hash ^ (half(0) << 32 | half(step)))
    return SectionTable.mixed(hash ^ (half(count - 4) << 32 | half(count - 4 - step))) >> 32
  }

  /// Both halves of the product with an odd number that has as many ones as zeros.
  @inline(__always)
  private static func mixed(_ number: UInt64) -> UInt64 {
    let product = number.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return product.high ^ product.low
  }
}
