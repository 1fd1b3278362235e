@testable import DaybookSimulation
import DaybookStore
import FoundationEssentials
import Testing

@testable import DaybookResults

@Suite struct `Ranges of numbers` {
  /// The two bounds that a name tells.
  private func bounds(_ name: String) throws -> (lower: String, upper: String) {
    #expect(name.first == "[" && name.last == ")")
    let parts = name.dropFirst().dropLast().split(separator: " ")
    try #require(parts.count == 2 && parts[0].last == ",")
    return (String(parts[0].dropLast()), String(parts[1]))
  }

  /// Values in order have keys in order, and one key means one name.
  private func expectOrder(
    _ kind: SectionKind, _ type: ScalarType, _ values: [AttributeValue]
  ) throws {
    let model = OrderModel()
    let sorted = values.sorted { model.compare($0, $1) < 0 }
    for isDescending in [false, true] {
      let section = try SectionKey(kind, of: .scalar(type), isDescending: isDescending)
      for (one, other) in zip(sorted, sorted.dropFirst()) {
        let (key, next) = (section.key(of: one, type), section.key(of: other, type))
        let found = compareBytes(key, next)
        #expect(found == 0 || found == (isDescending ? 1 : -1), "\(one) and \(other)")
        let isSame = section.name(of: one, type) == section.name(of: other, type)
        #expect((found == 0) == isSame, "\(one) and \(other)")
      }
    }
  }

  @Test(arguments: [ScalarType.int8, .int32, .int64, .uint8, .uint64])
  func `a section's range contains its integers and has the width`(_ type: ScalarType) throws {
    for width in [1, 2, 3, 7, 10, 1000, 1 << 40, .max] as [Int] {
      let values = ValueCrowds.values(type, seed: UInt64(width))
      let section = try SectionKey(.range(width: .integer(width)), of: .scalar(type))
      for value in values {
        let (lower, upper) = try bounds(section.name(of: value, type))
        let number: Int128 =
          switch value {
          case .int(let number): Int128(number)
          case .uint(let number): Int128(number)
          default: 0
          }
        let (from, to) = (try #require(Int128(lower)), try #require(Int128(upper)))
        #expect(from <= number && number < to && to - from == width && from % Int128(width) == 0)
      }
      try expectOrder(.range(width: .integer(width)), type, values)
    }
  }

  @Test(arguments: [ScalarType.double, .float])
  func `a section's range contains its floats and overlaps no other`(_ type: ScalarType) throws {
    let widths = [
      10, 1, 0.1, 0.3, 1e-3, 7e5, 1e30, type == .float ? 1e38 : 1e308,
      type == .float ? Double(Float.leastNonzeroMagnitude) : .leastNonzeroMagnitude, .pi,
    ]
    var generator = SplitMix64(seed: 81)
    for width in widths {
      // Near the bounds, where rounding decides.
      let near = (0..<60).map { round in
        let number = (Double(generator.below(1 << 20)) - 300_000) * width
        return round % 3 == 0 ? number : round % 3 == 1 ? number.nextUp : number.nextDown
      }
      let values: [AttributeValue] =
        ValueCrowds.values(type, seed: 91)
        + near.map { type == .float ? .float(Float($0)) : .double($0) }
      let section = try SectionKey(.range(width: .double(width)), of: .scalar(type))
      var finite: [AttributeValue] = []
      for value in values {
        let number: Double =
          switch value {
          case .double(let number): number
          case .float(let number): Double(number)
          default: 0
          }
        let name = section.name(of: value, type)
        guard number.isFinite else {
          #expect(name == NumberText.text(of: number))
          continue
        }
        finite.append(value)
        let (lower, upper) = try bounds(name)
        let from =
          type == .float ? Double(try NumberText.float(lower)) : try NumberText.double(lower)
        let to = type == .float ? Double(try NumberText.float(upper)) : try NumberText.double(upper)
        #expect(from <= number && number < to, "\(value) in \(name)")
        for bound in [from, to] where bound.isFinite {
          // The next range begins where this one ends.
          let same = section.name(
            of: type == .float ? .float(Float(bound)) : .double(bound), type)
          #expect(try bounds(same).lower == (bound == from ? lower : upper), "\(bound) in \(same)")
        }
      }
      try expectOrder(.range(width: .double(width)), type, finite)
    }
  }

  @Test func `hundredths lie in the ranges that whole numbers of them do`() throws {
    for width in [1, 5, 25, 30, 100, 333] as [Int] {
      let decimalWidth = Decimal(width) / 100
      let section = try SectionKey(.range(width: .decimal(decimalWidth)), of: .scalar(.decimal))
      for hundredths in -700...700 {
        let number = Int((Double(hundredths) / Double(width)).rounded(.down))
        let lower = DecimalText.text(of: Decimal(number * width) / 100)
        let upper = DecimalText.text(of: Decimal((number + 1) * width) / 100)
        #expect(
          section.name(of: .decimal(Decimal(hundredths) / 100), .decimal) == "[\(lower), \(upper))")
      }
    }
  }

