import DaybookStore
import FoundationEssentials
import Testing

@testable import DaybookResults

@Suite struct `Invalid section keys` {
  private func sentence(
    _ kind: SectionKind, _ end: ValuePath.End, _ comparator: TextComparator = .plain
  ) -> String? {
    do throws(SectionProblem) {
      _ = try SectionKey(kind, of: end, comparator: comparator)
      return nil
    } catch { return error.description }
  }

  @Test func `a section key rejects an array`() {
    #expect(
      sentence(.value, .array(.int32))
        == "a section key needs a single value; the type [int32] has several.")
    #expect(
      sentence(.letter, .references(EntityReference("Bank", identifierKind: .string)))
        == "a section key needs a single value; the type refs:Bank has several.")
  }

  @Test func `the error for an unsuitable section kind names the suitable type`() {
    #expect(
      sentence(.letter, .scalar(.int64))
        == "sections by letter need strings; the type is int64.")
    #expect(
      sentence(.prefix(2), .scalar(.data))
        == "sections by prefix need strings; the type is data.")
    #expect(
      sentence(.day, .scalar(.string))
        == "sections by day need dates; the type is string.")
    #expect(
      sentence(.week, .scalar(.double))
        == "sections by week need dates; the type is double.")
    #expect(
      sentence(.month, .identifier(.int))
        == "sections by month need dates; the type is int.")
    #expect(
      sentence(.year, .reference(EntityReference("Bank", identifierKind: .int)))
        == "sections by year need dates; the type is ref:Bank.")
    #expect(
      sentence(.range(width: 10), .scalar(.string))
        == "sections by range need numbers; the type is string.")
  }

  /// The kinds that fit each type, in the order of the table in the documentation.
  @Test func `each type supports only the section kinds that fit it`() {
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

  @Test func `a section key rejects a string comparator on another type`() {
    #expect(
      sentence(.day, .scalar(.date), .natural)
        == "the natural comparator needs strings; the type is date.")
  }

  @Test func `a section key rejects a prefix of no characters`() {
    #expect(
      sentence(.prefix(0), .scalar(.string))
        == "a prefix needs at least 1 character, not 0.")
  }

  @Test func `a section key rejects an offset of a day or more from UTC`() {
    #expect(
      sentence(.day(utcOffset: .seconds(86_400)), .scalar(.date))
        == "the offset from UTC must be less than 24 hours, not 86400.0 seconds.")
    #expect(
      sentence(.year(utcOffset: .seconds(Int64.min)), .scalar(.date))
        == "the offset from UTC must be less than 24 hours, not -9.223372036854776e+18 seconds.")
    #expect(
      sentence(.month(utcOffset: .seconds(3630)), .scalar(.date))
        == "the offset from UTC must be whole minutes, not 3630.0 seconds.")
    #expect(sentence(.day(utcOffset: .seconds(-86_340)), .scalar(.date)) == nil)
  }

  @Test func `a range width must be positive, finite and of the type`() throws {
    let widths: [(ScalarType, RangeWidth, String)] = [
      (.int64, 0, "the width of a range must be finite and above 0, not 0."),
      (.uint8, -10, "the width of a range must be finite and above 0, not -10."),
      (.double, -0.5, "the width of a range must be finite and above 0, not -0.5."),
      (.float, .double(.nan), "the width of a range must be finite and above 0, not NaN."),
      (
        .int32, .double(.infinity), "the width of a range must be finite and above 0, not Infinity."
      ),
      (.decimal, .decimal(.nan), "the width of a range must be finite and above 0, not NaN."),
      (.decimal, .decimal(-1), "the width of a range must be finite and above 0, not -1."),
      (.int64, 0.5, "the width of a range of type int64 must be a whole number, not 0.5."),
      (
        .uint64, .decimal(try DecimalText.decimal("2.5")),
        "the width of a range of type uint64 must be a whole number, not 2.5."
      ),
      (.int8, 1e30, "the type int8 cannot represent a range of width 1e+30."),
      (.int8, 1e300, "the type int8 cannot represent a range of width 1e+300."),
      (
        .int16, .decimal(try DecimalText.decimal("18446744073709551616")),
        "the type int16 cannot represent a range of width 18446744073709551616."
      ),
      (.float, 1e39, "the type float cannot represent a range of width 1e+39."),
      (.float, 1e-50, "the type float cannot represent a range of width 1e-50."),
      (.decimal, 1e200, "the type decimal cannot represent a range of width 1e+200."),
      (.decimal, 1e-200, "the type decimal cannot represent a range of width 1e-200."),
    ]
    for (type, width, expected) in widths {
      #expect(sentence(.range(width: width), .scalar(type)) == expected)
    }
  }
}
