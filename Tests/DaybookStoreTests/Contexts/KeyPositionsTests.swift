import DaybookSimulation
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `Positions of keys` {
  /// Returns a key; the kinds of identifiers alternate with the number.
  private func key(_ number: Int) -> EntityKey {
    let word = UInt64(number / 5)
    let words = (word.bigEndian, UInt64(number).byteSwapped)
    let id: RecordIdentifier =
      switch number % 5 {
      case 0: .int(Int64(number / 5))
      case 1: .int(-Int64(number))
      case 2: .uint(word)
      case 3: .string("record \(number)")
      default: .uuid(withUnsafeBytes(of: words) { UUID(uuid: $0.load(as: uuid_t.self)) })
      }
    return EntityKey(number % 3, id: id)
  }

  @Test func `a lookup finds each added key and no other`() {
    var keys: [EntityKey] = []
    var positions = KeyPositions()
    #expect(positions.position(KeyPositions.hash(key(0))) { _ in true } == nil)
    for number in 0..<2000 {
      positions.add(KeyPositions.hash(key(number)), at: number)
      keys.append(key(number))
      guard number % 100 < 3 else { continue }
      for position in keys.indices {
        #expect(
          positions.position(KeyPositions.hash(keys[position])) { keys[$0] == keys[position] }
            == position)
      }
      let other = key(number + 1)
      #expect(positions.position(KeyPositions.hash(other)) { keys[$0] == other } == nil)
    }
  }

  @Test(arguments: [1, 2, 4, 5, 50])
  func `the caller's closure distinguishes keys with equal hashes`(count: Int) {
    var positions = KeyPositions()
    for position in 0..<count { positions.add(0xFFFF_FFFF, at: position) }
    for position in 0..<count {
      #expect(positions.position(0xFFFF_FFFF) { $0 == position } == position)
    }
    var visited: [Int] = []
    let found = positions.position(0xFFFF_FFFF) { position in
      visited.append(position)
      return false
    }
    #expect(found == nil)
    #expect(visited.sorted() == Array(0..<count))
    #expect(positions.position(0) { _ in true } == nil)
  }

  @Test(arguments: [3, 12, 300])
  func `a key is found until its position is removed`(keyCount: Int) {
    var generator = SplitMix64(seed: UInt64(keyCount))
    var positions = KeyPositions()
    var known: [Int: Int] = [:]
    for step in 0..<2000 {
      let number = Int(generator.next() % UInt64(keyCount))
      // A quarter of the keys have the greatest possible hash, so that entries wrap around at the
      // end of a table.
      func hash(_ number: Int) -> UInt32 {
        number % 4 == 0 ? .max : KeyPositions.hash(key(number))
      }
      if let position = known.removeValue(forKey: number) {
        positions.remove(hash(number), at: position)
      } else {
        positions.add(hash(number), at: step)
        known[number] = step
      }
      guard step % 50 == 0 else { continue }
      for number in 0..<keyCount {
        let found = positions.position(hash(number)) { known[number] == $0 }
        #expect(found == known[number], "key \(number) after step \(step)")
      }
    }
  }

  @Test(arguments: [false, true], [3, 20])
  func `removing all keys leaves none, and new keys can be added`(
    keepsCapacity: Bool, count: Int
  ) {
    var positions = KeyPositions()
    for position in 0..<count { positions.add(KeyPositions.hash(key(position)), at: position) }
    positions.removeAll(keepingCapacity: keepsCapacity)
    for position in 0..<count {
      #expect(positions.position(KeyPositions.hash(key(position))) { _ in true } == nil)
    }
    for position in 0..<count {
      positions.add(KeyPositions.hash(key(position)), at: count - 1 - position)
    }
    for position in 0..<count {
      let added = count - 1 - position
      #expect(positions.position(KeyPositions.hash(key(position))) { $0 == added } == added)
    }
  }
}
