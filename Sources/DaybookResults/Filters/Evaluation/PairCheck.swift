import DaybookStore

/// A question about two values that both come from rows, or a constant and one that does.
///
/// These are seldom asked, so the values are built.
final class PairCheck: Sendable {
  enum Side: Sendable {
    case constant(AttributeValue)
    case value(ValuePath, ReferenceTarget?)
    case count(MembersPath)
    /// Only on the left.
    case members(MembersPath, FilterQuantifier, ReferenceTarget?)
  }

  let left: Side
  let relation: FilterRelation
  let options: TextOptions
  let right: Side

  init(_ left: Side, _ relation: FilterRelation, _ options: TextOptions, _ right: Side) {
    self.left = left
    self.relation = relation
    self.options = options
    self.right = right
  }

  func answer(_ bytes: RawSpan, _ row: RowLocation, _ frozen: FrozenState) -> Bool {
    let other = right.value(bytes, row, frozen)
    guard case .members(let path, let quantifier, let target) = left else {
      return relation.answer(left.value(bytes, row, frozen), options, other)
    }
    let wanted = quantifier != .all
    var isFound = false
    path.forEach(in: bytes, of: row, in: frozen) { bytes in
      let value = Side.value(copy bytes, path.end, target, frozen)
      isFound = relation.answer(value, options, other) == wanted
      return !isFound
    }
    return quantifier == .any ? isFound : !isFound
  }
}

extension PairCheck.Side {
  fileprivate func value(
    _ bytes: RawSpan, _ row: RowLocation, _ frozen: FrozenState
  ) -> AttributeValue {
    switch self {
    case .constant(let value): value
    case .value(let path, let target):
      path.withBytes(in: bytes, of: row, in: frozen) { bytes in
        PairCheck.Side.value(copy bytes, path.end, target, frozen)
      }
    case .count(let path): .int(Int64(path.count(in: bytes, of: row, in: frozen)))
    case .members: preconditionFailure("several values are no value")
    }
  }

  fileprivate static func value(
    _ bytes: RawSpan?, _ end: ValuePath.End, _ target: ReferenceTarget?,
    _ frozen: FrozenState
  ) -> AttributeValue {
    guard let bytes else { return .null }
    if let target, !target.isThere(bytes, in: frozen) { return .null }
    switch end {
    case .scalar(let type): return AttributeValue(.scalar(type), bytes: bytes) ?? .null
    case .identifier(let kind): return identifier(kind, bytes)
    case .reference(let target): return identifier(target.identifierKind, bytes)
    case .array, .references: preconditionFailure("several values are no value")
    }
  }

  private static func identifier(_ kind: IdentifierKind, _ bytes: RawSpan) -> AttributeValue {
    switch RecordIdentifier(kind, bytes: bytes) {
    case .int(let number): .int(number)
    case .uint(let number): .uint(number)
    case .string(let text): .string(text)
    case .uuid(let uuid): .uuid(uuid)
    case nil: .null
    }
  }
}

extension FilterRelation {
  /// Whether two values of kinds that are compared are to each other as the relation says.
  func answer(
    _ one: AttributeValue, _ options: TextOptions, _ other: AttributeValue
  ) -> Bool {
    switch self {
    case .isIn:
      guard case .array(let members) = other else { return false }
      return members.contains { FilterRelation.equal.answer(one, options, $0) }
    case .between:
      guard case .array(let bounds) = other, bounds.count == 2 else { return false }
      return FilterRelation.greaterOrEqual.answer(one, [], bounds[0])
        && FilterRelation.lessOrEqual.answer(one, [], bounds[1])
    case .notEqual: return !FilterRelation.equal.answer(one, options, other)
    default: break
    }
    if one.isNull || other.isNull { return self == .equal && one.isNull && other.isNull }
    if let text = one.filterText, let otherText = other.filterText {
      guard let test = TextTest(self, otherText, options) else { return false }
      return Array(text.utf8).withUnsafeBytes { test.answer($0.bytes) }
    }
    return holds(FilterRelation.compare(one, other))
  }

  private static func compare(_ one: AttributeValue, _ other: AttributeValue) -> Int {
    switch (one, other) {
    case (.bool(let one), .bool(let other)): return (one ? 1 : 0) - (other ? 1 : 0)
    case (.date(let one), .date(let other)):
      return ExactNumber.compare(
        ExactNumber(one.timeIntervalSinceReferenceDate),
        ExactNumber(other.timeIntervalSinceReferenceDate))
    case (.uuid, .uuid), (.data, .data):
      return TextTest.compare(one.rowBytes.span.bytes, other.rowBytes.span.bytes)
    default:
      guard let number = ExactNumber(one), let otherNumber = ExactNumber(other) else {
        preconditionFailure("\(one) beside \(other)")
      }
      return ExactNumber.compare(number, otherNumber)
    }
  }
}

extension TextTest {
  /// What a relation asks of a text beside another; nil for patterns, which are prepared once.
  init?(_ relation: FilterRelation, _ other: String, _ options: TextOptions) {
    self.options = options
    let bytes = FoldedText.comparable(other, options)
    switch relation {
    case .beginsWith: question = .beginsWith(bytes)
    case .endsWith: question = .endsWith(bytes)
    // Texts are UTF-8, in which the bytes of a text are found only where its scalars are.
    case .contains: question = .contains(bytes.isEmpty ? nil : SequenceSearch(bytes))
    case .like: question = .isLike(LikePattern(other, options))
    case .matches: return nil
    default: question = .compares(relation, bytes)
    }
  }
}

extension AttributeValue {
  /// The text, if the value is one.
  fileprivate var filterText: String? {
    switch self {
    case .string(let text), .url(let text): text
    default: nil
    }
  }

  /// The bytes of a UUID, or of data.
  var rowBytes: [UInt8] {
    var buffer = RowBuffer()
    switch self {
    case .uuid(let uuid): uuid.append(to: &buffer)
    case .data(let bytes): buffer.append(bytes)
    default: preconditionFailure("\(self) has no bytes")
    }
    return buffer.bytes
  }
}