  @Test func `a decimal lies in the range of its name, however far`() throws {
    let widths = [
      "1", "0.1", "7", "1e-128", "3e-128", "1e127", "99999999999999999999999999999999999999",
      "0.25",
    ]
    let texts = LongTexts()
    for width in widths {
      let kind = SectionKind.range(width: .decimal(try DecimalText.decimal(width)))
      let section = try SectionKey(kind, of: .scalar(.decimal))
      let values = ValueCrowds.values(.decimal, seed: 101)
      for value in values {
        guard case .decimal(let number) = value, !number.isNaN else { continue }
        let (lower, upper) = try bounds(section.name(of: value, .decimal))
        let text = DecimalText.text(of: number)
        #expect(
          texts.compare(lower, text) <= 0 && texts.compare(text, upper) < 0, "\(number) \(width)")
      }
      try expectOrder(kind, .decimal, values)
    }
  }

  /// Compares decimals in their texts.
  private struct LongTexts {
    func compare(_ one: String, _ other: String) -> Int {
      let (negative, otherNegative) = (one.hasPrefix("-"), other.hasPrefix("-"))
      if negative != otherNegative { return negative ? -1 : 1 }
      let found = compareMagnitudes(one.drop { $0 == "-" }, other.drop { $0 == "-" })
      return negative ? -found : found
    }

    private func compareMagnitudes(_ one: Substring, _ other: Substring) -> Int {
      let (whole, otherWhole) = (one.prefix { $0 != "." }, other.prefix { $0 != "." })
      if whole.count != otherWhole.count { return whole.count < otherWhole.count ? -1 : 1 }
      return one == other ? 0 : one < other ? -1 : 1
    }
  }
}

@Suite struct `Decimals of any length` {
  @Test func `sums are those of whole numbers`() {
    for one in [-1005, -100, -99, -7, 0, 1, 5, 95, 100, 999] {
      for other in [-1000, -101, -95, -1, 0, 3, 5, 101, 905] {
        let sum = long(one) + long(other)
        #expect(sum == long(one + other))
        #expect(sum.text == "\(one + other)")
        #expect((-sum).text == "\(-one - other)")
      }
    }
    #expect(
      (LongDecimal(1, exponent: 40) + LongDecimal(1, exponent: -2)).text == "1"
        + String(repeating: "0", count: 40) + ".01")
  }

  private func long(_ number: Int) -> LongDecimal {
    LongDecimal(isNegative: number < 0, UInt128(number.magnitude), exponent: 0)
  }

  @Test func `the bytes are in order, and are those that are drawn`() {
    let numbers = [-1000, -999, -100, -12, -11, -10, -9, -1, 0, 1, 9, 10, 11, 12, 100, 999, 1000]
    let keys = numbers.map { long($0).orderBytes }
    expectOrder(of: numbers, keys: keys) { $0 < $1 ? -1 : $0 > $1 ? 1 : 0 }
    for (number, key) in zip(numbers, keys) {
      #expect(LongDecimal(orderBytes: key) == long(number))
    }
    #expect(hex(long(12).orderBytes) == "03 80 02 02 03 00")
    #expect(hex(long(-12).orderBytes) == "01 7F FD FD FC FF")
    #expect(hex(long(0).orderBytes) == "02")
    #expect(hex(LongDecimal(5, exponent: -3).orderBytes) == "03 7F FE 06 00")
    #expect(LongDecimal(5, exponent: -3).text == "0.005")
    #expect(LongDecimal(125, exponent: -2).text == "1.25")
  }
}
