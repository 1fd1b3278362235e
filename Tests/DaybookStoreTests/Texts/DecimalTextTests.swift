import DaybookSimulation
import FoundationEssentials
import Testing

@testable import DaybookStore

@Suite struct `Decimal strings` {
  @Test(
    arguments: [
      ("0", "0"), ("-0", "0"), ("0.00", "0"), ("1", "1"), ("-1.50", "-1.5"), ("100", "100"),
      ("0.001", "0.001"), ("1e3", "1000"), ("1E+3", "1000"), ("12.5e-3", "0.0125"),
      ("0e99999999999999999999", "0"), ("12345678901234567890.123", "12345678901234567890.123"),
      ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
      ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
      ("-0.340282366920938463463374607431768211455", "-0.340282366920938463463374607431768211455"),
      ("18446744073709551615", "18446744073709551615"),
      ("18446744073709551616", "18446744073709551616"),
      ("1e165", "1" + String(repeating: "0", count: 165)),
      ("1e-128", "0." + String(repeating: "0", count: 127) + "1"),
      ("100e-130", "0." + String(repeating: "0", count: 127) + "1"),
      ("0.000000000000000000000000000000000000000000000000000000000000000001e66", "1"),
      ("NaN", "NaN"),
    ])
  func `decimal strings are exact, without exponents and trailing zeros`(
    _ text: String, _ expected: String
  )
    throws
  {
    let decimal = try DecimalText.decimal(text)
    #expect(DecimalText.text(of: decimal) == expected)
    #expect(decimal.description == expected)
    #expect(PackedDecimal(try DecimalText.decimal(expected)) == PackedDecimal(decimal))
  }

  @Test(
    arguments: [
      ("", 0, "expected a digit of a number, found the end."),
      ("-", 1, "expected a digit of a number, found the end."),
      ("+1", 0, "expected a digit of a number, found '+'."),
      (".5", 0, "expected a digit of a number, found '.'."),
      ("5.", 2, "expected a digit after the point, found the end."),
      ("007", 0, "a number has no leading zeros."),
      ("1e", 2, "expected a digit of the exponent, found the end."),
      ("1,5", 1, "expected the end of the number, found ','."),
      ("1 ", 1, "expected the end of the number, found U+0020."),
      ("nan", 0, "expected a digit of a number, found 'n'."),
      ("Infinity", 0, "expected a digit of a number, found 'I'."),
      (
        "340282366920938463463374607431768211456", 0,
        "a decimal has at most 38 digits, not 39."
      ),
      (
        "0.01234567890123456789012345678901234567891", 3,
        "a decimal has at most 38 digits, not 40."
      ),
      ("1e-129", 0, "a decimal has at most 128 digits after the point."),
      (
        "1e166", 0,
        "the decimal is out of range; the limit is 340282366920938463463374607431768211455e127."
      ),
      (
        "1e99999999999999999999999", 0,
        "the decimal is out of range; the limit is 340282366920938463463374607431768211455e127."
      ),
    ])
  func `a string that is no decimal is refused with a message`(
    _ text: String, _ offset: Int, _ sentence: String
  ) {
    let error = #expect(throws: TextError.self) { try DecimalText.decimal(text) }
    #expect(error?.sentence == sentence)
    #expect(error?.scalarOffset == offset)
  }

