@_spi(Tools) import DaybookResults
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `Exact comparison of numbers` {
  private func numbers(_ seed: UInt64) -> [AttributeValue] {
    var random = RandomFilters(seed: seed)
    var numbers: [AttributeValue] = [
      .int(.min), .int(.max), .int(0), .int(-1), .uint(.max), .uint(1 << 63), .double(-0.0),
      .double(0x1p63), .double(0x1p64), .double(-0x1p63), .double(.greatestFiniteMagnitude),
      .double(.leastNonzeroMagnitude), .double(.nan), .double(.infinity), .double(-.infinity),
      .float(.greatestFiniteMagnitude), .float(0.1), .double(0.1), .decimal(Decimal(1) / 10),
      .decimal(.greatestFiniteMagnitude), .decimal(.leastFiniteMagnitude), .decimal(.nan),
      .decimal(.leastNonzeroMagnitude), .double(1e22), .double(1e23), .double(0x1p127),
      .double(1e-128), .double(1e-127),
    ]
    while numbers.count < 120 {
      let value = random.value()
      if ExactNumber(value) != nil { numbers.append(value) }
      // And its neighbours.
      guard case .double(let number) = value else { continue }
      numbers += [.double(number.nextUp), .float(Float(number))]
      if let decimal = try? DecimalText.decimal(NumberText.text(of: number)) {
        numbers.append(.decimal(decimal))
      }
    }
    return numbers
  }

  @Test(arguments: 0..<3) func `numbers of any two types compare exactly`(seed: UInt64) throws {
    let numbers = numbers(seed).map { ($0, ExactNumber($0), PlainNumber($0)) }
    for (value, number, plain) in numbers {
      let (number, plain) = (try #require(number), try #require(plain))
      for (otherValue, other, otherPlain) in numbers {
        let (other, otherPlain) = (try #require(other), try #require(otherPlain))
        let order = ExactNumber.compare(number, to: other).signum()
        guard order != PlainNumber.compare(plain, otherPlain).signum() else { continue }
        Issue.record("\(value) beside \(otherValue): \(order)")
      }
    }
  }

  @Test(arguments: 0..<8) func `a filter constant keeps a number exactly`(seed: UInt64) throws {
    for value in numbers(seed) {
      let kept = FilterConstant(value)
      guard let number = PlainNumber(kept.value) else { continue }
      let before = try #require(PlainNumber(value))
      #expect(PlainNumber.compare(number, before) == 0, "\(value)")
      #expect(try FilterConstant(number: kept.description) == kept, "\(value)")
    }
  }
}

@Suite struct `The nearest name` {
  @Test func `the edit distance counts insertions, deletions, replacements and exchanges`() {
    func distance(_ one: String, _ other: String) -> Int {
      NearestName.distance(from: Array(one.unicodeScalars), to: Array(other.unicodeScalars))
    }
    #expect(distance("", "") == 0)
    #expect(distance("", "abc") == 3)
    #expect(distance("abc", "abc") == 0)
    #expect(distance("abc", "ac") == 1)
    #expect(distance("abc", "axc") == 1)
    #expect(distance("abc", "acb") == 1)
    #expect(distance("kitten", "sitting") == 3)
  }

  @Test func `no name is suggested where all names are distant`() {
    #expect(NearestName.nearest(to: "colour", among: ["name", "color"]) == "color")
    #expect(NearestName.nearest(to: "zzz", among: ["name", "color"]) == nil)
    #expect(NearestName.nearest(to: "NAME", among: ["nam", "name"]) == "name")
    #expect(NearestName.nearest(to: "x", among: []) == nil)
  }
}
