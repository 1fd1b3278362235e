/// The checksum of every frame, header, mark and derived file: XXH64, as specified by Yann Collet.
/// It is also a hash, for example for the words of indexes.
///
/// XXH64 is not a cryptographic hash. So the checksum detects damage by disks, cables and crashes,
/// but not changes by an adversary. CRC-32C was rejected because it has only 32 bits. With 64 bits,
/// wrong bytes practically never match by chance, and XXH64 is fast without special instructions.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// Returns the checksum of bytes for a seed.
  ///
  /// - Complexity: O(*n*)
  package static func checksum(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { checksum($0, seed: seed) }
  }

  // Before each load below, the code compares the offset with `count`. So no load is outside of the
  // bytes.
  private static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let count = bytes.count
    var offset = 0
    var hash: UInt64

    if count >= 32 {
      var lane1 = seed &+ prime1 &+ prime2
      var lane2 = seed &+ prime2
      var lane3 = seed
      var lane4 = seed &- prime1
      repeat {
        lane1 = round(lane1, with: word(bytes, at: offset))
        lane2 = round(lane2, with: word(bytes, at: offset &+ 8))
        lane3 = round(lane3, with: word(bytes, at: offset &+ 16))
        lane4 = round(lane4, with: word(bytes, at: offset &+ 24))
        offset &+= 32
      } while offset &+ 32 <= count
      hash =
        rotate(lane1, by: 1) &+ rotate(lane2, by: 7) &+ rotate(lane3, by: 12)
        &+ rotate(lane4, by: 18)
      hash = merge(hash, with: lane1)
      hash = merge(hash, with: lane2)
      hash = merge(hash, with: lane3)
      hash = merge(hash, with: lane4)
    } else {
      hash = seed &+ prime5
    }

    hash &+= UInt64(count)
    while offset &+ 8 <= count {
      hash ^= round(0, with: word(bytes, at: offset))
      hash = rotate(hash, by: 27) &* prime1 &+ prime4
      offset &+= 8
    }
    if offset &+ 4 <= count {
      let half = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      hash ^= UInt64(UInt32(littleEndian: half)) &* prime1
      hash = rotate(hash, by: 23) &* prime2 &+ prime3
      offset &+= 4
    }
    while offset < count {
      hash ^= UInt64(bytes[offset]) &* prime5
      hash = rotate(hash, by: 11) &* prime1
      offset &+= 1
    }

    hash ^= hash >> 33
    hash &*= prime2
    hash ^= hash >> 29
    hash &*= prime3
    return hash ^ hash >> 32
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, with input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, by: 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, with lane: UInt64) -> UInt64 {
    (hash ^ round(0, with: lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, by bits: UInt64) -> UInt64 {
    value << bits | value >> (64 &- bits)
  }
}
