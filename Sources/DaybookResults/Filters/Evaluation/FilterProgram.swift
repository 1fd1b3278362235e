import DaybookStore

/// The program that a filter is compiled to for the rows of one entity.
///
/// The compiler has replaced each name with the path to its values, and has converted each constant
/// to the form that values in rows have. So evaluation does not search for names and does not
/// convert constants. Evaluation reads the bytes of rows without creating records or values. There
/// are two exceptions: `compare` creates both values, and `predicate` creates a record.
///
/// Most filters consist of the two cases `key` and `own`, which are evaluated without a copy. The
/// evaluation of every other case copies the values of the case.
indirect enum FilterProgram: Sendable {
  case constant(Bool)
  case not(FilterProgram)
  /// The parts in the order of evaluation, which ends at the first part that does not match.
  case all([FilterProgram])
  /// The parts in the order of evaluation, which ends at the first part that matches.
  case any([FilterProgram])
  /// A test that the ordered key of an attribute of the row itself is in a range, or outside of it.
  ///
  /// Most comparisons with a constant are compiled to this case, which needs only a few reads of
  /// memory. The ordered key of a value is its ``OrderedKey``.
  case key(
    AttributePath, type: ScalarType, range: ClosedRange<UInt64>, isInside: Bool, nilResult: Bool)
  /// A test of the value of an attribute of the row itself.
  case own(AttributeTest)
  /// A test of the operand's value, or of its several values as the quantifier requires.
  case test(ResolvedOperand, FilterQuantifier?, ValueTest)
  /// A comparison of two values that are read from rows, or of a constant on the left with such a
  /// value.
  case compare(ResolvedComparison)
  /// A Swift predicate that is evaluated on the record in the row.
  ///
  /// If the predicate throws an error, it has no result. The program then uses the result that
  /// makes a match less likely: false, or true under an odd number of `NOT`. So a row with a failed
  /// predicate matches only if it would match with both results.
  case predicate(EvaluatedPredicate, failureResult: Bool)

  /// Returns whether a row matches.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the row.
  ///   - evaluations: An object that records the evaluations of predicates; nil if the program has
  ///     no predicates.
  func matches(
    _ bytes: RawSpan, at row: RowLocation, in frozen: FrozenState,
    noting evaluations: RowEvaluations?
  ) -> Bool {
    switch self {
    case .key(let path, let type, let range, let isInside, let nilResult):
      guard let key = OrderedKey.key(of: path, type: type, in: bytes) else { return nilResult }
      return (range.lowerBound <= key && key <= range.upperBound) == isInside
    case .own(let test): return test.matches(bytes, at: row, in: frozen)
    case .test(let operand, let quantifier, let test):
      return operand.matches(quantifier, in: bytes, at: row, in: frozen) { test.matches(copy $0) }
    case .constant(let result): return result
    case .not(let part):
      return !part.matches(bytes, at: row, in: frozen, noting: evaluations)
    case .all(let parts):
      for part in parts where !part.matches(bytes, at: row, in: frozen, noting: evaluations) {
        return false
      }
      return true
    case .any(let parts):
      for part in parts where part.matches(bytes, at: row, in: frozen, noting: evaluations) {
        return true
      }
      return false
    case .compare(let comparison): return comparison.matches(bytes, at: row, in: frozen)
    case .predicate(let predicate, let failureResult):
      guard let evaluations else { preconditionFailure("\(predicate) has no evaluation counter") }
      evaluations.isEvaluated = true
      do {
        return try predicate.evaluate(row, in: frozen)
      } catch {
        evaluations.failures.append(error)
        return failureResult
      }
    }
  }
}

/// A test of the value of an attribute of the row itself.
//
// The type is a class, so that its properties are read in place. The values of an enumeration case
// would be copied for each row, and the copy would take as long as the test itself.
final class AttributeTest: Sendable {
  let path: AttributePath
  let test: ValueTest
  /// The path of the attribute, for rows that do not contain its value because it is too large.
  let valuePath: ValuePath
  /// The string of a test whether strings are equal, which is the most frequent filter of strings;
  /// empty for other tests.
  private let equalBytes: [UInt8]
  /// A Boolean value that indicates whether equal strings pass the test. If it is false, all other
  /// strings pass. Nil for tests other than equality.
  private let isEqual: Bool?

  init(_ path: AttributePath, valuePath: ValuePath, test: ValueTest) {
    self.path = path
    self.valuePath = valuePath
    self.test = test
    let equality = test.stringEquality
    equalBytes = equality?.bytes ?? []
    isEqual = equality?.isEqual
  }

  func matches(_ bytes: RawSpan, at row: RowLocation, in frozen: FrozenState) -> Bool {
    if path.isElsewhere(in: bytes) {
      return valuePath.withBytes(of: row, in: frozen) { test.matches(copy $0) }
    }
    return path.withBytes(in: bytes) { matches(copy $0) }
  }

  private func matches(_ value: RawSpan?) -> Bool {
    guard let value else { return test.nilResult }
    guard let isEqual else { return test.matches(value) }
    // Equal bytes are equal strings, and an ASCII string with other bytes is a different string.
    // All other strings are compared in their normal form.
    let isSame = equalBytes.withUnsafeBytes { bytesAreEqual(value, and: $0.bytes) }
    if isSame { return isEqual }
    return FoldedText.isASCII(value) ? !isEqual : test.matches(value)
  }
}
