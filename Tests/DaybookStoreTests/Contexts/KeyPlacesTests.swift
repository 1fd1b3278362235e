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
    var places = KeyPlaces()
    #expect(places.place(KeyPlaces.hash(key(0))) { _ in true } == nil)
    for number in 0..<2000 {
      places.add(KeyPlaces.hash(key(number)), at: number)
      keys.append(key(number))
      guard number % 100 < 3 else { continue }
      for place in keys.indices {
        #expect(places.place(KeyPlaces.hash(keys[place])) { keys[$0] == keys[place] } == place)
      }
      let other = key(number + 1)
      #expect(places.place(KeyPlaces.hash(other)) { keys[$0] == other } == nil)
    }
  }

  @Test(arguments: [1, 2, 4, 5, 50])
  func `the caller's closure distinguishes keys with equal hashes`(count: Int) {
    var places = KeyPlaces()
    for place in 0..<count { places.add(0xFFFF_FFFF, at: place) }
    for place in 0..<count { #expect(places.place(0xFFFF_FFFF) { $0 == place } == place) }
    var asked: [Int] = []
    let found = places.place(0xFFFF_FFFF) { place in
      asked.append(place)
      return false
    }
    #expect(found == nil)
    #expect(asked.sorted() == Array(0..<count))
    #expect(places.place(0) { _ in true } == nil)
  }

  @Test(arguments: [3, 12, 300])
  func `a key is found until its position is removed`(keyCount: Int) {
    var generator = SplitMix64(seed: UInt64(keyCount))
    var places = KeyPlaces()
    var known: [Int: Int] = [:]
    for step in 0..<2000 {
      let number = Int(generator.next() % UInt64(keyCount))
      // A quarter of the keys have the greatest possible hash, so that entries wrap around at the
      // end of a table.
      func hash(_ number: Int) -> UInt32 {
        number % 4 == 0 ? .max : KeyPlaces.hash(key(number))
      }
      if let place = known.removeValue(forKey: number) {
        places.remove(hash(number), at: place)
      } else {
        places.add(hash(number), at: step)
        known[number] = step
      }
      guard step % 50 == 0 else { continue }
      for number in 0..<keyCount {
        let found = places.place(hash(number)) { known[number] == $0 }
        #expect(found == known[number], "key \(number) after step \(step)")
      }
    }
  }

  @Test(arguments: [false, true], [3, 20])
  func `removing all keys leaves none, and new keys can be added`(
    keepsCapacity: Bool, count: Int
  ) {
    var places = KeyPlaces()
    for place in 0..<count { places.add(KeyPlaces.hash(key(place)), at: place) }
    places.removeAll(keepingCapacity: keepsCapacity)
    for place in 0..<count {
      #expect(places.place(KeyPlaces.hash(key(place))) { _ in true } == nil)
    }
    for place in 0..<count { places.add(KeyPlaces.hash(key(place)), at: count - 1 - place) }
    for place in 0..<count {
      let added = count - 1 - place
      #expect(places.place(KeyPlaces.hash(key(place))) { $0 == added } == added)
    }
  }
}
