import DaybookStore
import Testing

@testable import DaybookResults

/// Words in keys where there may be none.
@Suite struct `Marked words` {
  /// The word of a number, as keys are in order.
  private func word(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }

  private func key(_ word: UInt64, isSigned: Bool) -> [UInt8] {
    var key = RowBuffer()
    MarkedWord(isSigned: isSigned).append(word, to: &key)
    return key.bytes
  }

  /// Words around each edge that there may be, in order.
  private static let words: [UInt64] = {
    let edges: [UInt64] = [
      0, 1 << 8, 1 << 55, 1 << 56, 1 << 63 - 1 << 55, 1 << 63, 1 << 63 + 1 << 55, .max,
    ]
    return Set(edges.flatMap { edge in (-2...2).map { edge &+ UInt64(bitPattern: $0) } }).sorted()
  }()

  @Test(arguments: [true, false])
  func `marked words sort like their words and decode to them`(isSigned: Bool) {
    let form = MarkedWord(isSigned: isSigned)
    let keys = Self.words.map { key($0, isSigned: isSigned) }
    for (one, next) in zip(keys, keys.dropFirst()) { #expect(compareBytes(one, next) == -1) }
    for (word, key) in zip(Self.words, keys) {
      #expect(form.word(of: key.span.bytes) == word)
      #expect(key.count == 1 + MarkedWord.byteCount(after: key[0]))
      // No value is before all of them.
      #expect(key[0] != 0)
    }
  }

  @Test func `a marked word of a middle value takes eight bytes`() {
    let edge: Int64 = 1 << 55
    let near = [-edge, -1, 0, 1, 255, 256, edge - 1].map { key(word($0), isSigned: true) }
    #expect(near.allSatisfy { $0.count == 8 })
    #expect([-edge - 1, edge, .min, .max].allSatisfy { key(word($0), isSigned: true).count == 9 })
    let counts: [UInt64] = [0, 1, 1 << 56 - 1, 1 << 56, .max]
    #expect(counts.map { key($0, isSigned: false).count } == [8, 8, 8, 9, 9])
  }

  @Test func `a marked word encodes an optional integer in both directions`() {
    for type in [ScalarType.int64, .uint64] {
      for isDescending in [false, true] {
        let part = OrderKeyPart(type, isDescending: isDescending, isOptional: true)
        let values = Self.words.map { word in
          type == .int64
            ? AttributeValue.int(Int64(bitPattern: word ^ 1 << 63)) : AttributeValue.uint(word)
        }
        var keys = [part.key(of: nil)] + values.map { part.key(of: $0) }
        for key in keys {
          for more: [UInt8] in [[], [0], [0xFF, 0xFF]] {
            #expect(part.end(in: (key + more).span.bytes, from: 0) == key.count)
          }
        }
        if isDescending { keys.reverse() }
        for (one, next) in zip(keys, keys.dropFirst()) { #expect(compareBytes(one, next) == -1) }
      }
    }
  }

  @Test func `sections of integers and ranges have names at all magnitudes`() throws {
    for number in [0, -1, 1 << 55 - 1, 1 << 55, -1 << 55, -1 << 55 - 1, .max, .min] as [Int64] {
      #expect(try sectionName(.value, .int64, .int(number)) == "\(number)")
      #expect(
        try sectionName(.range(width: 1), .int64, .int(number))
          == "[\(number), \(Int128(number) + 1))")
    }
    for number in [0, 1 << 56 - 1, 1 << 56, .max] as [UInt64] {
      #expect(try sectionName(.value, .uint64, .uint(number)) == "\(number)")
    }
  }
}
