import DaybookStore

/// What is asked of one value, as bytes of a row, with the constants beside it prepared.
//
// A class, so that asking it copies one reference at most, whatever it holds.
final class ValueTest: Sendable {
  enum Question: Sendable {
    case constant(Bool)
    /// Whether the ordered key of the value lies in a range, or does not.
    case key(ScalarType, ClosedRange<UInt64>?, isInside: Bool)
    /// Whether the ordered key of the value is one of these, which ascend.
    case keyIsOneOf(ScalarType, [UInt64])
    case decimal(FilterRelation, PackedDecimal)
    /// A decimal beside a Double that none is.
    case exact(FilterRelation, ExactNumber)
    case bytes(FilterRelation, [UInt8])
    case text(TextTest)
    case any([ValueTest])
    case all([ValueTest])
  }

  /// The answer if there is no value.
  let nilAnswer: Bool
  let question: Question

  init(_ question: Question, ifNil nilAnswer: Bool = false) {
    self.question = question
    self.nilAnswer = nilAnswer
  }

  /// The answer for a value, or for none.
  func answer(_ bytes: RawSpan?) -> Bool {
    guard let bytes else { return nilAnswer }
    switch question {
    case .constant(let answer): return answer
    case .key(let type, let range, let isInside):
      guard let key = OrderedKey.key(type, bytes) else { return nilAnswer }
      return (range?.contains(key) ?? false) == isInside
    case .keyIsOneOf(let type, let keys):
      guard let key = OrderedKey.key(type, bytes) else { return nilAnswer }
      return ValueTest.contains(keys, key)
    case .decimal(let relation, let other):
      guard let number = PackedDecimal(row: bytes) else { return nilAnswer }
      return relation.holds(
        PackedDecimal.isOrdered(number, before: other)
          ? -1 : PackedDecimal.isOrdered(other, before: number) ? 1 : 0)
    case .exact(let relation, let other):
      guard let number = PackedDecimal(row: bytes) else { return nilAnswer }
      return relation.holds(ExactNumber.compare(ExactNumber(number), other))
    case .bytes(let relation, let other):
      return relation.holds(TextTest.compare(bytes, other.span.bytes))
    case .text(let test): return test.answer(bytes)
    case .any(let tests):
      for test in tests where test.answer(bytes) { return true }
      return false
    case .all(let tests):
      for test in tests where !test.answer(bytes) { return false }
      return true
    }
  }

  /// Whether a number is one of some that ascend.
  @inline(__always)
  static func contains(_ keys: [UInt64], _ key: UInt64) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key
  }
}

extension PackedDecimal {
  /// The decimal in 20 bytes of a row; nil if there are not so many.
  init?(row bytes: RawSpan) {
    guard let low = bytes.number(at: 0, as: UInt64.self),
      let high = bytes.number(at: 8, as: UInt64.self),
      let tail = bytes.number(at: 16, as: UInt32.self), bytes.byteCount == PackedDecimal.byteCount
    else { return nil }
    self.init(low: low, high: high, tail: tail)
  }
}
