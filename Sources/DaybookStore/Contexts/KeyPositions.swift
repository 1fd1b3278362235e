/// A hash table from the keys of records to their positions in a list of the caller. The table
/// contains hashes but no keys; the caller compares the key at a position.
///
/// The table uses open addressing, with eight bytes for each entry. At least half of its entries
/// are vacant. A dictionary would store whole keys and values in hash order, so in a large one most
/// accesses miss the processor's cache. Here the caller's list stores them in their own order, and
/// only the small entries are in hash order. Up to four positions are stored without a table,
/// because most lists have one or two keys.
package struct KeyPositions {
  package init() {}

  /// The first entries, until the table exists.
  private var first: InlineArray<4, UInt64> = [0, 0, 0, 0]
  /// The entries: the hash in the upper 32 bits, and the position plus one in the lower 32 bits;
  /// zero for a vacant entry.
  private var table: [UInt64] = []
  /// The number of stored positions.
  private var count = 0

  /// A random seed, which prevents an attacker from choosing identifiers that collide.
  private static let seed = UInt64.random(in: 0...UInt64.max)

  /// Returns the hash of a key.
  @inline(__always)
  package static func hash(_ key: EntityKey) -> UInt32 {
    let seed = seed ^ UInt64(truncatingIfNeeded: key.entity).byteSwapped
    let hash =
      switch key.id {
      case .int(let number): SlotHash.hash(UInt64(bitPattern: number) ^ seed)
      case .uint(let number): SlotHash.hash(number ^ seed)
      case .string, .uuid: SlotHash.hash(UInt64(bitPattern: Int64(key.id.hashValue)) ^ seed)
      }
    return UInt32(truncatingIfNeeded: hash)
  }

  /// Returns the position of a key; nil if none was added.
  ///
  /// - Parameter exists: A closure that returns whether the caller's list has the key at a
  ///   position.
  /// - Complexity: O(1) on average
  @inline(__always)
  package func position(_ hash: UInt32, where exists: (Int) -> Bool) -> Int? {
    if table.isEmpty { return firstPosition(hash, where: exists) }
    let mask = table.count - 1
    var index = Int(hash) & mask
    while table[index] != 0 {
      let entry = table[index]
      if KeyPositions.hash(entry) == hash, exists(KeyPositions.position(entry)) {
        return KeyPositions.position(entry)
      }
      index = (index + 1) & mask
    }
    return nil
  }

  @inline(__always)
  private func firstPosition(_ hash: UInt32, where exists: (Int) -> Bool) -> Int? {
    for index in 0..<count where KeyPositions.hash(first[index]) == hash {
      let position = KeyPositions.position(first[index])
      if exists(position) { return position }
    }
    return nil
  }

  /// Adds a position for a key.
  ///
  /// - Complexity: O(1) on average
  package mutating func add(_ hash: UInt32, at position: Int) {
    precondition(
      position >= 0 && position < UInt32.max, "the position of a key is out of range: \(position)")
    let entry = UInt64(hash) << 32 | UInt64(position + 1)
    if table.isEmpty, count < first.count {
      first[count] = entry
    } else {
      if (count + 1) * 2 > table.count { grow() }
      put(entry)
    }
    count += 1
  }

  /// Removes a position of a key.
  ///
  /// - Precondition: The position was added.
  /// - Complexity: O(1) on average
  package mutating func remove(_ hash: UInt32, at position: Int) {
    let entry = UInt64(hash) << 32 | UInt64(position + 1)
    count -= 1
    guard !table.isEmpty else {
      var index = 0
      while first[index] != entry { index += 1 }
      first[index] = first[count]
      return
    }
    let mask = table.count - 1
    var hole = Int(hash) & mask
    while table[hole] != entry { hole = (hole + 1) & mask }
    var index = (hole + 1) & mask
    while table[index] != 0 {
      // A later entry moves into the hole, so that a search does not end there too early. An entry
      // whose search starts after the hole must stay.
      let distance = (index - Int(KeyPositions.hash(table[index]))) & mask
      if distance >= (index - hole) & mask {
        table[hole] = table[index]
        hole = index
      }
      index = (index + 1) & mask
    }
    table[hole] = 0
  }

  package mutating func removeAll(keepingCapacity keepsCapacity: Bool) {
    // A large table is released. Otherwise it would stay large, and each clearing would take time
    // in proportion to its size.
    if keepsCapacity, table.count <= 64 {
      for index in table.indices { table[index] = 0 }
    } else {
      table = []
    }
    count = 0
  }

  private mutating func grow() {
    let old = table
    table = Array(repeating: 0, count: max(16, old.count * 2))
    if old.isEmpty { for index in 0..<count { put(first[index]) } }
    for entry in old where entry != 0 { put(entry) }
  }

  private mutating func put(_ entry: UInt64) {
    let mask = table.count - 1
    var index = Int(KeyPositions.hash(entry)) & mask
    while table[index] != 0 { index = (index + 1) & mask }
    table[index] = entry
  }

  private static func hash(_ entry: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: entry >> 32) }
  private static func position(_ entry: UInt64) -> Int { Int(entry & 0xFFFF_FFFF) - 1 }
}
