import DaybookSimulation
import Testing

@testable import DaybookStore

@Suite struct `Number strings` {
  @Test(
    arguments: [
      (1, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e16, "1e+16"), (.leastNonzeroMagnitude, "5e-324"),
      (.nan, "NaN"), (-.nan, "NaN"), (.signalingNaN, "NaN"), (.infinity, "Infinity"),
      (-.infinity, "-Infinity"),
    ] as [(Double, String)])
  func `a Double is written with a point or an exponent`(_ number: Double, _ text: String) throws {
    #expect(NumberText.text(of: number) == text)
    let back = try NumberText.double(text)
    #expect(back.bitPattern == number.bitPattern || back.isNaN && number.isNaN)
  }

  @Test func `Doubles and Floats survive writing and reading bit for bit`() throws {
    var generator = SplitMix64(seed: 61)
    for _ in 0..<5_000 {
      let double = Double(bitPattern: generator.next())
      let text = NumberText.text(of: double)
      #expect(try NumberText.double(text).bitPattern == double.bitPattern || double.isNaN)
      #expect(double.isNaN || !double.isFinite || text.contains(".") || text.contains("e"))
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      let short = NumberText.text(of: float)
      #expect(try NumberText.float(short).bitPattern == float.bitPattern || float.isNaN)
      #expect(float.isNaN || !float.isFinite || short.contains(".") || short.contains("e"))
    }
  }

  @Test func `a Float that is read is rounded once`() throws {
    // Halfway between two Floats except for the last digit, which exceeds the precision of a
    // Double.
    #expect(try NumberText.float("1.00000005960464477539062500000001") == Float(1).nextUp)
    #expect(try NumberText.float("1.000000059604644775390625") == 1)
  }

  @Test(
    arguments: [
      ("1e400", 0, "the number is out of range; the limit is 1.7976931348623157e+308."),
      ("-1e400", 0, "the number is out of range; the limit is 1.7976931348623157e+308."),
      ("0x10", 1, "expected the end of the number, found 'x'."),
      ("inf", 0, "expected a digit of a number, found 'i'."),
      ("01.5", 0, "a number has no leading zeros."),
      ("-infinity", 1, "expected a digit of a number, found 'i'."),
    ])
  func `a string that is no Double is refused with a message`(
    _ text: String, _ offset: Int, _ sentence: String
  ) {
    let error = #expect(throws: TextError.self) { try NumberText.double(text) }
    #expect(error?.sentence == sentence)
    #expect(error?.scalarOffset == offset)
  }

  @Test func `a string that is no Float is refused with a message`() {
    let error = #expect(throws: TextError.self) { try NumberText.float("3.5e38") }
    #expect(error?.sentence == "the number is out of range; the limit is 3.4028235e+38.")
  }

  @Test func `integers are read up to the limits of their width`() throws {
    for bits in [8, 16, 32, 64] {
      let (least, greatest) = (Int64.min >> (64 - bits), Int64.max >> (64 - bits))
      #expect(try NumberText.int64("\(least)", bits: bits) == least)
      #expect(try NumberText.int64("\(greatest)", bits: bits) == greatest)
      #expect(try NumberText.int64("-0", bits: bits) == 0)
      let last = UInt64.max >> UInt64(64 - bits)
      #expect(try NumberText.uint64("\(last)", bits: bits) == last)
      #expect(try NumberText.uint64("0", bits: bits) == 0)
      #expect(throws: TextError.self) { try NumberText.int64("\(last)", bits: bits) }
      #expect(throws: TextError.self) { try NumberText.uint64("\(least)", bits: bits) }
    }
  }

  @Test(
    arguments: [
      ("", 8, 0, "expected a digit of an integer, found the end."),
      ("-", 8, 1, "expected a digit of an integer, found the end."),
      ("+1", 8, 0, "expected a digit of an integer, found '+'."),
      ("1.0", 8, 1, "expected a digit or the end of an integer, found '.'."),
      ("1e2", 8, 1, "expected a digit or the end of an integer, found 'e'."),
      ("00", 8, 0, "an integer has no leading zeros."),
      ("-01", 8, 1, "an integer has no leading zeros."),
      ("128", 8, 0, "expected an integer of 8 bits, from -128 to 127."),
      ("-129", 8, 0, "expected an integer of 8 bits, from -128 to 127."),
      (
        "9223372036854775808", 64, 0,
        "expected an integer of 64 bits, from -9223372036854775808 to 9223372036854775807."
      ),
      (
        "100000000000000000000000", 64, 0,
        "expected an integer of 64 bits, from -9223372036854775808 to 9223372036854775807."
      ),
    ])
  func `a string that is no integer is refused with a message`(
    _ text: String, _ bits: Int, _ offset: Int, _ sentence: String
  ) {
    let error = #expect(throws: TextError.self) { try NumberText.int64(text, bits: bits) }
    #expect(error?.sentence == sentence)
    #expect(error?.scalarOffset == offset)
  }

  @Test func `unsigned integers have their own limits`() {
    let error = #expect(throws: TextError.self) { try NumberText.uint64("-1", bits: 16) }
    #expect(error?.sentence == "expected an integer of 16 bits, from 0 to 65535.")
  }
}
