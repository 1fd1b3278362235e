import DaybookJournal
import DaybookSimulation
import Testing

@testable import DaybookText

@Suite struct `Decompressing gzip` {
  /// Returns the decompressed bytes.
  ///
  /// - Parameter pieceByteCount: The number of bytes that are requested at a time.
  private func decoded(_ bytes: [UInt8], by pieceByteCount: Int = 1000) throws(GzipError) -> [UInt8]
  {
    var left = bytes[...]
    var reader = GzipReader { (memory) throws(DiskError) in
      let count = min(memory.count, left.count, 100)
      memory.copyBytes(from: left.prefix(count))
      left = left.dropFirst(count)
      return count
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 1)
    defer { memory.deallocate() }
    var result: [UInt8] = []
    while true {
      let count = try reader.read(into: memory)
      if count == 0 { return result }
      result += memory[..<count]
    }
  }

  private func sentence(_ bytes: [UInt8]) -> String {
    do {
      _ = try decoded(bytes)
      return "none"
    } catch {
      guard case .damaged(let sentence) = error else { return "disk" }
      return sentence
    }
  }

  @Test(arguments: [1, 7, 258, 65536]) func `files of zlib are decompressed in pieces of any size`(
    pieceByteCount: Int
  ) throws {
    let dynamic = try decoded(GzipSamples.bytes(GzipSamples.dynamic), by: pieceByteCount)
    #expect(String(decoding: dynamic, as: UTF8.self) == GzipSamples.text)
    let fixed = try decoded(GzipSamples.bytes(GzipSamples.fixed), by: pieceByteCount)
    #expect(
      String(decoding: fixed, as: UTF8.self)
        == String(repeating: "abcabcabcabc\n", count: 20))
    let stored = try decoded(GzipSamples.bytes(GzipSamples.stored), by: pieceByteCount)
    #expect(String(decoding: stored, as: UTF8.self) == "hello\nhello\nhello\n")
  }

  @Test func `several members are decompressed one after the other`() throws {
    let (one, other) = try (
      GzipSamples.bytes(GzipSamples.stored), GzipSamples.bytes(GzipSamples.dynamic)
    )
    #expect(try decoded(one + other + one) == decoded(one) + decoded(other) + decoded(one))
  }

  @Test func `every beginning of a file is an error`() throws {
    for sample in [GzipSamples.dynamic, GzipSamples.fixed, GzipSamples.stored] {
      let bytes = try GzipSamples.bytes(sample)
      for count in 0..<bytes.count {
        #expect(throws: GzipError.self) { try decoded(Array(bytes.prefix(count))) }
      }
    }
  }

  @Test func `every changed byte of the contents is an error`() throws {
    // The header of the fixed sample has ten bytes, of which some are ignored.
    let bytes = try GzipSamples.bytes(GzipSamples.fixed)
    let text = try decoded(bytes)
    for place in 10..<bytes.count {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        // The unused bits after the last block can have any value.
        if let decoded = try? decoded(damaged) { #expect(decoded == text) }
      }
    }
  }

  @Test(arguments: 0..<200) func `random bytes are decompressed or lead to an error`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    for _ in 0..<300 { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
    // The first bits select each kind of block.
    bytes[10] = bytes[10] & 0xF8 | UInt8(seed % 3) << 1
    _ = try? decoded(bytes)
  }

  @Test func `each kind of damage has its sentence`() throws {
    let bytes = try GzipSamples.bytes(GzipSamples.stored)
    func changed(_ place: Int, _ value: UInt8) -> String {
      var bytes = bytes
      bytes[place] = value
      return sentence(bytes)
    }
    func at(_ byte: Int, _ phrase: String) -> String {
      "the gzip data is damaged at byte \(byte): \(phrase)."
    }
    #expect(changed(0, 0) == at(1, "the header of a member is missing"))
    #expect(changed(2, 7) == at(3, "unknown method of compression"))
    #expect(changed(3, 0x80) == at(4, "unknown flags"))
    #expect(changed(10, 7) == at(10, "unknown kind of block"))
    #expect(changed(11, 9) == at(15, "the length of a block is wrong"))
    let count = bytes.count
    #expect(changed(20, 0) == at(count - 4, "the checksum is wrong"))
    #expect(changed(count - 1, 1) == at(count, "the length is wrong"))
    #expect(sentence(bytes.dropLast()) == at(count - 4, "it ends too early"))
    #expect(sentence(bytes + [0]) == at(count + 1, "the header of a member is missing"))
    var dynamic = try GzipSamples.bytes(GzipSamples.dynamic)
    dynamic[16] ^= 1
    #expect(sentence(dynamic) == at(30, "the checksum of the header is wrong"))
    let head = Array(bytes.prefix(10))
    // A block with the fixed codes: its first symbol copies from before the start.
    #expect(sentence(head + [0x03, 0x02, 0, 0]) == at(11, "a distance leads before the start"))
    // A block with codes of its own: 287 of them, or a code without symbols.
    #expect(sentence(head + [0xF5, 0, 0, 0]) == at(12, "too many codes"))
    #expect(sentence(head + [0x05] + [UInt8](repeating: 0, count: 20)) == at(13, "unknown code"))
  }
}
