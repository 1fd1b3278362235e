import DaybookJournal
import DaybookStore
import FoundationEssentials

/// Values with equal words in the indexes, found by inverting the hashes.
enum Collision {
  /// Returns the identifier of a badge that has the index word of a team.
  static func badge(likeTeam number: Int64) -> UUID {
    let addend: UInt64 = 0x9E37_79B9_7F4A_7C15
    func start(_ entity: String) -> UInt64 {
      SlotHash.hash(XXH64.checksum(Array(entity.utf8).span.bytes, seed: 0) &+ addend)
    }
    let team = SlotHash.hash(near: UInt64(bitPattern: number))
    let badge = start("Badge") ^ start("Team") ^ team
    let first: UInt64 = 5
    let second = unmixed(badge) ^ SlotHash.hash(first &+ addend)
    return UUID(
      uuid: unsafeBitCast((first.littleEndian, second.littleEndian), to: uuid_t.self))
  }

  /// Returns a value of one integer attribute that has the index word of a value of another, where
  /// each attribute is a unique list.
  static func value(of attribute: String, like value: Int64, of other: String, in entity: String)
    -> Int64
  {
    func seed(_ name: String) -> UInt64 {
      var buffer = RowBuffer()
      buffer.appendString(entity)
      buffer.appendString(name)
      return XXH64.checksum(buffer.bytes.span.bytes, seed: 0)
    }
    var bytes = RowBuffer()
    bytes.append(value)
    let word = XXH64.checksum(bytes.bytes.span.bytes, seed: seed(other))
    return Int64(bitPattern: eightBytes(checkedTo: word, seed: seed(attribute)))
  }

  /// Returns the number that ``SlotHash/hash(_:)`` maps to a hash.
  private static func unmixed(_ hash: UInt64) -> UInt64 {
    var number = hash ^ hash >> 31 ^ hash >> 62
    number = number &* inverse(0x94D0_49BB_1331_11EB)
    number = number ^ number >> 27 ^ number >> 54
    number = number &* inverse(0xBF58_476D_1CE4_E5B9)
    return number ^ number >> 30 ^ number >> 60
  }

  /// Returns the eight bytes with a given XXH64 checksum.
  private static func eightBytes(checkedTo checksum: UInt64, seed: UInt64) -> UInt64 {
    let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
    var hash = (checksum ^ checksum >> 32) &* inverse(prime3)
    hash = (hash ^ hash >> 29 ^ hash >> 58) &* inverse(prime2)
    hash ^= hash >> 33
    hash = rotatedRight((hash &- prime4) &* inverse(prime1), 27)
    let round = hash ^ (seed &+ prime5 &+ 8)
    return rotatedRight(round &* inverse(prime1), 31) &* inverse(prime2)
  }

  private static func rotatedRight(_ number: UInt64, _ count: UInt64) -> UInt64 {
    number >> count | number << (64 - count)
  }

  /// Returns the inverse of an odd number modulo 2^64. Newton's method doubles the correct bits
  /// each time.
  private static func inverse(_ odd: UInt64) -> UInt64 {
    var inverse = odd
    for _ in 0..<6 { inverse = inverse &* (2 &- odd &* inverse) }
    return inverse
  }
}
