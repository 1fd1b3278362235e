import DaybookStore
@testable import DaybookSimulation
import FoundationEssentials
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `The bytes of order keys` {
  @Test func `sort keys have the documented bytes`() {
    func row(
      _ type: ScalarType, _ value: AttributeValue?, isDescending: Bool = false,
      isOptional: Bool = false
    ) -> String {
      hex(OrderKeyPart(type, isDescending: isDescending, isOptional: isOptional).key(of: value))
    }
    #expect(row(.bool, .bool(true)) == "01")
    #expect(row(.uint32, .uint(258)) == "00 00 01 02")
    #expect(row(.int16, .int(258)) == "81 02")
    #expect(row(.int16, .int(-2)) == "7F FE")
    #expect(row(.int64, .int(1)) == "80 00 00 00 00 00 00 01")
    #expect(row(.double, .double(1)) == "BF F0 00 00 00 00 00 00")
    #expect(row(.double, .double(-1)) == "40 0F FF FF FF FF FF FF")
    #expect(row(.double, .double(-0.0)) == "80 00 00 00 00 00 00 00")
    #expect(row(.double, .double(-.nan)) == "FF FF FF FF FF FF FF FF")
    #expect(row(.float, .float(.infinity)) == "FF 80 00 00")
    #expect(row(.date, .date(Date(timeIntervalSinceReferenceDate: 1))) == "BF F0 00 00 00 00 00 00")
    #expect(row(.string, .string("e\u{301}\u{0}!")) == "C3 A9 00 FF 21 00 00")
    #expect(row(.url, .url("a:b")) == "61 3A 62 00 00")
    #expect(row(.data, .data([0, 1, 255])) == "00 FF 01 FF 00 00")
    #expect(
      row(.decimal, .decimal(0)) == "80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")

    #expect(row(.uint8, .uint(7), isOptional: true) == "01 07")
    #expect(row(.uint8, nil, isOptional: true) == "00")
    #expect(row(.uint8, .uint(7), isDescending: true, isOptional: true) == "FE F8")
    #expect(row(.uint8, nil, isDescending: true, isOptional: true) == "FF")
    #expect(row(.string, .string("A"), isDescending: true) == "BE FF FF")
    #expect(row(.int16, nil) == "00 00")
    #expect(row(.string, nil) == "00 00")
    #expect(
      row(.uuid, nil, isDescending: true)
        == Array(repeating: "FF", count: 16).joined(separator: " "))
  }

  @Test func `a sort key encodes bytes of a wrong width as nil`() {
    let part = OrderKeyPart(.int64, isOptional: true)
    let bytes: [UInt8] = [1, 2, 3]
    var key = RowBuffer()
    part.append(bytes.span.bytes, to: &key)
    #expect(key.bytes == [0])
  }

  @Test func `references and identifiers sort as the type of the identifier`() throws {
    let ends: [(ValuePath.End, ScalarType)] = [
      (.identifier(.int), .int64), (.identifier(.uint), .uint64), (.identifier(.string), .string),
      (.identifier(.uuid), .uuid),
      (.reference(EntityReference("Bank", identifierKind: .int)), .int64),
      (.reference(EntityReference("Bank", identifierKind: .string)), .string),
    ]
    for (end, type) in ends {
      let part = try OrderKeyPart(end, isOptional: true)
      #expect(part == OrderKeyPart(type, isOptional: true))
    }
    let text = try OrderKeyPart(.identifier(.string), comparator: .natural, isOptional: false)
    #expect(text.key(of: .string("a2")) == text.key(of: .string("a02")))
  }

  // Rule 3.
  @Test func `nil sorts first, or last in descending order`() {
    for type in ScalarType.allCases {
      for value in ValueCrowds.values(type, seed: 3) {
        let ascending = OrderKeyPart(type, isOptional: true)
        #expect(compareBytes(ascending.key(of: nil), ascending.key(of: value)) == -1)
        let descending = OrderKeyPart(type, isDescending: true, isOptional: true)
        #expect(compareBytes(descending.key(of: nil), descending.key(of: value)) == 1)
        let required = OrderKeyPart(type, isOptional: false)
        #expect(compareBytes(required.key(of: nil), required.key(of: value)) <= 0)
      }
    }
  }
}

@Suite struct `The order of order keys` {
  @Test(arguments: ScalarType.allCases, [false, true])
  func `sort keys compare as their values either way`(_ type: ScalarType, _ isOptional: Bool) {
    var values: [AttributeValue?] = ValueCrowds.values(type, seed: 11)
    if isOptional { values += [nil] }
    for isDescending in [false, true] {
      let part = OrderKeyPart(type, isDescending: isDescending, isOptional: isOptional)
      let model = OrderModel(isDescending: isDescending)
      expectOrder(of: values, keys: values.map(part.key), model.compare)
    }
  }

