import DaybookSimulation
import FoundationEssentials
import TestSupport
import Testing

@testable import DaybookStore

private let randomCount = FaultRow.count(1_000_000, full: 10_000_000)
// Dates far from whole seconds have hundreds of digits.
private let farStep = FaultRow.step(16)

@Suite struct `Round trips of dates` {
  /// Returns a description of a violation of the law, or nil if it holds: the string of a date
  /// reads back as the date, and no string with one digit less does, however it is rounded.
  private func problem(_ seconds: Double) -> String? {
    let text = DateText.text(of: Date(timeIntervalSinceReferenceDate: seconds))
    guard let back = try? DateText.date(text).timeIntervalSinceReferenceDate else {
      return "\(seconds): \(text) is not read"
    }
    guard back.bitPattern == seconds.bitPattern else { return "\(seconds): \(text) is \(back)" }
    guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else {
      return seconds == seconds.rounded() ? nil : "\(seconds): \(text) has no fraction"
    }
    guard !text.hasSuffix("0Z") else { return "\(seconds): \(text) has a zero too many" }
    // One digit less, rounded down; then rounded up.
    let digits = text.utf8.distance(from: point, to: text.utf8.endIndex) - 2
    let short = String(text.dropLast(2)) + (digits == 1 ? "0" : "")
    guard let lower = try? DateText.date(short + "Z").timeIntervalSinceReferenceDate else {
      return "\(seconds): \(short) is not read"
    }
    if lower == seconds { return "\(seconds): \(short) is enough" }
    guard let upper = higher(short, digits) else { return nil }
    return upper == seconds ? "\(seconds): \(short) and one is enough" : nil
  }

  /// Returns the date of a string whose last digit is increased by one; nil if that carries into
  /// the seconds, which gives a whole and therefore different date.
  private func higher(_ text: String, _ digits: Int) -> Double? {
    if digits == 1 { return nil }
    var bytes = Array(text.utf8)
    var place = bytes.count - 1
    while bytes[place] == UInt8(ascii: "9") {
      bytes[place] = UInt8(ascii: "0")
      place -= 1
    }
    guard bytes[place] != UInt8(ascii: ".") else { return nil }
    bytes[place] += 1
    return try? DateText.date(bytes.span).timeIntervalSinceReferenceDate
  }

  private func expectLaw(_ dates: some Sequence<Double>) {
    var problems: [String] = []
    for seconds in dates where problems.count < 5 {
      if let problem = problem(seconds) { problems.append(problem) }
    }
    #expect(problems == [])
  }

  @Test func `a date of any bits survives writing and reading bit for bit`() {
    var generator = SplitMix64(seed: 21)
    expectLaw(
      (0..<randomCount / 2).lazy.map { _ in
        var seconds = Double(bitPattern: generator.next())
        // Most random Doubles are so large or so small that their strings are very long. The test
        // uses fewer of them, as each is slow.
        if !(1e-30...1e30).contains(seconds.magnitude), generator.next() % 16 != 0 {
          seconds = seconds.significand * (generator.next() % 2 == 0 ? 1e9 : 1e3)
        }
        return seconds.isFinite && seconds != 0 ? seconds : 1
      })
  }

  @Test func `powers of two and their neighbours survive writing and reading`() {
    expectLaw(
      (-1074...1023).lazy.filter { abs($0) < 64 || $0 % farStep == 0 }.flatMap {
        (exponent: Int) -> [Double] in
        let power = Double(sign: .plus, exponent: exponent, significand: 1)
        return [power, power.nextUp, power.nextDown, -power, -power.nextUp, -power.nextDown]
      }.filter { $0 != 0 })
  }

  @Test func `the smallest dates survive writing and reading`() {
    expectLaw((1...200).lazy.flatMap { [Double(bitPattern: $0), -Double(bitPattern: $0)] })
  }

  @Test func `dates of every magnitude survive writing and reading`() {
    var generator = SplitMix64(seed: 22)
    expectLaw(
      (0..<randomCount / 2).lazy.map { round in
        let bits = generator.next()
        let exponent = round % 90 - 27
        let significand = 1 + Double(bits >> 12) * 0x1p-52
        return Double(sign: bits & 1 == 0 ? .plus : .minus, exponent: exponent, significand: 1)
          * significand
      })
  }

  private func shortText(_ seconds: Double) -> String? {
    var text = ShortText()
    return DateText.write(seconds, to: &text) ? text.string : nil
  }

  @Test func `the integer algorithm and the shortest Double give equally many digits`() {
    var generator = SplitMix64(seed: 23)
    var different: [Double] = []
    for round in 0..<randomCount / 10 {
      let significand = 1 + Double(generator.next() >> 12) * 0x1p-52
      let magnitude = Double(sign: .plus, exponent: 23 + round % 29, significand: significand)
      for seconds in [magnitude, -magnitude] where seconds != seconds.rounded() {
        if shortText(seconds)?.utf8.count != DateText.longString(ofSeconds: seconds).count {
          different.append(seconds)
        }
      }
    }
    #expect(different == [])
  }

  @Test func `wide arithmetic and 64-bit arithmetic give the same string`() {
    var generator = SplitMix64(seed: 24)
    for round in 0..<2_000 {
      let seconds = Double(Int64(bitPattern: generator.next()) >> Int64(2 + round % 60))
      let long = String(decoding: DateText.longString(ofSeconds: seconds), as: UTF8.self)
      #expect(shortText(seconds) == long)
    }
  }
}
