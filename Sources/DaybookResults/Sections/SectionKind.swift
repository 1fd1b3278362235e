import DaybookEssentials
import DaybookStore

/// The part of a value that all rows of one section have in common.
///
/// ```swift
/// .by(\Bank.name, each: .letter)
/// .by(\Bank.closeDate, each: .month(utcOffset: .seconds(7200)))
/// .by(\Bank.assets, each: .range(width: 1000))
/// ```
///
/// A section is identified by the exact common value of its rows, not by its name. A nil string and
/// an empty string are two sections, and both have the empty name.
///
/// | kind     | of                                  | name of a section |
/// | -------- | ----------------------------------- | ----------------- |
/// | `value`  | any single value                    | `Vienna`, `0`     |
/// | `letter` | strings                             | `É`               |
/// | `prefix` | strings                             | `Vie`             |
/// | `day`    | dates                               | `2015-10-27`      |
/// | `week`   | dates                               | `2015-W44`        |
/// | `month`  | dates                               | `2015-10`         |
/// | `year`   | dates                               | `2015`            |
/// | `range`  | integers, floats, doubles, decimals | `[0, 10)`         |
///
/// Days, weeks, months and years are those of UTC, or of clocks with a constant offset from UTC of
/// whole minutes. With `DaybookFoundation` they can also be those of a time zone.
///
/// A kind is possible only for attributes of the types in the table. A fetch with an impossible
/// kind throws an error that explains the problem.
public struct SectionKind: Hashable, Sendable {
  /// The kind with its parameters.
  package enum Form: Hashable, Sendable {
    case value
    case letter
    case prefix(Int)
    case period(DatePeriod, utcOffset: Duration)
    case zoned(DatePeriod, ClockZone)
    case range(RangeWidth)
  }

  package let form: Form

  package init(_ form: Form) { self.form = form }

  /// Sections by the value itself.
  public static let value = SectionKind(.value)

  /// Sections by the first character of a string, in uppercase if the uppercase form is one
  /// character.
  public static let letter = SectionKind(.letter)

  /// Returns sections by the first characters of a string, or by the whole string if it is shorter.
  public static func prefix(_ characterCount: Int) -> SectionKind {
    SectionKind(.prefix(characterCount))
  }

  /// Sections by the day of a date in UTC.
  public static var day: SectionKind { .day(utcOffset: .zero) }

  /// Returns sections by the day of a date on clocks with a constant offset from UTC.
  public static func day(utcOffset: Duration) -> SectionKind {
    SectionKind(.period(.day, utcOffset: utcOffset))
  }

  /// Sections by the week of a date in UTC. As in ISO 8601, weeks are from Monday to Sunday.
  public static var week: SectionKind { .week(utcOffset: .zero) }

  /// Returns sections by the week of a date on clocks with a constant offset from UTC.
  public static func week(utcOffset: Duration) -> SectionKind {
    SectionKind(.period(.week, utcOffset: utcOffset))
  }

  /// Sections by the month of a date in UTC.
  public static var month: SectionKind { .month(utcOffset: .zero) }

  /// Returns sections by the month of a date on clocks with a constant offset from UTC.
  public static func month(utcOffset: Duration) -> SectionKind {
    SectionKind(.period(.month, utcOffset: utcOffset))
  }

  /// Sections by the year of a date in UTC.
  public static var year: SectionKind { .year(utcOffset: .zero) }

  /// Returns sections by the year of a date on clocks with a constant offset from UTC.
  public static func year(utcOffset: Duration) -> SectionKind {
    SectionKind(.period(.year, utcOffset: utcOffset))
  }

  /// Returns sections by ranges of numbers. All ranges have one width, and one of them starts at 0.
  public static func range(width: RangeWidth) -> SectionKind { SectionKind(.range(width)) }
}

/// A time zone that determines the sections of dates.
package struct ClockZone: Hashable, Sendable {
  private let zone: TimeZone
  /// The offset from UTC at the start of 2001. Two `TimeZone` values with the same name are equal.
  /// The name of a constant offset contains the minutes but no seconds, so time zones with
  /// different seconds have the same name. The offset distinguishes such zones.
  private let secondsIn2001: Int

  package init(_ zone: TimeZone) {
    self.zone = zone
    secondsIn2001 = zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: 0))
  }

  /// Returns the difference between the zone's clocks and UTC at a date, in seconds. The difference
  /// is positive if the clocks are ahead of UTC.
  func seconds(at date: Date) -> Int { zone.secondsFromGMT(for: date) }
}

extension ClockZone: CustomStringConvertible {
  /// The name of the zone, as in `Europe/Vienna`.
  package var description: String { zone.identifier }
}

