import DaybookEssentials
import DaybookStore

/// What the rows of one section have in common.
///
/// ```swift
/// .by(\Bank.name, each: .letter)
/// .by(\Bank.closeDate, each: .month(minutesFromUTC: 120))
/// .by(\Bank.assets, each: .range(width: 1000))
/// ```
///
/// A section is what its rows have in common, exactly, and not its name: no text and an empty text are
/// two sections, and both are named by no letters.
///
/// | kind     | of                                  | name of a section |
/// | -------- | ----------------------------------- | ----------------- |
/// | `value`  | any single value                    | `Vienna`, `0`     |
/// | `letter` | texts                               | `É`               |
/// | `prefix` | texts                               | `Vie`             |
/// | `day`    | dates                               | `2015-10-27`      |
/// | `week`   | dates                               | `2015-W44`        |
/// | `month`  | dates                               | `2015-10`         |
/// | `year`   | dates                               | `2015`            |
/// | `range`  | integers, floats, doubles, decimals | `[0, 10)`         |
///
/// Days, weeks, months and years are those of UTC, of clocks that always show so many minutes more, or,
/// with `DaybookFoundation`, of a time zone.
///
/// Not every kind fits the type of every attribute, and a request that asks for one that does not says
/// so in a sentence.
public struct SectionKind: Hashable, Sendable {
  package enum Form: Hashable, Sendable {
    case value
    case letter
    case prefix(Int)
    case period(DatePeriod, minutesFromUTC: Int)
    case zoned(DatePeriod, ClockZone)
    case range(RangeWidth)
  }

  package let form: Form

  package init(_ form: Form) { self.form = form }

  /// The value itself.
  public static let value = SectionKind(.value)

  /// The first character of a text, in upper case where that is one character.
  public static let letter = SectionKind(.letter)

  /// The first characters of a text, or all that it has.
  public static func prefix(_ characterCount: Int) -> SectionKind {
    SectionKind(.prefix(characterCount))
  }

  /// The day of a date in UTC.
  public static var day: SectionKind { .day(minutesFromUTC: 0) }

  /// The day of a date where clocks show so many minutes more than UTC, at all times of the year.
  public static func day(minutesFromUTC minutes: Int) -> SectionKind {
    SectionKind(.period(.day, minutesFromUTC: minutes))
  }

  /// The week of a date in UTC, as ISO 8601 has it: from Monday to Sunday.
  public static var week: SectionKind { .week(minutesFromUTC: 0) }

  /// The week of a date where clocks show so many minutes more than UTC.
  public static func week(minutesFromUTC minutes: Int) -> SectionKind {
    SectionKind(.period(.week, minutesFromUTC: minutes))
  }

  /// The month of a date in UTC.
  public static var month: SectionKind { .month(minutesFromUTC: 0) }

  /// The month of a date where clocks show so many minutes more than UTC.
  public static func month(minutesFromUTC minutes: Int) -> SectionKind {
    SectionKind(.period(.month, minutesFromUTC: minutes))
  }

  /// The year of a date in UTC.
  public static var year: SectionKind { .year(minutesFromUTC: 0) }

  /// The year of a date where clocks show so many minutes more than UTC.
  public static func year(minutesFromUTC minutes: Int) -> SectionKind {
    SectionKind(.period(.year, minutesFromUTC: minutes))
  }

  /// The range that a number lies in, of those of one width of which one begins at 0.
  public static func range(width: RangeWidth) -> SectionKind { SectionKind(.range(width)) }
}

/// A time zone by whose clocks dates are put into sections.
package struct ClockZone: Hashable, Sendable {
  private let zone: TimeZone
  /// What clocks show more than UTC at one moment. Zones are equal that have one name, and those of
  /// some seconds are named by their minutes.
  private let secondsIn2001: Int

  package init(_ zone: TimeZone) {
    self.zone = zone
    secondsIn2001 = zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: 0))
  }

  /// How many seconds more than UTC clocks show at a date.
  func seconds(at date: Date) -> Int { zone.secondsFromGMT(for: date) }
}

extension ClockZone: CustomStringConvertible {
  /// The zone's name: `Europe/Vienna`.
  package var description: String { zone.identifier }
}

/// How wide the ranges are that numbers are put into.
///
/// ```swift
/// .range(width: 10)
/// .range(width: 0.25)
/// .range(width: .decimal(price))
/// ```
///
/// A width becomes a number of the attribute's type: the nearest of a float or a double, and exactly
/// itself of all others. A double that is to be a decimal is the one that its text writes, so `0.1` is
/// a tenth.
public enum RangeWidth: Hashable, Sendable {
  /// A whole number.
  case integer(Int)
  /// A number of 64 bits.
  case double(Double)
  /// A decimal.
  case decimal(Decimal)

  /// Creates a width from a number in decimal digits: an integer, or a decimal.
  ///
  /// - Throws: ``TextError`` if the text is no number, or has more digits than a decimal
  public init(_ text: String) throws(TextError) {
    if let whole = Int(text) {
      self = .integer(whole)
    } else {
      self = .decimal(try DecimalText.decimal(text))
    }
  }
}

