import DaybookStore

/// A filter as questions about the bytes of a row, in the order in which they are asked.
enum FilterCheck: Sendable {
  case constant(Bool)
  case all([FilterCheck])
  case any([FilterCheck])
  indirect case not(FilterCheck)
  case key(KeyCheck)
  case equalText(EqualTextCheck)
  case own(OwnCheck)
  case value(ValueCheck)
  case members(MembersCheck)
  case count(CountCheck)
  case pair(PairCheck)
  case predicate(PredicateCheck)

  /// - Parameter evaluations: What is told of predicates that are evaluated; nil if there are none.
  func answer(
    _ bytes: RawSpan, _ row: RowLocation, _ frozen: FrozenState, _ evaluations: RowEvaluations?
  ) -> Bool {
    switch self {
    case .key(let check): return check.answer(bytes)
    case .equalText(let check): return check.answer(bytes, row, frozen)
    case .own(let check): return check.answer(bytes, row, frozen)
    case .value(let check): return check.answer(bytes, row, frozen)
    case .constant(let answer): return answer
    case .not(let check): return !check.answer(bytes, row, frozen, evaluations)
    case .all(let checks):
      for check in checks where !check.answer(bytes, row, frozen, evaluations) { return false }
      return true
    case .any(let checks):
      for check in checks where check.answer(bytes, row, frozen, evaluations) { return true }
      return false
    case .members(let check): return check.answer(bytes, row, frozen)
    case .count(let check):
      let count = Int64(check.path.count(in: bytes, of: row, in: frozen))
      return withUnsafeBytes(of: count.littleEndian) { check.test.answer($0.bytes) }
    case .pair(let check): return check.answer(bytes, row, frozen)
    case .predicate(let check): return check.answer(row, frozen, evaluations)
    }
  }
}

/// Whether the ordered key of an attribute of the row itself lies in a range, or does not.
///
/// It is what most comparisons with a constant come to, and takes a few loads.
final class KeyCheck: Sendable {
  let path: AttributePath
  let type: ScalarType
  let low: UInt64
  let high: UInt64
  let isInside: Bool
  let nilAnswer: Bool

  init(
    _ path: AttributePath, _ type: ScalarType, _ range: ClosedRange<UInt64>, isInside: Bool,
    nilAnswer: Bool
  ) {
    self.path = path
    self.type = type
    low = range.lowerBound
    high = range.upperBound
    self.isInside = isInside
    self.nilAnswer = nilAnswer
  }

  @inline(__always)
  func answer(_ row: RawSpan) -> Bool {
    guard let key = OrderedKey.key(of: path, type, in: row) else { return nilAnswer }
    return (low <= key && key <= high) == isInside
  }
}

/// A question about an attribute of the row itself.
final class OwnCheck: Sendable {
  let path: AttributePath
  let test: ValueTest
  /// The same attribute, for rows that have its value elsewhere.
  private let longWay: ValuePath

  init(_ path: AttributePath, _ test: ValueTest, _ longWay: ValuePath) {
    self.path = path
    self.test = test
    self.longWay = longWay
  }

  func answer(_ bytes: RawSpan, _ row: RowLocation, _ frozen: FrozenState) -> Bool {
    if path.isElsewhere(in: bytes) {
      return longWay.withBytes(of: row, in: frozen) { test.answer(copy $0) }
    }
    return path.withBytes(in: bytes) { test.answer(copy $0) }
  }
}

/// A question about one value, wherever it is.
final class ValueCheck: Sendable {
  let path: ValuePath
  let test: ValueTest
  /// The value is a reference: whether it is one to a record that is there.
  let target: ReferenceTarget?

  init(_ path: ValuePath, _ test: ValueTest, _ target: ReferenceTarget?) {
    self.path = path
    self.test = test
    self.target = target
  }

  func answer(_ bytes: RawSpan, _ row: RowLocation, _ frozen: FrozenState) -> Bool {
    path.withBytes(in: bytes, of: row, in: frozen) { bytes in
      if let bytes, let target, !target.isThere(bytes, in: frozen) { return test.nilAnswer }
      return test.answer(copy bytes)
    }
  }
}

/// A question about several values.
final class MembersCheck: Sendable {
  let path: MembersPath
  let quantifier: FilterQuantifier
  let test: ValueTest
  let target: ReferenceTarget?

  init(
    _ path: MembersPath, _ quantifier: FilterQuantifier, _ test: ValueTest,
    _ target: ReferenceTarget?
  ) {
    self.path = path
    self.quantifier = quantifier
    self.test = test
    self.target = target
  }

  func answer(_ bytes: RawSpan, _ row: RowLocation, _ frozen: FrozenState) -> Bool {
    // All are what is asked if none is not.
    let wanted = quantifier != .all
    var isFound = false
    path.forEach(in: bytes, of: row, in: frozen) { bytes in
      var answer = test.nilAnswer
      if let bytes {
        answer =
          target.map { $0.isThere(bytes, in: frozen) } ?? true
          ? test.answer(bytes) : test.nilAnswer
      }
      isFound = answer == wanted
      return !isFound
    }
    return quantifier == .any ? isFound : !isFound
  }
}

/// A question about how many values there are.
final class CountCheck: Sendable {
  let path: MembersPath
  let test: ValueTest

  init(_ path: MembersPath, _ test: ValueTest) {
    self.path = path
    self.test = test
  }
}