  // Rule 4.
  @Test(arguments: TextComparator.allCases, [false, true])
  func `sort keys of strings compare as their comparator`(
    _ comparator: TextComparator, _ isDescending: Bool
  ) {
    let texts = FaultRow.some(HostileTexts.texts(80, seed: 21)).map { AttributeValue.string($0) }
    let part = OrderKeyPart(
      .string, comparator: comparator, isDescending: isDescending, isOptional: false)
    let model = OrderModel(comparator: comparator, isDescending: isDescending)
    expectOrder(of: texts, keys: texts.map(part.key), model.compare)
  }

  @Test func `the first differing part of two order keys decides`() {
    var generator = SplitMix64(seed: 31)
    for _ in 0..<60 {
      let parts = (0..<2).map { _ in
        let type = ScalarType.allCases[generator.below(ScalarType.allCases.count)]
        let comparators = type == .string ? TextComparator.allCases : [.plain]
        return OrderKeyPart(
          type, comparator: comparators[generator.below(comparators.count)],
          isDescending: generator.below(2) == 0, isOptional: generator.below(2) == 0)
      }
      let crowds = parts.map { part -> [AttributeValue?] in
        let crowd = ValueCrowds.values(part.type, seed: generator.next())
        let few = (0..<6).map { _ in crowd[generator.below(crowd.count)] as AttributeValue? }
        return part.isOptional ? few + [nil] : few
      }
      let pairs = crowds[0].flatMap { one in crowds[1].map { [one, $0] } }
      let keys = pairs.map { pair in zip(parts, pair).flatMap { part, value in part.key(of: value) }
      }
      expectOrder(of: pairs, keys: keys) { one, other in
        for (place, part) in parts.enumerated() {
          let model = OrderModel(comparator: part.comparator, isDescending: part.isDescending)
          let found = model.compare(one[place], other[place])
          if found != 0 { return found }
        }
        return 0
      }
    }
  }

  @Test func `the end of a key part is found before any following bytes`() {
    for type in ScalarType.allCases {
      for isDescending in [false, true] {
        for isOptional in [false, true] {
          let part = OrderKeyPart(type, isDescending: isDescending, isOptional: isOptional)
          for value in ValueCrowds.values(type, seed: 41) as [AttributeValue?] + [nil] {
            let key = part.key(of: value)
            for more: [UInt8] in [[], [0], [0xFF], [0, 0, 0], [0xFF, 0xFF, 0xFF]] {
              let whole = [9] + key + more
              #expect(part.end(in: whole.span.bytes, from: 1) == 1 + key.count)
            }
          }
        }
      }
    }
  }
}

@Suite struct `Invalid sort keys` {
  @Test func `a sort key rejects an array`() {
    let strings = #expect(throws: OrderProblem.self) {
      try OrderKeyPart(.array(.string), isOptional: true)
    }
    #expect(
      strings?.description
        == "a sort key needs a single value; the type [string] has several.")
    let references = #expect(throws: OrderProblem.self) {
      try OrderKeyPart(.references(EntityReference("Bank", identifierKind: .int)), isOptional: true)
    }
    #expect(
      references?.description
        == "a sort key needs a single value; the type refs:Bank has several.")
  }

  @Test func `a string comparator rejects a number`() {
    func sentence(_ end: ValuePath.End, _ comparator: TextComparator) -> String? {
      do throws(OrderProblem) {
        _ = try OrderKeyPart(end, comparator: comparator, isOptional: false)
        return nil
      } catch { return error.description }
    }
    #expect(
      sentence(.scalar(.int64), .caseInsensitive)
        == "the case-insensitive comparator needs strings; the type is int64.")
    #expect(
      sentence(.scalar(.url), .caseAndDiacriticInsensitive)
        == "the case- and diacritic-insensitive comparator needs strings; the type is url.")
    #expect(
      sentence(.reference(EntityReference("Bank", identifierKind: .uuid)), .natural)
        == "the natural comparator needs strings; the type is ref:Bank."
    )
    for type in ScalarType.allCases { #expect(sentence(.scalar(type), .plain) == nil) }
    for comparator in TextComparator.allCases {
      #expect(sentence(.scalar(.string), comparator) == nil)
      #expect(sentence(.identifier(.string), comparator) == nil)
    }
  }
}
