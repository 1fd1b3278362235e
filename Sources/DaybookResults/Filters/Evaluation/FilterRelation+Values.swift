import DaybookStore

extension FilterRelation {
  /// Returns whether the relation is true for two values of comparable kinds.
  func holds(
    between one: AttributeValue, and other: AttributeValue, options: TextOptions = []
  ) -> Bool {
    switch self {
    case .isIn:
      guard case .array(let members) = other else { return false }
      return members.contains {
        FilterRelation.equal.holds(between: one, and: $0, options: options)
      }
    case .between:
      guard case .array(let bounds) = other, bounds.count == 2 else { return false }
      return FilterRelation.greaterOrEqual.holds(between: one, and: bounds[0])
        && FilterRelation.lessOrEqual.holds(between: one, and: bounds[1])
    case .notEqual: return !FilterRelation.equal.holds(between: one, and: other, options: options)
    default: break
    }
    if one.isNull || other.isNull { return self == .equal && one.isNull && other.isNull }
    if let string = one.filterString, let otherString = other.filterString {
      guard let test = TextTest(self, to: otherString, options: options) else { return false }
      return Array(string.utf8).withUnsafeBytes { test.matches($0.bytes) }
    }
    return holds(FilterRelation.compare(one, to: other))
  }

  /// Returns a negative number, 0 or a positive number if the first value is less than, equal to or
  /// greater than the second value. Both values are of the same kind, and are not strings.
  private static func compare(_ one: AttributeValue, to other: AttributeValue) -> Int {
    switch (one, other) {
    case (.bool(let one), .bool(let other)): return (one ? 1 : 0) - (other ? 1 : 0)
    case (.date(let one), .date(let other)):
      return ExactNumber.compare(
        ExactNumber(one.timeIntervalSinceReferenceDate),
        to: ExactNumber(other.timeIntervalSinceReferenceDate))
    case (.uuid, .uuid), (.data, .data):
      return TextTest.compare(one.rowBytes.span.bytes, to: other.rowBytes.span.bytes)
    default:
      guard let number = ExactNumber(one), let otherNumber = ExactNumber(other) else {
        preconditionFailure("cannot compare \(one) with \(other)")
      }
      return ExactNumber.compare(number, to: otherNumber)
    }
  }
}

extension AttributeValue {
  /// The string, or the string of the URL; nil for other values.
  fileprivate var filterString: String? {
    switch self {
    case .string(let string), .url(let string): string
    default: nil
    }
  }

  /// The bytes of a UUID, or of data.
  var rowBytes: [UInt8] {
    var buffer = RowBuffer()
    switch self {
    case .uuid(let uuid): uuid._append(to: &buffer)
    case .data(let bytes): buffer.append(bytes)
    default: preconditionFailure("\(self) has no bytes")
    }
    return buffer.bytes
  }
}
