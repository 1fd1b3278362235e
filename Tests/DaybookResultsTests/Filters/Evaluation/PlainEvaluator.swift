import DaybookResults
import DaybookStore
import FoundationEssentials
import Testing

/// Asks a filter of a whole record, in the most obvious way: every value is built, every text is an
/// array of scalars, and nothing is prepared.
struct PlainEvaluator {
  let snapshot: StoreSnapshot

  func matches(_ filter: Filter, _ record: DynamicRecord) throws -> Bool {
    switch filter.tree {
    case .constant(let constant): return constant
    case .not(let filter): return try !matches(filter, record)
    case .all(let parts): return try parts.allSatisfy { try matches($0, record) }
    case .any(let parts): return try parts.contains { try matches($0, record) }
    case .comparison(let comparison): return try matches(comparison, record)
    case .evaluated(let predicate): preconditionFailure("\(predicate) is about no plain record")
    }
  }

  private func matches(_ given: FilterComparison, _ record: DynamicRecord) throws -> Bool {
    var comparison = given
    var left = try value(comparison.left, record)
    var right = try value(comparison.right, record)
    let hasListed = if case .several = right { true } else { false }
    if comparison.relation == .isIn, hasListed {
      swap(&left, &right)
      (comparison.relation, comparison.quantifier) = (.equal, .any)
    }
    if comparison.relation == .contains, comparison.quantifier == nil, case .several = left {
      (comparison.relation, comparison.quantifier) = (.equal, .any)
    }
    func holds(_ one: Plain, _ other: Plain) throws -> Bool {
      try self.holds(one, comparison.relation, comparison.options, other)
    }
    guard let quantifier = comparison.quantifier else {
      // Of an attribute with several values only nil is asked.
      if case .several(_, let isNil) = left {
        return (comparison.relation == .equal) == isNil
      }
      if case .several(_, let isNil) = right {
        return (comparison.relation == .equal) == isNil
      }
      return try holds(left, right)
    }
    guard case .several(let values, _) = left else { return false }
    switch quantifier {
    case .any: return try values.contains { try holds($0, right) }
    case .all: return try values.allSatisfy { try holds($0, right) }
    case .none: return try !values.contains { try holds($0, right) }
    }
  }

  // MARK: Values

  /// A value, and the type of the attribute that it is of; a constant has none.
  indirect enum Plain {
    case one(AttributeValue, AttributeType?)
    case several([Plain], isNil: Bool)
  }

  private func value(_ operand: FilterOperand, _ record: DynamicRecord) throws -> Plain {
    switch operand.content {
    case .constant(let constant): return .one(constant.value, nil)
    case .path(let names): return try value(names[...], record)
    case .count(let names):
      guard case .several(let values, _) = try value(names[...], record) else {
        return .one(.int(0), .scalar(.int64))
      }
      return .one(.int(Int64(values.count)), .scalar(.int64))
    }
  }

  private func definition(_ entity: String) -> EntityDefinition? {
    snapshot.entities.first { $0.name == entity }
  }

  private func value(_ names: ArraySlice<String>, _ record: DynamicRecord?, _ entity: String? = nil)
    throws -> Plain
  {
    let definition = definition(record?.entity ?? entity ?? "")
    guard let definition, let name = names.first else { return .one(.null, nil) }
    if name == "id" {
      return .one(record.map { .reference($0.id) } ?? .null, type(of: definition.identifierKind))
    }
    if let inverse = PlainReader(snapshot: snapshot).inverse(
      name, of: record?.id, in: definition.name)
    {
      return try value(inverse, rest: names.dropFirst(), record)
    }
    let place = definition.index(of: name) ?? 0
    let type = definition.attributes[place].type
    let value = record?.values[place] ?? .null
    let rest = names.dropFirst()
    switch (type, value) {
    case (.scalar, _): return .one(value, type)
    case (.reference(let target), .reference(let id)):
      let next = try snapshot.object(target.entity, id: id)
      if rest.isEmpty {
        return .one(next == nil ? .null : value, self.type(of: target.identifierKind))
      }
      return try self.value(rest, next, target.entity)
    case (.reference(let target), _):
      return rest.isEmpty
        ? .one(.null, self.type(of: target.identifierKind))
        : try self.value(rest, nil, target.entity)
    case (.array(let element), .array(let values)):
      return .several(values.map { .one($0, .scalar(element)) }, isNil: false)
    case (.references(let target), .array(let values)):
      var found: [Plain] = []
      for case .reference(let id) in values {
        guard let next = try snapshot.object(target.entity, id: id) else { continue }
        found.append(
          rest.isEmpty
            ? .one(.reference(id), self.type(of: target.identifierKind))
            : try self.value(rest, next, target.entity))
      }
      return .several(found, isNil: false)
    case (.array, _), (.references, _): return .several([], isNil: true)
    }
  }

