@testable import DaybookSimulation
import DaybookStore
import FoundationEssentials
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `The order of sections` {
  /// By the value under the comparator and the direction, and then, ascending, by what tells values
  /// apart that are a tie.
  private func expectOrder(
    _ kind: SectionKind, _ type: ScalarType, _ values: [AttributeValue?],
    _ comparator: TextComparator, isDescending: Bool,
    sectionValue: (AttributeValue) -> AttributeValue
  ) throws {
    let section = try SectionKey(
      kind, of: .scalar(type), comparator: comparator, isDescending: isDescending)
    let model = OrderModel(comparator: comparator, isDescending: isDescending)
    let own = OrderModel()
    DaybookResultsTests.expectOrder(of: values, keys: values.map { section.key(of: $0, type) }) {
      one, other in
      let (one, other) = (one.map(sectionValue), other.map(sectionValue))
      let found = model.compare(one, other)
      if found != 0 { return found }
      let byOwn = own.compare(one, other)
      return byOwn != 0 ? byOwn : compareBits(one, other)
    }
  }

  /// Numbers by sign and magnitude of their bits.
  private func compareBits(_ one: AttributeValue?, _ other: AttributeValue?) -> Int {
    func bits(_ value: AttributeValue?) -> Int64 {
      func signed(_ bits: Int64) -> Int64 { bits < 0 ? -1 - (bits & .max) : bits }
      return switch value {
      case .double(let number): signed(Int64(bitPattern: number.bitPattern))
      case .float(let number): signed(Int64(Int32(bitPattern: number.bitPattern)) << 32)
      case .date(let date):
        signed(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern))
      default: 0
      }
    }
    return bits(one) < bits(other) ? -1 : bits(one) > bits(other) ? 1 : 0
  }

  @Test(arguments: ScalarType.allCases, [false, true])
  func `sections by value sort like the values`(
    _ type: ScalarType, _ isDescending: Bool
  ) throws {
    let values: [AttributeValue?] = ValueCrowds.values(type, seed: 51) + [nil]
    try expectOrder(.value, type, values, .plain, isDescending: isDescending) { $0 }
  }

  // Rules 5 and 6.
  @Test(arguments: TextComparator.allCases, [false, true])
  func `sections by string sort by the comparator and keep ties adjacent`(
    _ comparator: TextComparator, _ isDescending: Bool
  ) throws {
    var generator = SplitMix64(seed: 61)
    let texts = HostileTexts.texts(60, seed: 61).shuffled(using: &generator).prefix(90)
    let values: [AttributeValue?] = FaultRow.some(Array(texts)).map { .string($0) } + [nil]
    try expectOrder(.value, .string, values, comparator, isDescending: isDescending) { $0 }
    try expectOrder(.letter, .string, values, comparator, isDescending: isDescending) {
      guard case .string(let text) = $0, let first = NormalizedText.text(of: text).first else {
        return .string("")
      }
      let upper = String(first).uppercased()
      return .string(upper.count == 1 ? upper : String(first))
    }
    try expectOrder(.prefix(2), .string, values, comparator, isDescending: isDescending) {
      guard case .string(let text) = $0 else { return $0 }
      return .string(String(NormalizedText.text(of: text).prefix(2)))
    }
  }

  @Test func `a section key has the documented leading and own bytes`() throws {
    func row(
      _ kind: SectionKind, _ type: ScalarType, _ value: AttributeValue?,
      _ comparator: TextComparator = .plain, isDescending: Bool = false
    ) throws -> String {
      let section = try SectionKey(
        kind, of: .scalar(type), comparator: comparator, isDescending: isDescending)
      let key = section.key(of: value, type)
      let start = section.ownRange(in: key.span.bytes).lowerBound
      return hex(Array(key[..<start])) + "|" + hex(Array(key[start...]))
    }
    #expect(try row(.value, .int16, .int(2)) == "|01 80 02")
    #expect(try row(.value, .int16, .int(2), isDescending: true) == "FE 7F FD|01 80 02")
    #expect(try row(.value, .int16, nil, isDescending: true) == "FF|00")
    #expect(try row(.value, .string, .string("É")) == "|01 C3 89 00 00")
    #expect(
      try row(.value, .string, .string("É"), .caseInsensitive) == "01 C3 A9 00 00|01 C3 89 00 00")
    #expect(
      try row(.letter, .string, .string("éa"), .caseAndDiacriticInsensitive, isDescending: true)
        == "FE 9A FF FF|01 C3 89 00 00")
    #expect(try row(.value, .float, .float(-0.0)) == "01 80 00 00 00|01 7F FF FF FF")
    #expect(try row(.year, .date, date("1969-07-20")) == "|02 80 00 00 00 00 07 B1")
    #expect(try row(.range(width: 10), .uint8, .uint(25)) == "|02 00 00 00 00 00 00 02")
    #expect(try row(.range(width: 10), .double, .double(-1)) == "|03 7F FF FF FF FF FF FF FF")
    #expect(try row(.range(width: 10), .double, .double(.nan)) == "|06 00 00 00 00 00 00 00 00")
    #expect(try row(.range(width: 10), .decimal, .decimal(12)) == "|01 03 80 02 02 00 FF 00 00")
    #expect(try row(.range(width: 10), .decimal, .decimal(.nan)) == "|01 FF 00 00")
  }

  @Test func `the section of nil is first, or last if descending`() throws {
    for kind in [SectionKind.value, .letter, .prefix(3)] {
      for comparator in TextComparator.allCases {
        let ascending = try SectionKey(kind, of: .scalar(.string), comparator: comparator)
        let descending = try SectionKey(
          kind, of: .scalar(.string), comparator: comparator, isDescending: true)
        for text in ["", "\u{0}", "a"] {
          let value = AttributeValue.string(text)
          #expect(
            compareBytes(ascending.key(of: nil, .string), ascending.key(of: value, .string)) == -1)
          #expect(
            compareBytes(descending.key(of: nil, .string), descending.key(of: value, .string)) == 1)
        }
        #expect(ascending.name(of: nil, .string) == ascending.name(of: .string(""), .string))
      }
    }
  }

  @Test func `a section's own bytes are found before any following bytes`() throws {
    let kinds: [(SectionKind, ScalarType)] =
      ScalarType.allCases.map { (.value, $0) } + [
        (.letter, .string), (.prefix(2), .string), (.day, .date), (.week, .date), (.month, .date),
        (.year, .date), (.range(width: 10), .int16), (.range(width: 3), .uint64),
        (.range(width: 0.3), .float), (.range(width: 0.3), .double), (.range(width: 0.3), .decimal),
      ]
    var wrong: [String] = []
    for (kind, type) in kinds {
      let plain = try SectionKey(kind, of: .scalar(type))
      let values: [AttributeValue?] = ValueCrowds.values(type, seed: 71) + [nil]
      var names: [[UInt8]: String] = [:]
      for comparator in type == .string ? TextComparator.allCases : [.plain] {
        for isDescending in [false, true] {
          let section = try SectionKey(
            kind, of: .scalar(type), comparator: comparator, isDescending: isDescending)
          for value in values {
            let key = section.key(of: value, type)
            let own = plain.key(of: value, type)
            let name = plain.name(of: own.span.bytes)
            var isRight = section.ownRange(in: key.span.bytes).upperBound == key.count
            isRight = isRight && NormalizedText.isNormal(name)
            isRight = isRight && names[own, default: name] == name
            names[own] = name
            for more: [UInt8] in [[], [0], [0xFF], [0, 0], [0xFF, 0xFF, 0]] {
              isRight = isRight && section.own(in: key + more) == plain.own(in: own)
              isRight = isRight && section.name(of: (key + more).span.bytes) == name
            }
            if !isRight { wrong.append("\(kind) \(comparator) \(value as Any)") }
          }
        }
      }
    }
    #expect(wrong == [])
  }
}
