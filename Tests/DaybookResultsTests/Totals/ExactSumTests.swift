import DaybookEssentials
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@testable import DaybookResults

extension PlainInteger {
  /// The number of units of 2⁻¹⁰⁷⁴ in a finite Double.
  fileprivate init(unitsOf number: Double) {
    let exponent = max(Int(number.exponentBitPattern), 1) - 1
    let digits = number.significandBitPattern | (number.exponentBitPattern == 0 ? 0 : 1 << 52)
    self = PlainInteger(isNegative: number < 0, UInt128(digits)).times(2, toThe: exponent)
  }

  /// The number of units of 10⁻¹²⁸ in a decimal.
  fileprivate init(unitsOf decimal: Decimal) {
    let packed = PackedDecimal(decimal)
    self = PlainInteger(
      isNegative: packed.tail & 256 != 0, UInt128(packed.high) << 64 | UInt128(packed.low)
    ).times(10, toThe: Int(packed.tail & 255))
  }
}

@Suite struct `Exact sums` {
  // MARK: Drawing numbers

  /// Doubles of about one magnitude, or of all magnitudes, with opposites among them.
  private func doubles(_ random: inout SplitMix64) -> [Double] {
    let isNarrow = random.below(2) == 0
    var numbers: [Double] = []
    for _ in 0...random.below(30) {
      let bits = random.next()
      let exponent =
        isNarrow
        ? 1000 + random.below(60) : random.below(2047)
      let fraction = random.below(3) == 0 ? 0 : bits & (1 << 52 - 1)
      let number = Double(
        sign: bits >> 63 == 0 ? .plus : .minus, exponentBitPattern: UInt(exponent),
        significandBitPattern: fraction)
      numbers.append(number)
      if random.below(4) == 0 { numbers.append(-number) }
      if random.below(9) == 0 { numbers.append(.leastNonzeroMagnitude) }
    }
    return numbers
  }

  private func decimals(_ random: inout SplitMix64) -> [Decimal] {
    let isNarrow = random.below(2) == 0
    var numbers: [Decimal] = []
    for _ in 0...random.below(20) {
      let digitCount = random.below(isNarrow ? 12 : 39)
      var text = random.below(2) == 0 ? "-" : ""
      for _ in 0...digitCount { text += "\(random.below(10))" }
      let exponent = isNarrow ? -2 : random.below(200) - 100
      guard let number = try? DecimalText.decimal("\(Self.plain(text))e\(exponent)") else {
        continue
      }
      numbers.append(number)
      if random.below(4) == 0 { numbers.append(-number) }
    }
    return numbers
  }

  /// Returns digits without zeros at the start, which a number cannot have.
  private static func plain(_ text: String) -> String {
    let digits = text.drop { $0 == "-" || $0 == "0" }
    return (text.hasPrefix("-") ? "-" : "") + (digits.isEmpty ? "0" : digits)
  }

  /// Returns the sum of numbers that are added in groups, which are merged.
  private func sum<Number>(
    _ numbers: [Number], _ base: ExactSum.Base, random: inout SplitMix64,
    add: (inout ExactSum, Number) -> Void
  ) -> ExactSum {
    var groups = (0...random.below(4)).map { _ in ExactSum(base) }
    for number in numbers { add(&groups[random.below(groups.count)], number) }
    var sum = ExactSum(base)
    for group in groups { sum.add(group) }
    return sum
  }

  // MARK: Laws

