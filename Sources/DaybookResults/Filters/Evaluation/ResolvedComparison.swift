import DaybookStore

/// One side of a comparison, with locations in rows instead of attribute names.
indirect enum ResolvedOperand: Sendable {
  case constant(FilterConstant)
  /// One value. If a target is given, the value is a reference, which counts as nil if the
  /// referenced record does not exist.
  case value(ValuePath, ReferenceTarget?)
  /// The number of values of an attribute with several values.
  case count(MembersPath)
  /// Several values. If a target is given, each value is a reference, which counts as nil if the
  /// referenced record does not exist.
  case members(MembersPath, ReferenceTarget?)

  /// The end of the path; nil for constants.
  private var end: ValuePath.End? {
    switch self {
    case .constant: nil
    case .value(let path, _): path.end
    case .count: .scalar(.int64)
    case .members(let path, _): path.end
    }
  }

  /// The type of each value; nil for constants.
  var type: ScalarType? { end?.scalarType }

  /// The kind of the values. Nil, lists and arrays have none.
  var kind: FilterKind? {
    if let constant { FilterKind(constant) } else { type.map { FilterKind($0) } }
  }

  /// The constant, if the operand is one.
  var constant: FilterConstant? {
    if case .constant(let constant) = self { constant } else { nil }
  }

  /// Returns the operand and its type as text for an error message.
  func phrase(for operand: FilterOperand) -> String {
    switch self {
    case .constant(let constant): constant.phrase
    case .count: "\(operand) (a number)"
    case .value(let path, _): "\(operand) (\(path.end.typePhrase))"
    case .members(let path, _): "\(operand) (\(path.end.typePhrase))"
    }
  }

  /// Returns whether a condition is true for the value of a row, or for its several values as the
  /// quantifier requires.
  ///
  /// - Parameter quantifier: The quantifier for several values; nil is `ANY`.
  @inline(__always)
  func matches(
    _ quantifier: FilterQuantifier?, in bytes: RawSpan, at row: RowLocation,
    in frozen: FrozenState, condition: (borrowing RawSpan?) -> Bool
  ) -> Bool {
    switch self {
    case .value(let path, nil):
      return path.withBytes(in: bytes, of: row, in: frozen, condition)
    case .value(let path, let target?):
      return path.withBytes(in: bytes, of: row, in: frozen) { value in
        if let value, !target.exists(value, in: frozen) { return condition(nil) }
        return condition(value)
      }
    case .count(let path):
      let count = Int64(path.count(in: bytes, of: row, in: frozen))
      return withUnsafeBytes(of: count.littleEndian) { condition($0.bytes) }
    case .members(let path, let target):
      // ANY and NONE search for a value that satisfies the condition, and ALL searches for a value
      // that does not.
      let expected = quantifier != .all
      var isFound = false
      path.forEach(in: bytes, of: row, in: frozen) { value in
        let isMissing =
          if let value, let target { !target.exists(value, in: frozen) } else { false }
        isFound = (isMissing ? condition(nil) : condition(value)) == expected
        return !isFound
      }
      return (quantifier ?? .any) == .any ? isFound : !isFound
    case .constant(let constant):
      preconditionFailure("the constant \(constant) has no row to be read from")
    }
  }

  /// Returns the value that the operand has in a row.
  fileprivate func value(
    in bytes: RawSpan, at row: RowLocation, in frozen: FrozenState
  ) -> AttributeValue {
    if let constant { return constant.value }
    var value = AttributeValue.null
    _ = matches(nil, in: bytes, at: row, in: frozen) { bytes in
      value = self.value(copy bytes)
      return true
    }
    return value
  }

  /// Returns the value that some bytes encode.
  fileprivate func value(_ bytes: RawSpan?) -> AttributeValue {
    guard let bytes else { return .null }
    switch end {
    case .scalar(let type): return AttributeValue(.scalar(type), bytes: bytes) ?? .null
    case .identifier(let kind): return identifier(kind, bytes: bytes)
    case .reference(let target): return identifier(target.identifierKind, bytes: bytes)
    case .array, .references, nil: preconditionFailure("\(self) has no single value")
    }
  }

  private func identifier(_ kind: IdentifierKind, bytes: RawSpan) -> AttributeValue {
    switch RecordIdentifier(kind, bytes: bytes) {
    case .int(let number): .int(number)
    case .uint(let number): .uint(number)
    case .string(let string): .string(string)
    case .uuid(let uuid): .uuid(uuid)
    case nil: .null
    }
  }
}

extension FilterConstant {
  /// The constant as text for an error message.
  var phrase: String {
    switch value {
    case .string(let string): FilterToken.phrase(string)
    case .array: "a list"
    default: description
    }
  }
}

/// A group of types. Only values of the same kind can be compared.
enum FilterKind: Hashable {
  case bool
  /// Numbers of every type, which are compared by value.
  case number
  /// Strings, and the strings of URLs.
  case text
  case date
  case uuid
  case data

  /// Creates the kind of a scalar type.
  init(_ type: ScalarType) {
    self =
      switch type {
      case .bool: .bool
      case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
        .decimal:
        .number
      case .string, .url: .text
      case .date: .date
      case .uuid: .uuid
      case .data: .data
      }
  }

  /// Creates the kind of a constant; nil for a list and for the constant nil, which can be compared
  /// with every kind.
  init?(_ constant: FilterConstant) {
    switch constant.value {
    case .bool: self = .bool
    case .string: self = .text
    case .null, .array: return nil
    default: self = .number
    }
  }
}

/// A comparison with resolved names.
///
/// The compiler creates it from a comparison of the filter, and compiles it to a program. If the
/// right side is not a constant, the program contains this value and evaluates it for each row.
struct ResolvedComparison: Sendable {
  /// The comparison as written, or as the compiler has rewritten it.
  var syntax: FilterComparison
  var left: ResolvedOperand
  var right: ResolvedOperand

  /// Returns whether the comparison of two values is true for a row.
  func matches(_ bytes: RawSpan, at row: RowLocation, in frozen: FrozenState) -> Bool {
    let other = right.value(in: bytes, at: row, in: frozen)
    func holds(_ value: AttributeValue) -> Bool {
      syntax.relation.holds(between: value, and: other, options: syntax.options)
    }
    if let constant = left.constant { return holds(constant.value) }
    return left.matches(syntax.quantifier, in: bytes, at: row, in: frozen) {
      holds(left.value(copy $0))
    }
  }
}
