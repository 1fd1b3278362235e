import DaybookStore
import FoundationEssentials
import Testing

@testable import DaybookResults

@Suite struct `Sections that there are not` {
  private func sentence(
    _ kind: SectionKind, _ end: ValuePath.End, _ comparator: TextComparator = .plain
  ) -> String? {
    do throws(SectionProblem) {
      _ = try SectionKey(kind, of: end, comparator: comparator)
      return nil
    } catch { return error.description }
  }

  @Test func `an array is in none`() {
    #expect(
      sentence(.value, .array(.int32))
        == "sections are made of one value each, and a value of type [int32] is several.")
    #expect(
      sentence(.letter, .references(EntityReference("Bank", identifierKind: .string)))
        == "sections are made of one value each, and a value of type refs:Bank is several.")
  }

  @Test func `a kind that does not fit the type says what would`() {
    #expect(
      sentence(.letter, .scalar(.int64))
        == "sections by letter are made of strings, and a value of type int64 is none.")
    #expect(
      sentence(.prefix(2), .scalar(.data))
        == "sections by prefix are made of strings, and a value of type data is none.")
    #expect(
      sentence(.day, .scalar(.string))
        == "sections by day are made of dates, and a value of type string is none.")
    #expect(
      sentence(.week, .scalar(.double))
        == "sections by week are made of dates, and a value of type double is none.")
    #expect(
      sentence(.month, .identifier(.int))
        == "sections by month are made of dates, and a value of type int is none.")
    #expect(
      sentence(.year, .reference(EntityReference("Bank", identifierKind: .int)))
        == "sections by year are made of dates, and a value of type ref:Bank is none.")
    #expect(
      sentence(.range(width: 10), .scalar(.string))
        == "sections by range are made of numbers, and a value of type string is none.")
  }

  /// The kinds that fit each type, in the order of the table in the documentation.
  @Test func `each type has the kinds that fit it`() {
    let kinds: [(String, SectionKind)] = [
      ("value", .value), ("letter", .letter), ("prefix", .prefix(1)), ("day", .day),
      ("week", .week), ("month", .month), ("year", .year), ("range", .range(width: 1)),
    ]
    let table = ScalarType.allCases.map { type in
      let fits = kinds.filter { sentence($0.1, .scalar(type)) == nil }.map(\.0)
      return "\(type): " + fits.joined(separator: " ")
    }
    #expect(
      table.joined(separator: "\n") == """
        bool: value
        int8: value range
        int16: value range
        int32: value range
        int64: value range
        uint8: value range
        uint16: value range
        uint32: value range
        uint64: value range
        float: value range
        double: value range
        decimal: value range
        string: value letter prefix
        date: value day week month year
        uuid: value
        data: value
        url: value
        """)
  }

  @Test func `a comparator on what is no text is that of no order`() {
    #expect(
      sentence(.day, .scalar(.date), .natural)
        == "strings are compared with their numbers by value, and a value of type date is none.")
  }

  @Test func `a prefix has a character`() {
    #expect(
      sentence(.prefix(0), .scalar(.string))
        == "a prefix has at least 1 character, and this one has 0.")
  }

  @Test func `clocks are less than a day from UTC`() {
    #expect(
      sentence(.day(minutesFromUTC: 1440), .scalar(.date))
        == "clocks are less than 1440 minutes from UTC, and these are 1440.")
    #expect(
      sentence(.year(minutesFromUTC: .min), .scalar(.date))
        == "clocks are less than 1440 minutes from UTC, and these are -9223372036854775808.")
    #expect(sentence(.day(minutesFromUTC: -1439), .scalar(.date)) == nil)
  }

  @Test func `a width is above 0, and a number of the type`() throws {
    let widths: [(ScalarType, RangeWidth, String)] = [
      (.int64, 0, "the width of a range is above 0 and finite, not 0."),
      (.uint8, -10, "the width of a range is above 0 and finite, not -10."),
      (.double, -0.5, "the width of a range is above 0 and finite, not -0.5."),
      (.float, .double(.nan), "the width of a range is above 0 and finite, not NaN."),
      (.int32, .double(.infinity), "the width of a range is above 0 and finite, not Infinity."),
      (.decimal, .decimal(.nan), "the width of a range is above 0 and finite, not NaN."),
      (.decimal, .decimal(-1), "the width of a range is above 0 and finite, not -1."),
      (.int64, 0.5, "the width of a range of type int64 is a whole number, not 0.5."),
      (
        .uint64, .decimal(try DecimalText.decimal("2.5")),
        "the width of a range of type uint64 is a whole number, not 2.5."
      ),
      (.int8, 1e30, "no range of type int8 is 1e+30 wide."),
      (.int8, 1e300, "no range of type int8 is 1e+300 wide."),
      (
        .int16, .decimal(try DecimalText.decimal("18446744073709551616")),
        "no range of type int16 is 18446744073709551616 wide."
      ),
      (.float, 1e39, "no range of type float is 1e+39 wide."),
      (.float, 1e-50, "no range of type float is 1e-50 wide."),
      (.decimal, 1e200, "no range of type decimal is 1e+200 wide."),
      (.decimal, 1e-200, "no range of type decimal is 1e-200 wide."),
    ]
    for (type, width, expected) in widths {
      #expect(sentence(.range(width: width), .scalar(type)) == expected)
    }
  }
}
