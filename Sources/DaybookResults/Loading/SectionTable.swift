import DaybookStore

/// The keys of the sections that a load has found, and the number of rows of each section. Each key
/// is stored once. Sections are numbered in the order of their first rows.
///
/// A hash table with linear probing maps keys to numbers. At most half of its buckets are in use.
struct SectionTable {
  /// The key of each section, by its number.
  private(set) var keys = KeyArena()
  /// The number of rows of each section.
  private(set) var rowCounts: [UInt32] = []
  /// The buckets of the hash table. The low 32 bits contain the number of a section plus one, the
  /// high 32 bits the hash of its key. An empty bucket is 0.
  private var buckets = [UInt64](repeating: 0, count: 16)
  /// The seed of all hashes. The seed is random, so that stored data cannot be constructed to have
  /// colliding hashes.
  private let seed: UInt64

  init(seed: UInt64 = .random(in: 0 ... .max)) { self.seed = seed }

  /// The number of sections.
  var count: Int { rowCounts.count }

  /// Counts a row of a section, and returns the number of the section.
  ///
  /// - Complexity: O(*k*) on average for a key of *k* bytes
  mutating func add(_ key: RawSpan) -> UInt32 {
    let number = number(of: key)
    rowCounts[number] += 1
    return UInt32(number)
  }

  /// Returns the number of a key. A new key gets a new number.
  private mutating func number(of key: RawSpan) -> Int {
    let hash = hash(of: key)
    var bucket = Int(hash) & (buckets.count - 1)
    while buckets[bucket] != 0 {
      let number = Int(buckets[bucket] & 0xFFFF_FFFF) - 1
      if buckets[bucket] >> 32 == hash,
        keys.withBytes(of: number, body: { bytesAreEqual($0, and: key) })
      {
        return number
      }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    buckets[bucket] = hash << 32 | UInt64(count + 1)
    keys.append(key)
    rowCounts.append(0)
    if count * 2 > buckets.count { grow() }
    return count - 1
  }

  private mutating func grow() {
    var grown = [UInt64](repeating: 0, count: buckets.count * 2)
    for taken in buckets where taken != 0 {
      var bucket = Int(taken >> 32) & (grown.count - 1)
      while grown[bucket] != 0 { bucket = (bucket + 1) & (grown.count - 1) }
      grown[bucket] = taken
    }
    buckets = grown
  }

  /// Returns the numbers of all sections in the order of their keys.
  func inOrder() -> [Int] {
    var entries = (0..<count).map { RankEntry(0, value: UInt32($0)) }
    var room = entries
    var span = entries.mutableSpan
    var scratch = room.mutableSpan
    var sort = KeySort(keys)
    sort.sort(&span, in: span.indices, scratch: &scratch)
    return entries.map { Int($0.value) }
  }

  /// Returns the first eight bytes of the key of a section.
  func prefix(_ number: Int) -> UInt64 { keys.word(number, at: 0) }

  /// Returns the hash of a key, a number of 32 bits.
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
    // Four reads, which may overlap, cover all bytes of a key of 4 to 16 bytes. The reads need no
    // branch on the length, which a processor cannot predict well.
    func half(_ offset: Int) -> UInt64 { UInt64(key.number(at: offset, as: UInt32.self) ?? 0) }
    let step = (count >> 3) << 2
    hash = SectionTable.mixed(hash ^ (half(0) << 32 | half(step)))
    return SectionTable.mixed(hash ^ (half(count - 4) << 32 | half(count - 4 - step))) >> 32
  }

  /// Returns the exclusive or of both halves of the product of a number and a constant. Every bit
  /// of the result depends on many bits of the number.
  @inline(__always)
  private static func mixed(_ number: UInt64) -> UInt64 {
    let product = number.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return product.high ^ product.low
  }
}
