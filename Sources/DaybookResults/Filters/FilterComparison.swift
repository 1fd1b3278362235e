/// One comparison of a filter: the two operands, and the relation between them.
package struct FilterComparison: Hashable, Sendable {
  package var quantifier: FilterQuantifier?
  package var left: FilterOperand
  package var relation: FilterRelation
  package var options: TextOptions
  package var right: FilterOperand
  /// The place of the relation.
  package var place = FilterPlace()

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

/// Of how many of several values a comparison is to be true.
package enum FilterQuantifier: String, Hashable, Sendable, CaseIterable {
  case any = "ANY"
  case all = "ALL"
  case none = "NONE"
}

/// How two values are compared.
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
  case isIn = "IN"
  case between = "BETWEEN"

  /// Whether it is a question about texts alone.
  package var isTextTest: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like, .matches: true
    default: false
    }
  }

  /// Whether `[c]` and `[d]` may stand behind it.
  package var takesOptions: Bool {
    isTextTest || self == .equal || self == .notEqual || self == .isIn
  }

  /// The relation that says the same with its sides exchanged; nil if there is none.
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

/// What a comparison of texts does not look at: `[c]`, `[d]` and `[cd]`.
public struct TextOptions: OptionSet, Hashable, Sendable {
  /// One bit for each option.
  public let rawValue: UInt8

  /// The options of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The case of letters: `[c]`.
  public static let ignoringCase = TextOptions(rawValue: 1)
  /// The marks on letters: `[d]`.
  public static let ignoringDiacritics = TextOptions(rawValue: 2)
}

/// One side of a comparison.
package struct FilterOperand: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// What stands at the end of some names, from the record on.
    case path([String])
    /// How many values stand there.
    case count([String])
    case constant(FilterConstant)
  }

  package var content: Content
  package var place: FilterPlace

  package init(_ content: Content, place: FilterPlace = FilterPlace()) {
    self.content = content
    self.place = place
  }
}

/// Where in which text a part of a filter was read, or of whose property it was made. Places do not make
/// filters different.
package struct FilterPlace: Hashable, Sendable {
  /// The entity from whose records on a path was given by properties; nil in a text.
  package var root: String?
  package var text: String?
  /// From 1, in Unicode scalars.
  package var column: Int?
  /// Where the names of a path stand, if they do not all stand at the column.
  package var nameColumns: [Int] = []

  package init(_ text: String? = nil, column: Int? = nil) {
    self.text = text
    self.column = column
  }

  /// Where a name of a path stands.
  package func name(_ index: Int) -> FilterPlace {
    FilterPlace(text, column: index < nameColumns.count ? nameColumns[index] : column)
  }

  package static func == (one: FilterPlace, other: FilterPlace) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}
