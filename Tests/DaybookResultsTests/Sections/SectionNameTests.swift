import DaybookStore
import FoundationEssentials
import Testing

@testable import DaybookResults

@Suite struct `The names of sections` {
  // Rule 10.
  @Test func `section names spell values as text journals do, and Bools as 1 and 0`() throws {
    let uuid = try UUIDText.uuid("6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
    let rows: [(ScalarType, AttributeValue?, String)] = [
      (.bool, .bool(false), "0"), (.bool, .bool(true), "1"),
      (.int8, .int(-128), "-128"), (.int8, .int(127), "127"), (.int16, .int(-1), "-1"),
      (.int32, .int(Int64(Int32.min)), "-2147483648"), (.int64, .int(.min), "-9223372036854775808"),
      (.int64, .int(.max), "9223372036854775807"), (.uint8, .uint(255), "255"),
      (.uint16, .uint(65535), "65535"), (.uint32, .uint(0), "0"),
      (.uint64, .uint(.max), "18446744073709551615"),
      (.float, .float(0.1), "0.1"), (.float, .float(-0.0), "-0.0"), (.float, .float(.nan), "NaN"),
      (.double, .double(0.0), "0.0"), (.double, .double(-0.0), "-0.0"),
      (.double, .double(1e300), "1e+300"), (.double, .double(-.infinity), "-Infinity"),
      (.decimal, try decimal("10"), "10"), (.decimal, try decimal("-0.50"), "-0.5"),
      (.decimal, try decimal("0"), "0"), (.decimal, .decimal(.nan), "NaN"),
      (.string, .string("Vienna"), "Vienna"), (.string, .string("e\u{301}\u{0}"), "\u{E9}\u{0}"),
      (.string, .string(""), ""), (.string, nil, ""),
      (.date, try date("2015-10-27T10:20:30.25Z"), "2015-10-27T10:20:30.25Z"),
      (.date, .date(Date(timeIntervalSinceReferenceDate: -0.0)), "2001-01-01T00:00:00Z"),
      (.uuid, .uuid(uuid), "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"),
      (.data, .data([0, 1, 255]), "AAH/"), (.data, .data([]), ""),
      (.url, .url("https://example.com/e\u{301}"), "https://example.com/\u{E9}"),
      (.int64, nil, ""), (.date, nil, ""), (.decimal, nil, ""),
    ]
    for (type, value, name) in rows {
      let found = try sectionName(.value, type, value)
      #expect(Array(found.utf8) == Array(name.utf8), "\(type) \(value as Any)")
    }
  }

  @Test func `a section of a reference has the name of its identifier`() throws {
    let ends: [(ValuePath.End, ScalarType, AttributeValue, String)] = [
      (.reference(EntityReference("Bank", identifierKind: .int)), .int64, .int(-7), "-7"),
      (.reference(EntityReference("Bank", identifierKind: .uint)), .uint64, .uint(7), "7"),
      (.reference(EntityReference("Bank", identifierKind: .string)), .string, .string("KA"), "KA"),
      (.identifier(.string), .string, .string("id"), "id"),
    ]
    for (end, type, value, name) in ends {
      #expect(try SectionKey(.value, of: end).name(of: value, type) == name)
    }
    let ranges = try SectionKey(.range(width: 10), of: .identifier(.int))
    #expect(ranges.name(of: .int(-7), .int64) == "[-10, 0)")
    let letters = try SectionKey(
      .letter, of: .reference(EntityReference("Bank", identifierKind: .string)))
    #expect(letters.name(of: .string("ka"), .string) == "K")
  }

  @Test(
    arguments: [
      ("", ""), ("vienna", "V"), ("Vienna", "V"), ("7up", "7"), (" x", " "), ("élan", "É"),
      ("e\u{301}lan", "\u{C9}"), ("ße", "ß"), ("ﬁx", "ﬁ"), ("ŉ", "ŉ"), ("ǆ", "Ǆ"), ("日本", "日"),
      ("👩‍👩‍👧 family", "👩‍👩‍👧"), ("🇦🇹🇩🇪", "🇦🇹"), ("\u{301}a", "\u{301}"), ("\r\n", "\r\n"), ("\rx", "\r"),
      ("\u{0}", "\u{0}"), ("a\u{30A}ngström", "\u{C5}"), ("각", "각"),
      ("\u{1100}\u{1161}", "\u{AC00}"),
      ("i", "I"), ("ı", "I"), ("x\u{323}\u{307}", "\u{1E8A}\u{323}"), ("ǰ", "J\u{30C}"), ("z", "Z"),
      ("{", "{"), ("`", "`"),
    ])
  func `a letter section's name is the first character in upper case`(
    _ text: String, _ letter: String
  ) throws {
    let name = try sectionName(.letter, .string, .string(text))
    #expect(Array(name.utf8) == NormalizedText.bytes(of: letter))
  }

  @Test func `a prefix section's name is the first characters of the string`() throws {
    let texts = ["", "a", "Vienna", "e\u{301}a\u{308}bc", "👩‍👩‍👧🇦🇹x", "a\r\nb"]
    let names = try texts.map { try sectionName(.prefix(2), .string, .string($0)) }
    #expect(names == ["", "a", "Vi", "éä", "👩‍👩‍👧🇦🇹", "a\r\n"])
    #expect(Array(names[3].utf8) == Array("\u{E9}\u{E4}".utf8))
    #expect(try sectionName(.prefix(9), .string, .string("Vienna")) == "Vienna")
    #expect(try sectionName(.prefix(1), .string, nil) == "")
  }

  @Test(
    arguments: [
      ("2015-10-27T12:00:00Z", 0, "2015-10-27 2015-W44 2015-10 2015"),
      ("2015-10-27T23:59:59.999Z", 0, "2015-10-27 2015-W44 2015-10 2015"),
      ("2015-10-31T23:00:00Z", 60, "2015-11-01 2015-W44 2015-11 2015"),
      ("2016-01-01T00:30:00Z", -60, "2015-12-31 2015-W53 2015-12 2015"),
      ("2016-01-03T12:00:00Z", 0, "2016-01-03 2015-W53 2016-01 2016"),
      ("2014-12-29T00:00:00Z", 0, "2014-12-29 2015-W01 2014-12 2014"),
      ("0000-01-01T00:00:00Z", 0, "0000-01-01 -000001-W52 0000-01 0000"),
      ("2000-02-29T12:00:00Z", 1439, "2000-03-01 2000-W09 2000-03 2000"),
      ("2000-03-01T12:00:00Z", -1439, "2000-02-29 2000-W09 2000-02 2000"),
      ("+012345-06-07T00:00:00Z", 0, "+012345-06-07 +012345-W23 +012345-06 +012345"),
      ("NaN", 0, "NaN NaN NaN NaN"), ("-Infinity", 0, "-Infinity -Infinity -Infinity -Infinity"),
      ("Infinity", 330, "Infinity Infinity Infinity Infinity"),
    ])
  func `a date has a day, a week, a month and a year section`(
    _ text: String, _ minutes: Int, _ names: String
  ) throws {
    let kinds: [SectionKind] = [
      .day(utcOffset: .seconds(60 * minutes)), .week(utcOffset: .seconds(60 * minutes)),
      .month(utcOffset: .seconds(60 * minutes)), .year(utcOffset: .seconds(60 * minutes)),
    ]
    let found = try kinds.map { try sectionName($0, .date, try date(text)) }
    #expect(found.joined(separator: " ") == names)
    for kind in [SectionKind.day, .week, .month, .year] + kinds {
      #expect(try sectionName(kind, .date, nil) == "")
    }
    #expect(SectionKind.day == .day(utcOffset: .zero) && SectionKind.week != .day)
    #expect(SectionKind.month == .month(utcOffset: .zero))
    #expect(SectionKind.year == .year(utcOffset: .zero))
  }

  @Test func `the name of a range section is its bounds`() throws {
    let rows: [(ScalarType, RangeWidth, AttributeValue?, String)] = [
      (.int64, 10, .int(0), "[0, 10)"), (.int64, 10, .int(9), "[0, 10)"),
      (.int64, 10, .int(10), "[10, 20)"), (.int64, 10, .int(-1), "[-10, 0)"),
      (.int64, 10, .int(-10), "[-10, 0)"), (.int64, 10, .int(-11), "[-20, -10)"),
      (.int64, 1, .int(.min), "[-9223372036854775808, -9223372036854775807)"),
      (.int64, 10, .int(.min), "[-9223372036854775810, -9223372036854775800)"),
      (.int8, 1000, .int(-128), "[-1000, 0)"), (.int16, 7, .int(21), "[21, 28)"),
      (.int32, .double(100), .int(250), "[200, 300)"),
      (.uint64, 1, .uint(.max), "[18446744073709551615, 18446744073709551616)"),
      (.uint8, .decimal(100), .uint(255), "[200, 300)"), (.int64, 10, nil, ""),
      (.uint64, .decimal(Decimal(UInt64.max)), .uint(5), "[0, 18446744073709551615)"),
      (.double, 10, .double(0), "[0.0, 10.0)"), (.double, 10, .double(-0.0), "[0.0, 10.0)"),
      (.double, 10, .double(-.leastNonzeroMagnitude), "[-10.0, 0.0)"),
      (.double, 10, .double(10), "[10.0, 20.0)"),
      (.double, 0.5, .double(0.75), "[0.5, 1.0)"),
      (.double, 0.1, .double(0.25), "[0.2, 0.30000000000000004)"),
      (.double, .decimal(2), .double(3), "[2.0, 4.0)"), (.double, 10, .double(.nan), "NaN"),
      (.double, 10, .double(.infinity), "Infinity"),
      (.double, 10, .double(-.infinity), "-Infinity"),
      (.double, 1e308, .double(-1.7e308), "[-Infinity, -1e+308)"),
      (.double, 1e308, .double(1.7e308), "[1e+308, Infinity)"),
      (.double, 1, .double(1e300), "[1e+300, 1.0000000000000002e+300)"),
      (.double, 1, .double(-1e300), "[-1e+300, -9.999999999999999e+299)"),
      (.double, 10, nil, ""), (.float, 0.1, .float(0.05), "[0.0, 0.1)"),
      (.float, 10, .float(-1), "[-10.0, 0.0)"), (.float, 10, .float(.nan), "NaN"),
      (.float, 1, .float(16_777_216), "[16777216.0, 1.6777218e+07)"),
      (.decimal, 10, try decimal("0"), "[0, 10)"), (.decimal, 10, try decimal("-0.01"), "[-10, 0)"),
      (.decimal, 10, try decimal("-10"), "[-10, 0)"),
      (.decimal, 10, try decimal("9.99"), "[0, 10)"),
      (.decimal, 0.1, try decimal("0.3"), "[0.3, 0.4)"),
      (.decimal, 0.1, try decimal("-0.25"), "[-0.3, -0.2)"),
      (.decimal, .decimal(25), try decimal("99.5"), "[75, 100)"), (.decimal, 10, nil, ""),
      (.decimal, 10, .decimal(.nan), "NaN"),
      (
        .decimal, 7, try decimal("1e40"),
        "[9999999999999999999999999999999999999996, 10000000000000000000000000000000000000003)"
      ),
      (
        .decimal, .decimal(try DecimalText.decimal("1e-3")), try decimal("-1e40"),
        "[-10000000000000000000000000000000000000000, -9999999999999999999999999999999999999999.999)"
      ),
      (
        .decimal, .decimal(try DecimalText.decimal("1e50")), try decimal("-1e-10"),
        "[-1" + String(repeating: "0", count: 50) + ", 0)"
      ),
    ]
    for (type, width, value, name) in rows {
      #expect(try sectionName(.range(width: width), type, value) == name, "\(type) \(width)")
    }
  }

  @Test func `a section encodes bytes of a wrong width as nil`() throws {
    let kinds: [(SectionKind, ScalarType)] = [
      (.value, .int64), (.value, .double), (.value, .decimal), (.day, .date),
      (.range(width: 1), .int16), (.range(width: 1), .float), (.range(width: 1), .decimal),
    ]
    for (kind, type) in kinds {
      let section = try SectionKey(kind, of: .scalar(type), isDescending: true)
      let bytes: [UInt8] = [1, 2, 3]
      var key = RowBuffer()
      section.append(bytes.span.bytes, to: &key)
      #expect(key.bytes == section.key(of: nil, type))
      #expect(section.name(of: key.bytes.span.bytes) == "")
    }
  }
}
