import DaybookStore

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
