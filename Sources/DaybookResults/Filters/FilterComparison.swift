/// One comparison of a filter: the two operands, and the relation between them.
package struct FilterComparison: Hashable, Sendable {
  package var quantifier: FilterQuantifier?
  package var left: FilterOperand
  package var relation: FilterRelation
  package var options: TextOptions
  package var right: FilterOperand
  /// The position of the relation in the text.
  package var position = FilterPosition()

  package init(
    _ left: FilterOperand, relation: FilterRelation, right: FilterOperand,
    options: TextOptions = [], quantifier: FilterQuantifier? = nil
  ) {
    self.quantifier = quantifier
    self.left = left
    self.relation = relation
    self.options = options
    self.right = right
  }
}

/// The number of an attribute's several values that must satisfy a comparison: at least one, all,
/// or none.
package enum FilterQuantifier: String, Hashable, Sendable, CaseIterable {
  case any = "ANY"
  case all = "ALL"
  case none = "NONE"
}

/// The relation that a comparison tests.
package enum FilterRelation: String, Hashable, Sendable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case contains = "CONTAINS"
  case like = "LIKE"
  case matches = "MATCHES"
  case matchesWords = "MATCHESWORDS"
  case isIn = "IN"
  case between = "BETWEEN"

  /// A Boolean value that indicates whether the relation is for strings only.
  package var isStringTest: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like, .matches, .matchesWords: true
    default: false
    }
  }

  /// A Boolean value that indicates whether `[c]` and `[d]` may follow the relation. A search for
  /// words always ignores both.
  package var takesOptions: Bool {
    switch self {
    case .equal, .notEqual, .isIn: true
    case .matchesWords: false
    default: isStringTest
    }
  }

  /// The relation with the same meaning after its sides are exchanged; nil if no such relation
  /// exists.
  package var exchanged: FilterRelation? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: nil
    }
  }
}

/// The differences between strings that a comparison ignores: `[c]`, `[d]` and `[cd]`.
public struct TextOptions: OptionSet, Hashable, Sendable {
  /// The bits, one for each option.
  public let rawValue: UInt8

  /// Creates options from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The option to ignore the case of letters: `[c]`.
  public static let ignoringCase = TextOptions(rawValue: 1)
  /// The option to ignore the marks on letters: `[d]`.
  public static let ignoringDiacritics = TextOptions(rawValue: 2)
}

/// One side of a comparison.
package struct FilterOperand: Hashable, Sendable {
  /// The value of an operand, by names or as a constant.
  package enum Content: Hashable, Sendable {
    /// The value at the end of a path of names that starts at the record.
    case path([String])
    /// The number of values of the attribute at the end of a path.
    case count([String])
    case constant(FilterConstant)
  }

  package var content: Content
  package var position: FilterPosition

  package init(_ content: Content, position: FilterPosition = FilterPosition()) {
    self.content = content
    self.position = position
  }
}

/// The position of a part of a filter in the filter's text, and the entity of the property that the
/// part was created from. Error messages contain them. All positions are equal, so that filters
/// with different positions can be equal.
package struct FilterPosition: Hashable, Sendable {
  /// The entity of the first property of the path; nil for a path that was written as names.
  package var root: String?
  package var source: String?
  /// The column of the part, from 1, in Unicode scalars.
  package var column: Int?
  /// The column of each name of a path. For a name without an element in this array, it is
  /// `column`.
  package var nameColumns: [Int] = []

  package init(_ source: String? = nil, column: Int? = nil) {
    self.source = source
    self.column = column
  }

  /// Returns the position of a name of the path.
  package func name(_ index: Int) -> FilterPosition {
    FilterPosition(source, column: index < nameColumns.count ? nameColumns[index] : column)
  }

  package static func == (one: FilterPosition, other: FilterPosition) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}