  /// Returns decimals of all lengths and powers, made by Foundation alone.
  private func decimals(_ count: Int, seed: UInt64) -> [Decimal] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { round in
      var decimal = Decimal(generator.next() >> (generator.next() % 64))
      if round % 3 == 0 { decimal *= Decimal(generator.next() >> (generator.next() % 64)) }
      let exponent =
        round % 7 == 0 ? Int(generator.next() % 200) - 100 : Int(generator.next() % 20) - 12
      decimal = Decimal(
        sign: generator.next() % 2 == 0 ? .plus : .minus, exponent: exponent, significand: decimal)
      return decimal
    } + [0, 1, -1, 10, .nan, .greatestFiniteMagnitude, .leastFiniteMagnitude, .pi]
      + [.leastNonzeroMagnitude, -.leastNonzeroMagnitude, Decimal(string: "1.00") ?? 0]
      // Equal numbers of integer digits that no common power of ten fits into 128 bits.
      + ["340282366920938463463374607431768211455", "4e38", "1e38"].compactMap {
        Decimal(string: $0)
      }
  }

  @Test func `decimal strings equal those of Foundation and read back`() throws {
    for decimal in decimals(4_000, seed: 41) {
      let text = DecimalText.text(of: decimal)
      #expect(text == decimal.description)
      let back = try DecimalText.decimal(text)
      #expect(back == decimal || decimal.isNaN && back.isNaN)
      if !decimal.isNaN {
        #expect(Decimal(string: text) == decimal)
        #expect(back - decimal == 0)
        #expect(back.exponent == decimal.exponent || !decimal.isCanonical || decimal == 0)
      }
    }
  }

  @Test func `sums of decimals that were read equal those of Foundation`() throws {
    let sum = try DecimalText.decimal("0.1") + DecimalText.decimal("0.20")
    #expect(try sum == DecimalText.decimal("0.3"))
    let product = try DecimalText.decimal("18446744073709551616") * DecimalText.decimal("-4e-3")
    #expect(DecimalText.text(of: product) == "-73786976294838206.464")
  }

  @Test func `equal decimals are packed into equal bytes`() throws {
    for (one, other) in [("1.0", "1.00"), ("100", "1e2"), ("-0", "0"), ("2.50", "25e-1")] {
      let (one, other) = (Decimal(string: one), try DecimalText.decimal(other))
      #expect(one.map { PackedDecimal($0) } == PackedDecimal(other))
      #expect(one.map { PackedDecimal($0).bytes } == PackedDecimal(other).bytes)
    }
    let five = Decimal(sign: .plus, exponent: -3, significand: Decimal(5000))
    #expect(PackedDecimal(five).bytes == PackedDecimal(5).bytes)
    #expect(PackedDecimal(.nan).bytes == Array(repeating: 0, count: 17) + [2, 0, 0])
  }

  @Test func `trailing zeros are packed into the exponent, up to its maximum`()
    throws
  {
    let ten = PackedDecimal(low: 10, high: 0, tail: 128 + 126)
    #expect(try PackedDecimal(ten.decimal) == PackedDecimal(DecimalText.decimal("1e127")))
    #expect(PackedDecimal(ten.decimal) == PackedDecimal(low: 1, high: 0, tail: 128 + 127))
    let hundred = PackedDecimal(low: 100, high: 0, tail: 128 + 126)
    #expect(PackedDecimal(hundred.decimal) == PackedDecimal(low: 10, high: 0, tail: 128 + 127))
    #expect(try PackedDecimal(hundred.decimal) == PackedDecimal(DecimalText.decimal("1e128")))
  }

  @Test func `unused mantissa words count as they do for Foundation`() {
    var decimal = Decimal(5)
    withUnsafeMutableBytes(of: &decimal) { $0[8] = 7 }
    #expect(decimal == Decimal(7 << 32 + 5))
    #expect(PackedDecimal(decimal) == PackedDecimal(Decimal(7 << 32 + 5)))
    #expect(DecimalText.text(of: decimal) == decimal.description)
  }

  @Test func `packed decimals are lossless and in numeric order`() {
    let decimals = decimals(300, seed: 42)
    let packed = decimals.map { PackedDecimal($0) }
    var wrong: [String] = []
    for (one, onePacked) in zip(decimals, packed) {
      let back = PackedDecimal(onePacked.bytes.span)
      #expect(back == onePacked)
      #expect(back.decimal == one || one.isNaN && back.decimal.isNaN)
      for (other, otherPacked) in zip(decimals, packed) {
        let isBefore = one.isNaN ? false : other.isNaN || one < other
        if PackedDecimal.isOrdered(onePacked, before: otherPacked) != isBefore
          || (onePacked == otherPacked) != (one == other || one.isNaN && other.isNaN)
        {
          wrong.append("\(one) and \(other)")
        }
      }
    }
    #expect(wrong == [])
  }

  @Test func `the bytes of order keys of decimals are in numeric order`() {
    let packed = decimals(150, seed: 43).map { PackedDecimal($0) }
    let keys = packed.map(\.orderKey)
    var wrong: [String] = []
    for (one, oneKey) in zip(packed, keys) {
      for (other, otherKey) in zip(packed, keys)
      where PackedDecimal.isOrdered(one, before: other)
        != oneKey.lexicographicallyPrecedes(otherKey) || (one == other) != (oneKey == otherKey)
      {
        wrong.append("\(one.decimal) and \(other.decimal)")
      }
    }
    #expect(wrong == [])
    #expect(keys.allSatisfy { $0.count == 20 })
  }

  @Test func `any 20 bytes can be unpacked as a decimal`() {
    var generator = SplitMix64(seed: 44)
    for round in 0..<5_000 {
      var bytes = (0..<20).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      if round % 2 == 0 { bytes.replaceSubrange(17..<20, with: [UInt8(round / 2 % 4), 0, 0]) }
      let decimal = PackedDecimal(bytes.span).decimal
      #expect(decimal.isNaN == (bytes[17] > 1 || bytes[18] > 0 || bytes[19] > 0))
      #expect(PackedDecimal(decimal).decimal == decimal || decimal.isNaN)
      #expect(DecimalText.text(of: decimal) == decimal.description)
      #expect(PackedDecimal(bytes.span).orderKey.count == 20)
    }
  }

  @Test func `any string is read as a decimal or refused`() throws {
    var generator = SplitMix64(seed: 45)
    let alphabet = Array("00123456789-+.eE".utf8)
    var compared = 0
    for _ in 0..<10_000 {
      let bytes = (0..<Int(generator.next() % 45)).map { _ in
        alphabet[Int(generator.next() % UInt64(alphabet.count))]
      }
      guard let decimal = try? DecimalText.decimal(bytes.span) else { continue }
      // Foundation does not read exponents above 127, even in a valid number.
      guard let expected = Decimal(string: String(decoding: bytes, as: UTF8.self)) else { continue }
      #expect(decimal == expected)
      compared += 1
    }
    #expect(compared > 100)
  }
}
