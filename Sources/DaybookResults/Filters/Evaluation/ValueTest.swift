import DaybookPlatform
import DaybookStore

/// A test of one value in the bytes of a row. The compiler has already converted the constants of
/// the test to the form of the values.
struct ValueTest: Sendable {
  /// The condition that the value must satisfy.
  indirect enum Question: Sendable {
    case constant(Bool)
    /// A test that the ordered key of the value is in a range, or outside of it.
    case key(ScalarType, ClosedRange<UInt64>, isInside: Bool)
    /// A test that the ordered key of the value is one of some keys, which are in ascending order.
    case keyIsOneOf(ScalarType, [UInt64])
    case decimal(FilterRelation, PackedDecimal)
    /// A comparison of a decimal with a number that a decimal cannot represent, such as infinity.
    case exact(FilterRelation, ExactNumber)
    case bytes(FilterRelation, [UInt8])
    case text(TextTest)
    case any([ValueTest])
    case all([ValueTest])
  }

  /// The result for a missing value.
  let nilResult: Bool
  let question: Question

  init(_ question: Question, ifNil nilResult: Bool = false) {
    self.question = question
    self.nilResult = nilResult
  }

  /// The test that fails for every value and for nil.
  static let never = ValueTest(.constant(false))

  /// Returns whether a value, or nil, passes.
  func matches(_ bytes: RawSpan?) -> Bool {
    guard let bytes else { return nilResult }
    switch question {
    case .constant(let result): return result
    case .key(let type, let range, let isInside):
      guard let key = OrderedKey.key(type, bytes: bytes) else { return nilResult }
      return range.contains(key) == isInside
    case .keyIsOneOf(let type, let keys):
      guard let key = OrderedKey.key(type, bytes: bytes) else { return nilResult }
      return ValueTest.contains(key, in: keys)
    case .decimal(let relation, let other):
      guard let number = PackedDecimal(row: bytes) else { return nilResult }
      return relation.holds(
        PackedDecimal.isOrdered(number, before: other)
          ? -1 : PackedDecimal.isOrdered(other, before: number) ? 1 : 0)
    case .exact(let relation, let other):
      guard let number = PackedDecimal(row: bytes) else { return nilResult }
      return relation.holds(ExactNumber.compare(ExactNumber(number), to: other))
    case .bytes(let relation, let other):
      return relation.holds(TextTest.compare(bytes, to: other.span.bytes))
    case .text(let test): return test.matches(bytes)
    case .any(let tests):
      for test in tests where test.matches(bytes) { return true }
      return false
    case .all(let tests):
      for test in tests where !test.matches(bytes) { return false }
      return true
    }
  }

  /// The parts of a test whether strings are equal; nil for other tests. `bytes` is the string in
  /// normal form. `isEqual` is true if equal strings pass, and false if all other strings pass.
  var stringEquality: (bytes: [UInt8], isEqual: Bool)? {
    guard case .text(let test) = question, test.options.isEmpty else { return nil }
    return switch test.question {
    case .compares(.equal, let bytes): (bytes, true)
    case .compares(.notEqual, let bytes): (bytes, false)
    default: nil
    }
  }

  /// Returns whether an ascending list contains a key.
  @inline(__always)
  private static func contains(_ key: UInt64, in keys: [UInt64]) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key
  }
}

/// A test of one string. The strings in the test are already normalized, and folded as the options
/// require.
//
// The type is a class, so that an evaluation copies only a reference.
final class TextTest: Sendable {
  /// The condition that the string must satisfy.
  indirect enum Question: Sendable {
    case compares(FilterRelation, [UInt8])
    case beginsWith([UInt8])
    case endsWith([UInt8])
    /// A search; nil searches for the empty string, which every string contains.
    case contains(SequenceSearch<UInt8>?)
    case isOneOf(Set<[UInt8]>)
    case isLike(LikePattern)
    case matches(MatchPattern)
    case hasWords(WordQuery)
  }

  let options: TextOptions
  let question: Question

  init(_ question: Question, options: TextOptions = []) {
    self.options = options
    self.question = question
  }

  /// Creates the test of a relation to a given string; nil for a regular expression, which may be
  /// invalid and is created separately.
  init?(_ relation: FilterRelation, to other: String, options: TextOptions) {
    guard relation != .matchesWords else {
      self.options = WordQuery.options
      question = .hasWords(WordQuery(other))
      return
    }
    self.options = options
    let bytes = FoldedText.bytes(of: other, options: options)
    switch relation {
    case .beginsWith: question = .beginsWith(bytes)
    case .endsWith: question = .endsWith(bytes)
    // In valid UTF-8, bytes that match are always whole scalars.
    case .contains: question = .contains(bytes.isEmpty ? nil : SequenceSearch(bytes))
    case .like: question = .isLike(LikePattern(other, options: options))
    case .matches: return nil
    default: question = .compares(relation, bytes)
    }
  }

  /// Returns whether a string in the bytes of a row passes.
  func matches(_ row: RawSpan) -> Bool {
    FoldedText.withBytes(of: row, options: options) { string in
      switch question {
      case .compares(let relation, let other):
        relation.holds(TextTest.compare(string, to: other.span.bytes))
      case .beginsWith(let start):
        string.byteCount >= start.count
          && bytesAreEqual(string.extracting(0..<start.count), and: start.span.bytes)
      case .endsWith(let end):
        string.byteCount >= end.count
          && bytesAreEqual(
            string.extracting(string.byteCount - end.count..<string.byteCount), and: end.span.bytes)
      case .contains(let search): search?.isFound(in: string) ?? true
      case .isOneOf(let strings): strings.contains(string.withUnsafeBytes { [UInt8]($0) })
      case .isLike(let pattern): pattern.matches(string)
      case .matches(let pattern): pattern.matches(string)
      case .hasWords(let query): query.matches(string)
      }
    }
  }

  /// Returns a negative number, 0 or a positive number if the first bytes are less than, equal to
  /// or greater than the second bytes.
  static func compare(_ one: RawSpan, to other: RawSpan) -> Int {
    let count = min(one.byteCount, other.byteCount)
    let result = one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        guard count > 0, let start = one.baseAddress, let otherStart = other.baseAddress else {
          return 0
        }
        return Memory.compare(start, with: otherStart, byteCount: count)
      }
    }
    return result == 0 ? one.byteCount - other.byteCount : result
  }
}

extension FilterRelation {
  /// Returns whether the relation is true for two values with a comparison result.
  @inline(__always)
  func holds(_ comparison: Int) -> Bool {
    switch self {
    case .equal: comparison == 0
    case .notEqual: comparison != 0
    case .less: comparison < 0
    case .lessOrEqual: comparison <= 0
    case .greater: comparison > 0
    case .greaterOrEqual: comparison >= 0
    default: preconditionFailure("\(rawValue) is not a comparison of order")
    }
  }
}

extension PackedDecimal {
  /// Creates the decimal in the bytes of a row; nil if the byte count is not that of a decimal.
  init?(row bytes: RawSpan) {
    guard let low = bytes.number(at: 0, as: UInt64.self),
      let high = bytes.number(at: 8, as: UInt64.self),
      let tail = bytes.number(at: 16, as: UInt32.self), bytes.byteCount == PackedDecimal.byteCount
    else { return nil }
    self.init(low: low, high: high, tail: tail)
  }
}