/// The width of the ranges that group numbers.
///
/// ```swift
/// .range(width: 10)
/// .range(width: 0.25)
/// .range(width: .decimal(price))
/// ```
///
/// A fetch converts the width to the type of the attribute. A conversion to a float or a double
/// gives the nearest number. All other conversions are exact, or fail with an error. A double is
/// converted to a decimal by its text, so `0.1` is exactly one tenth.
public enum RangeWidth: Hashable, Sendable {
  /// A whole number.
  case integer(Int)
  /// A double.
  case double(Double)
  /// A decimal.
  case decimal(Decimal)

  /// Creates a width from the text of a number: an integer or a decimal.
  ///
  /// - Throws: `TextError` if the text is not a number, or has more digits than a decimal
  public init(_ literal: String) throws(TextError) {
    if let integer = Int(literal) {
      self = .integer(integer)
    } else {
      self = .decimal(try DecimalText.decimal(literal))
    }
  }
}

extension RangeWidth: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates a width from a whole number.
  public init(integerLiteral width: Int) { self = .integer(width) }
  /// Creates a width from a double.
  public init(floatLiteral width: Double) { self = .double(width) }
}

extension RangeWidth: CustomStringConvertible {
  /// The number as text.
  public var description: String {
    switch self {
    case .integer(let width): "\(width)"
    case .double(let width): NumberText.text(of: width)
    case .decimal(let width): DecimalText.text(of: width)
    }
  }
}

extension RangeWidth {
  private func problem(_ reason: SectionProblem.Reason, of type: ScalarType) -> SectionProblem {
    SectionProblem(reason, typeName: type.name)
  }

  private func requireAboveZero(_ type: ScalarType) throws(SectionProblem) {
    let isAboveZero =
      switch self {
      case .integer(let width): width > 0
      case .double(let width): width > 0 && width.isFinite
      case .decimal(let width): !width.isNaN && width > 0
      }
    guard isAboveZero else { throw problem(.widthNotAboveZero(self), of: type) }
  }

  /// Returns the width of ranges of integers, which is at most 2⁶⁴ − 1.
  func integral(_ type: ScalarType) throws(SectionProblem) -> Int128 {
    try requireAboveZero(type)
    let integer: Int128?
    switch self {
    case .integer(let width): integer = Int128(width)
    case .double(let width):
      guard width == width.rounded() else { throw problem(.widthNotInteger(self), of: type) }
      integer = Int128(exactly: width)
    case .decimal(let width):
      let literal = DecimalText.text(of: width)
      guard !literal.utf8.contains(UInt8(ascii: ".")) else {
        throw problem(.widthNotInteger(self), of: type)
      }
      integer = Int128(literal)
    }
    guard let integer, integer <= Int128(UInt64.max) else {
      throw problem(.widthOutOfReach(self), of: type)
    }
    return integer
  }

  /// Returns the width of ranges of doubles, or of floats.
  func floating(_ type: ScalarType) throws(SectionProblem) -> Double {
    try requireAboveZero(type)
    var width: Double
    switch self {
    case .integer(let so): width = Double(so)
    case .double(let so): width = so
    case .decimal(let so): width = (try? NumberText.double(DecimalText.text(of: so))) ?? .infinity
    }
    if type == .float { width = Double(Float(width)) }
    guard width > 0, width.isFinite else { throw problem(.widthOutOfReach(self), of: type) }
    return width
  }

  /// Returns the width of ranges of decimals.
  func decimal() throws(SectionProblem) -> Decimal {
    try requireAboveZero(.decimal)
    switch self {
    case .integer(let width): return Decimal(width)
    case .double:
      guard let width = try? DecimalText.decimal(description) else {
        throw problem(.widthOutOfReach(self), of: .decimal)
      }
      return width
    case .decimal(let width): return width
    }
  }
}

