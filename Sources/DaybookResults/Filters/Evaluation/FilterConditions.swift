import DaybookStore

/// The conditions of a filter that compare an attribute of the row with a constant, if every
/// matching row must meet them.
struct FilterConditions {
  /// The tests of each attribute, by its name.
  private var tests: [String: [ValueTest]] = [:]
  /// The number of conditions that every matching row must meet, of any form.
  private(set) var count = 0

  /// The searches for words in searchable attributes. Every matching row meets at least one search
  /// of each list.
  var searches: [[WordSearch]] = []

  /// Adds a condition of any form.
  mutating func addOther() { count += 1 }

  /// Adds a comparison and the program that it was compiled to.
  mutating func add(_ comparison: FilterComparison, compiledTo program: FilterProgram) {
    count += 1
    guard let name = comparison.attributeBesideConstant, let test = program.ownTest else { return }
    tests[name, default: []].append(test)
  }

  /// Returns the tests of an attribute.
  func tests(of name: String) -> [ValueTest] { tests[name] ?? [] }

  /// Returns the encoded value that an attribute must have. Returns nil if the conditions allow
  /// several values, or if the value has several encodings, as 0.0 and -0.0.
  func value(of name: String) -> [UInt8]? {
    tests(of: name).lazy.compactMap(\.onlyBytes).first
  }
}

/// A search for words in one of the row's own attributes.
struct WordSearch {
  let name: String
  let query: WordQuery
}

extension FilterComparison {
  /// The name of the row's own attribute that the comparison compares with a constant; nil for
  /// other comparisons.
  fileprivate var attributeBesideConstant: String? {
    guard quantifier == nil else { return nil }
    switch (left.content, right.content) {
    case (.path(let names), .constant), (.constant, .path(let names)):
      return names.count == 1 ? names[0] : nil
    default: return nil
    }
  }
}

extension FilterProgram {
  /// Returns the searches for words in some attributes that a matching row must meet: at least one
  /// search of each list.
  func searches(in names: Set<String>) -> [[WordSearch]] {
    switch self {
    case .all(let parts): return parts.flatMap { $0.searches(in: names) }
    case .any(let parts):
      var alternatives: [WordSearch] = []
      for part in parts {
        guard let searches = part.searches(in: names).first else { return [] }
        alternatives += searches
      }
      return [alternatives]
    case .own(let attribute):
      guard let name = attribute.valuePath.names.first, names.contains(name),
        let query = attribute.test.wordQuery
      else { return [] }
      return [[WordSearch(name: name, query: query)]]
    default: return []
    }
  }

  /// The test, if the program tests only one value of a row; otherwise nil.
  fileprivate var ownTest: ValueTest? {
    switch self {
    case .key(_, let type, let range, let isInside, let nilResult):
      return ValueTest(.key(type, range, isInside: isInside), ifNil: nilResult)
    case .own(let attribute): return attribute.test
    case .test(.value, nil, let test): return test
    default: return nil
    }
  }
}

extension ValueTest {
  /// The search for words that a value must match; nil for other tests, and for a search without
  /// words.
  fileprivate var wordQuery: WordQuery? {
    guard !nilResult, case .text(let stringTest) = question,
      case .hasWords(let query) = stringTest.question, !query.isEmpty
    else { return nil }
    return query
  }

  /// The encoding of the only value that passes the test. It is nil if several values pass, or if
  /// the value has several encodings.
  fileprivate var onlyBytes: [UInt8]? {
    guard !nilResult else { return nil }
    switch question {
    case .key(let type, let keys, isInside: true):
      guard keys.lowerBound == keys.upperBound else { return nil }
      let bytes = OrderedKey.rowBytes(type, nearest: keys.lowerBound)
      // A number outside of the type's range has no bytes.
      return OrderedKey.key(type, bytes: bytes.span.bytes) == keys.lowerBound ? bytes : nil
    case .bytes(.equal, let bytes): return bytes
    case .text(let stringTest) where stringTest.options.isEmpty:
      if case .compares(.equal, let bytes) = stringTest.question { return bytes }
      return nil
    default: return nil
    }
  }
}