  @Test(arguments: 0..<UInt64(FaultRow.count(400, full: 20_000, least: 100)))
  func `the sum and the average of doubles are rounded once`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let numbers = doubles(&random)
    let sum = sum(numbers, .two, random: &random) { $0.add($1) }
    let exact = numbers.reduce(PlainInteger(0)) { $0 + PlainInteger(unitsOf: $1) }
    let counts = [1, 2, 3, numbers.count, Int(UInt32.max)]
    for count in counts {
      check(sum.double(dividedBy: count), isNearestTo: exact, over: UInt32(count), "seed \(seed)")
    }
  }

  /// Checks that no other Double is nearer to a quotient, and that the last bit is 0 if another one
  /// is as near.
  private func check(
    _ result: Double, isNearestTo exact: PlainInteger, over count: UInt32, _ what: String
  ) {
    let beyond =
      PlainInteger(unitsOf: Double.greatestFiniteMagnitude)
      + -PlainInteger(unitsOf: Double.greatestFiniteMagnitude.nextDown)
      + PlainInteger(unitsOf: Double.greatestFiniteMagnitude)
    func units(_ number: Double) -> PlainInteger {
      number.isInfinite ? (number < 0 ? -beyond : beyond) : PlainInteger(unitsOf: number)
    }
    let twice = exact + exact
    if result.isFinite || result > 0 {
      let below = (units(result) + units(result.nextDown)) * count
      #expect(below < twice || below == twice && isEven(result), "\(what): \(result)")
    }
    if result.isFinite || result < 0 {
      let above = (units(result) + units(result.nextUp)) * count
      #expect(twice < above || above == twice && isEven(result), "\(what): \(result)")
    }
  }

  private func isEven(_ number: Double) -> Bool { number.bitPattern & 1 == 0 }

  @Test(arguments: 0..<UInt64(FaultRow.count(400, full: 20_000, least: 100)))
  func `the sum of decimals is exact, or no decimal is equal to it`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let numbers = decimals(&random)
    let sum = sum(numbers, .ten, random: &random) { $0.add(PackedDecimal($1)) }
    let exact = numbers.reduce(PlainInteger(0)) { $0 + PlainInteger(unitsOf: $1) }
    if let decimal = sum.decimal {
      #expect(PlainInteger(unitsOf: decimal) == exact, "seed \(seed): \(decimal)")
      return
    }
    var (rest, exponent) = (exact, -128)
    while !rest.isZero, rest.divided(by: 10).remainder == 0 {
      rest = rest.divided(by: 10).quotient
      exponent += 1
    }
    #expect(rest.magnitude > PlainInteger(.max) || exponent > 127, "seed \(seed): \(rest)")
  }

  @Test(arguments: 0..<UInt64(FaultRow.count(400, full: 20_000, least: 100)))
  func `the average of decimals is rounded once to 38 digits`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let numbers = decimals(&random)
    let sum = sum(numbers, .ten, random: &random) { $0.add(PackedDecimal($1)) }
    let exact = numbers.reduce(PlainInteger(0)) { $0 + PlainInteger(unitsOf: $1) }
    for count in [1, 2, 3, 7, numbers.count + 1, Int(UInt32.max)] {
      let average = PlainInteger(unitsOf: try #require(sum.decimal(dividedBy: count)))
      let digitCount = exact.divided(by: UInt32(count)).quotient.digitCount
      let unit = PlainInteger(1).times(10, toThe: max(0, digitCount - 38))
      let error = (exact + -(average * UInt32(count))).magnitude
      let (twice, most) = (error + error, unit * UInt32(count))
      #expect(twice <= most, "seed \(seed): \(numbers) over \(count)")
      var last = average
      for _ in 0..<max(0, digitCount - 38) {
        #expect(last.divided(by: 10).remainder == 0, "seed \(seed): more than 38 digits")
        last = last.divided(by: 10).quotient
      }
      #expect(twice != most || last.isEven, "seed \(seed): half to even")
    }
  }

  @Test func `integers are added in 128 bits`() {
    var sum = ExactSum(.two)
    for _ in 0..<5 { sum.add(Int128(UInt64.max)) }
    #expect(sum.integer == 5 * Int128(UInt64.max))
    #expect(sum.double(dividedBy: 5) == 0x1p64)
    for _ in 0..<5 { sum.add(Int128(Int64.min)) }
    #expect(sum.integer == 5 * (Int128(UInt64.max) + Int128(Int64.min)))
  }

  // MARK: Cases

  private func sum(_ numbers: [Double]) -> Double {
    var sum = ExactSum(.two)
    for number in numbers { sum.add(number) }
    return sum.double()
  }

  @Test func `small numbers survive beside large ones that cancel`() {
    #expect(sum([1e300, 1, -1e300]) == 1)
    #expect(sum([0.1, 0.2, 0.3, -0.6]) == 0x1p-55)
    #expect(
      sum([.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.greatestFiniteMagnitude])
        == .leastNonzeroMagnitude)
    #expect(sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]) == .infinity)
    #expect(sum([]) == 0)
    #expect(sum([-0.0]).bitPattern == 0)
  }

  @Test func `infinities and NaN decide a sum whatever else is added`() {
    #expect(sum([1, .infinity, 5]) == .infinity)
    #expect(sum([-.infinity, 1, -.infinity]) == -.infinity)
    #expect(sum([.infinity, 1, -.infinity]).isNaN)
    #expect(sum([.infinity, .nan]).isNaN)
    var decimals = ExactSum(.ten)
    decimals.add(PackedDecimal(Decimal.nan))
    decimals.add(PackedDecimal(Decimal(1)))
    #expect(decimals.decimal?.isNaN == true)
    #expect(decimals.decimal(dividedBy: 2)?.isNaN == true)
  }

  @Test func `a sum of decimals overflows until it fits again`() {
    let (large, small) = (Decimal(sign: .plus, exponent: 60, significand: 1), Decimal(1) / 10)
    var sum = ExactSum(.ten)
    sum.add(PackedDecimal(large))
    #expect(sum.decimal == large)
    sum.add(PackedDecimal(small))
    #expect(sum.decimal == nil)
    sum.add(PackedDecimal(-large))
    #expect(sum.decimal == small)
  }
}