/// The reason that rows cannot be grouped into sections.
package struct SectionProblem: Error, Hashable, CustomStringConvertible {
  /// The reasons, with the facts of each.
  package enum Reason: Hashable, Sendable {
    /// The attribute has several values in one row.
    case several
    /// Values of the type have no sections of this kind.
    case defect(SectionKind)
    /// The first sort key also sorts the sections, and cannot sort values of the type.
    case order(OrderProblem)
    /// The prefix has no characters.
    case prefixTooShort(Int)
    /// The offset from UTC is 24 hours or more.
    case offsetOutOfReach(Duration)
    /// The offset from UTC is not a number of whole minutes.
    case offsetNotInMinutes(Duration)
    /// The width is 0, negative, infinite or not a number.
    case widthNotAboveZero(RangeWidth)
    /// The width of ranges of integers is not a whole number.
    case widthNotInteger(RangeWidth)
    /// The type of the attribute cannot represent the width.
    case widthOutOfReach(RangeWidth)
  }

  package let reason: Reason
  /// The name of the value's type in the text journal.
  package let typeName: String

  package init(_ reason: Reason, typeName: String) {
    self.reason = reason
    self.typeName = typeName
  }

  /// The problem as text, for a message that begins with the path of the sections.
  package var description: String {
    switch reason {
    case .several:
      "a section key needs a single value; the type \(typeName) has several."
    case .defect(let kind): "\(kind.demand); the type is \(typeName)."
    case .order(let problem): problem.description
    case .prefixTooShort(let count): "a prefix needs at least 1 character, not \(count)."
    case .offsetOutOfReach(let offset):
      "the offset from UTC must be less than 24 hours, not \(offset)."
    case .offsetNotInMinutes(let offset):
      "the offset from UTC must be whole minutes, not \(offset)."
    case .widthNotAboveZero(let width):
      "the width of a range must be finite and above 0, not \(width)."
    case .widthNotInteger(let width):
      "the width of a range of type \(typeName) must be a whole number, not \(width)."
    case .widthOutOfReach(let width):
      "the type \(typeName) cannot represent a range of width \(width)."
    }
  }
}

extension SectionKind {
  /// The requirement of the kind on its values.
  fileprivate var demand: String {
    switch form {
    case .value: "sections need a single value"
    case .letter: "sections by letter need strings"
    case .prefix: "sections by prefix need strings"
    case .period(let period, _), .zoned(let period, _): "sections by \(period) need dates"
    case .range: "sections by range need numbers"
    }
  }
}

/// A closure that returns the name of a record's section. The name, the version and the record type
/// identify the closure, because closures cannot be compared.
package struct SectionClosure: Sendable {
  package let name: String
  package let version: Int
  /// `makeSection` returns the name of a row's section, or nil. `isKnown` returns whether the store
  /// has the record type of the closure for an entity.
  private let makeSection: @Sendable (RowLocation, FrozenState) -> String?
  private let isKnown: @Sendable (Int, Catalog) -> Bool
  package let typeName: String

  init<R: Record>(
    _ name: String, version: Int, makeSection: @escaping @Sendable (R) -> String?
  ) {
    self.name = name
    self.version = version
    typeName = "\(R.self)"
    let read = RecordRead<R>()
    isKnown = { read.fits($0, in: $1) }
    self.makeSection = { row, state in read.record(in: row, of: state).flatMap(makeSection) }
  }

  func fits(_ entity: Int, in catalog: Catalog) -> Bool { isKnown(entity, catalog) }

  func append(
    _ row: RowLocation, in state: FrozenState, as key: SectionKey, to buffer: inout RowBuffer
  ) {
    if let name = makeSection(row, state) {
      key.append(name.utf8Span.span.bytes, to: &buffer)
    } else {
      key.append(nil, to: &buffer)
    }
  }
}

extension SectionClosure: Hashable {
  package static func == (one: SectionClosure, other: SectionClosure) -> Bool {
    one.name == other.name && one.version == other.version && one.typeName == other.typeName
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(version)
  }
}

/// The definition of a request's sections: the value or the closure that determines the section of
/// a row. Together with the own part of a key, the definition identifies a section, also in lists
/// of different requests.
///
/// Two requests that make sections from the same value in the same way have common sections, also
/// if their sort orders differ. Comparator and direction affect only the lead of a section's key.
/// The own part after the lead has the same bytes for both requests.
package struct SectionSource: Sendable {
  /// The names of the path to the value; empty for a closure.
  private let names: [String]
  private let closure: SectionClosure?
  private let key: SectionKey

  init(_ names: [String], key: SectionKey) {
    self.names = names
    closure = nil
    self.key = key
  }

  init(_ closure: SectionClosure, key: SectionKey) {
    names = []
    self.closure = closure
    self.key = key
  }

  /// A Boolean value that indicates whether a closure makes the sections. A cache then compares
  /// every row with the closure's result, because the closure may have changed without a new
  /// version.
  var isClosure: Bool { closure != nil }

  /// Returns the own part of a section's key. If the sources of two requests are equal, the own
  /// parts are equal if and only if the sections are the same.
  func own(in key: [UInt8]) -> [UInt8] {
    Array(key[self.key.ownRange(in: key.span.bytes)])
  }

  func name(of key: [UInt8]) -> String { self.key.name(of: key.span.bytes) }
}

/// Two sources are equal if they make sections from the same value in the same way.
extension SectionSource: Hashable {
  package static func == (one: SectionSource, other: SectionSource) -> Bool {
    one.names == other.names && one.closure == other.closure
      && one.key.makesSameSections(as: other.key)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(names)
    hasher.combine(closure)
  }
}