  /// Returns the values of the records of an inverse.
  private func value(
    _ inverse: PlainReader.Inverse, rest: ArraySlice<String>, _ record: DynamicRecord?
  ) throws -> Plain {
    let rest = rest.isEmpty ? ["id"] : rest
    guard !inverse.isToOne else {
      return try value(rest, inverse.records.first, inverse.entity)
    }
    return .several(
      try inverse.records.map { try value(rest, $0, inverse.entity) }, isNil: record == nil)
  }

  private func type(of kind: IdentifierKind) -> AttributeType {
    switch kind {
    case .int: .scalar(.int64)
    case .uint: .scalar(.uint64)
    case .string: .scalar(.string)
    case .uuid: .scalar(.uuid)
    }
  }

  // MARK: Comparisons

  private func holds(
    _ one: Plain, _ relation: FilterRelation, _ options: TextOptions, _ other: Plain
  ) throws -> Bool {
    guard case .one(let left, let leftType) = one, case .one(let right, let rightType) = other
    else { return false }
    switch (relation, right) {
    case (.notEqual, _): return try !holds(one, .equal, options, other)
    case (.isIn, .array(let members)):
      return try members.contains { try holds(one, .equal, options, .one($0, nil)) }
    case (.between, .array(let bounds)):
      return try holds(one, .greaterOrEqual, [], .one(bounds[0], nil))
        && holds(one, .lessOrEqual, [], .one(bounds[1], nil))
    default: break
    }
    let (value, otherValue) = (
      try typed(left, leftType, beside: rightType), try typed(right, rightType, beside: leftType)
    )
    if value.isNull || otherValue.isNull {
      return relation == .equal && value.isNull && otherValue.isNull
    }
    if case .string(let text) = value, case .string(let otherText) = otherValue {
      return try PlainText.holds(text, relation, options, otherText)
    }
    let order = PlainEvaluator.compare(value, otherValue)
    switch relation {
    case .equal: return order == 0
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    case .greaterOrEqual: return order >= 0
    default: return false
    }
  }

  /// Returns a value as it is compared: identifiers and URLs as their contents, and constants as
  /// values of the other side's type.
  private func typed(
    _ value: AttributeValue, _ type: AttributeType?, beside other: AttributeType?
  ) throws -> AttributeValue {
    switch (value, other) {
    case (.reference(let id), _):
      return switch id {
      case .int(let number): .int(number)
      case .uint(let number): .uint(number)
      case .string(let text): .string(text)
      case .uuid(let uuid): .uuid(uuid)
      }
    case (.url(let text), _): return .string(text)
    case (.string(let text), .scalar(let scalar)) where type == nil:
      switch scalar {
      case .date: return .date(try DateText.date(text))
      case .uuid: return .uuid(try #require(UUID(uuidString: text)))
      case .data: return .data([UInt8](try #require(Data(base64Encoded: text))))
      case .string, .url, .bool: return value
      default:
        if let special = Double(text), !special.isFinite { return .double(special) }
        return .decimal(try DecimalText.decimal(text))
      }
    case (.decimal(let number), .scalar(.double)) where type == nil:
      return .double(try #require(Double(DecimalText.text(of: number))))
    case (.decimal(let number), .scalar(.float)) where type == nil:
      let nearest = try #require(Float(DecimalText.text(of: number)))
      return nearest.isFinite ? .float(nearest) : value
    default: return value
    }
  }

  private static func compare(_ one: AttributeValue, _ other: AttributeValue) -> Int {
    if let number = PlainNumber(one), let otherNumber = PlainNumber(other) {
      return PlainNumber.compare(number, otherNumber)
    }
    switch (one, other) {
    case (.bool(let one), .bool(let other)): return (one ? 1 : 0) - (other ? 1 : 0)
    case (.date(let one), .date(let other)):
      let (seconds, otherSeconds) = (
        one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate
      )
      return PlainNumber.compare(PlainNumber(seconds), PlainNumber(otherSeconds))
    case (.uuid(let one), .uuid(let other)):
      return one.uuidString == other.uuidString ? 0 : one.uuidString < other.uuidString ? -1 : 1
    case (.data(let one), .data(let other)):
      return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
    default:
      Issue.record("\(one) beside \(other)")
      return 0
    }
  }
}