extension RangeWidth: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A whole number.
  public init(integerLiteral width: Int) { self = .integer(width) }
  /// A number of 64 bits.
  public init(floatLiteral width: Double) { self = .double(width) }
}

extension RangeWidth: CustomStringConvertible {
  /// The number.
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

  /// The width of ranges of integers, which is up to 2⁶⁴ − 1.
  func whole(_ type: ScalarType) throws(SectionProblem) -> Int128 {
    try requireAboveZero(type)
    let whole: Int128?
    switch self {
    case .integer(let width): whole = Int128(width)
    case .double(let width):
      guard width == width.rounded() else { throw problem(.widthNotWhole(self), of: type) }
      whole = Int128(exactly: width)
    case .decimal(let width):
      let text = DecimalText.text(of: width)
      guard !text.utf8.contains(UInt8(ascii: ".")) else {
        throw problem(.widthNotWhole(self), of: type)
      }
      whole = Int128(text)
    }
    guard let whole, whole <= Int128(UInt64.max) else {
      throw problem(.widthOutOfReach(self), of: type)
    }
    return whole
  }

  /// The width of ranges of doubles, or of floats.
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

  /// The width of ranges of decimals.
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

/// Why rows cannot be put into sections.
package struct SectionProblem: Error, Hashable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// The value is not one, but several.
    case several
    /// There are no such sections of values of the type.
    case misfit(SectionKind)
    /// The first sort key, which is the section's, has no such order.
    case order(OrderProblem)
    /// A prefix of no characters.
    case prefixTooShort(Int)
    /// No clock shows so many minutes more than UTC.
    case offsetOutOfReach(Int)
    /// A width that is 0, negative, infinite or no number.
    case widthNotAboveZero(RangeWidth)
    /// A width of integers that is none.
    case widthNotWhole(RangeWidth)
    /// A width that the type has no number for.
    case widthOutOfReach(RangeWidth)
  }

  package let reason: Reason
  /// How the text journal calls the type of the value.
  package let typeName: String

  package init(_ reason: Reason, typeName: String) {
    self.reason = reason
    self.typeName = typeName
  }

  /// A sentence, to be put behind what it is about.
  package var description: String {
    switch reason {
    case .several:
      "sections are made of one value each, and a value of type \(typeName) is several."
    case .misfit(let kind): "\(kind.demand), and a value of type \(typeName) is none."
    case .order(let problem): problem.description
    case .prefixTooShort(let count): "a prefix has at least 1 character, and this one has \(count)."
    case .offsetOutOfReach(let minutes):
      "clocks are less than 1440 minutes from UTC, and these are \(minutes)."
    case .widthNotAboveZero(let width): "the width of a range is above 0 and finite, not \(width)."
    case .widthNotWhole(let width):
      "the width of a range of type \(typeName) is a whole number, not \(width)."
    case .widthOutOfReach(let width): "no range of type \(typeName) is \(width) wide."
    }
  }
}

extension SectionKind {
  /// What the values have to be.
  fileprivate var demand: String {
    switch form {
    case .value: "sections are made of single values"
    case .letter: "sections by letter are made of strings"
    case .prefix: "sections by prefix are made of strings"
    case .period(let period, _), .zoned(let period, _): "sections by \(period) are made of dates"
    case .range: "sections by range are made of numbers"
    }
  }
}

/// A closure that makes sections of records, known by its name and version.
package struct SectionClosure: Sendable {
  package let name: String
  package let version: Int
  /// The name of the section of a row, or nil; and whether the row's type is known to the store.
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

  /// Whether the store has the closure's type for an entity.
  func fits(_ entity: Int, in catalog: Catalog) -> Bool { isKnown(entity, catalog) }

  /// Appends the key of the section of a row.
  func append(
    _ row: RowLocation, in state: FrozenState, as key: SectionKey, to buffer: inout RowBuffer
  ) {
    if let text = makeSection(row, state) {
      key.append(text.utf8Span.span.bytes, to: &buffer)
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

/// What a request makes its sections of, by which one is found again in another request.
///
/// Requests that make sections of the same value in the same way have sections in common, in
/// whatever order these stand: comparator and direction make the lead of a section's key, and what is
/// its own behind that is the same bytes.
package struct SectionSource: Sendable {
  /// The names that lead to the value; none for a closure.
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

  /// Whether sections are what a closure says, which nobody can compare with what it said before.
  var isClosure: Bool { closure != nil }

  /// What is the section's own in its key: equal in two requests if and only if the section is the
  /// same, where their sources are.
  func own(in key: [UInt8]) -> [UInt8] {
    Array(key[self.key.ownRange(in: key.span.bytes)])
  }

  /// Returns the name of the section of a key.
  func name(of key: [UInt8]) -> String { self.key.name(of: key.span.bytes) }
}

/// Two are equal if sections are made of the same in the same way, of one entity.
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
