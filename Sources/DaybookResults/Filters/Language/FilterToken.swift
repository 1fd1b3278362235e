/// A piece of the text of a filter.
enum FilterToken: Equatable {
  /// A name or a keyword, as it stands.
  case word(String)
  /// A name behind `#`, which is no keyword.
  case name(String)
  case string(String)
  /// The digits of a number.
  case number(String)
  /// An operator or a bracket; `@count`, `%@` and `%K` too.
  case symbol(String)
  case end

  /// How a sentence calls it.
  var phrase: String {
    switch self {
    case .word(let text), .symbol(let text): "'\(text)'"
    case .name(let text): "'#\(text)'"
    case .string(let text): FilterToken.phrase(text)
    case .number(let text): text
    case .end: "the end"
    }
  }

  /// A text in quotation marks, cut short if it is long.
  static func phrase(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > 40 else { return FilterConstant.quoted(text) }
    return FilterConstant.quoted(String(scalars.prefix(39)) + "…")
  }
}

/// The words that the language takes for itself, in any case.
enum FilterKeyword: String, CaseIterable {
  case and, or, not, any, all, none
  case beginsWith = "beginswith"
  case endsWith = "endswith"
  case contains, like, matches
  case isIn = "in"
  case between
  case truePredicate = "truepredicate"
  case falsePredicate = "falsepredicate"
  case `true`, yes
  case `false`, no
  case `nil`, null

  /// The keyword that a word is in some case.
  init?(word: String) {
    guard word.utf8.count <= 14, word.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.init(rawValue: word.lowercased())
  }

  /// The relation that it names.
  var relation: FilterRelation? {
    switch self {
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .contains: .contains
    case .like: .like
    case .matches: .matches
    case .isIn: .isIn
    case .between: .between
    default: nil
    }
  }

  var quantifier: FilterQuantifier? {
    switch self {
    case .any: .any
    case .all: .all
    case .none: FilterQuantifier.none
    default: nil
    }
  }

  /// The value that it names.
  var constant: FilterConstant? {
    switch self {
    case .true, .yes: FilterConstant(.bool(true))
    case .false, .no: FilterConstant(.bool(false))
    case .nil, .null: .null
    default: nil
    }
  }
}
