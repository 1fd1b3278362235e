/// Writes and reads the bytes of a layout in a transaction.
///
/// ```
///   number            u16
///   identifier kind   u8    bits 0 to 6; bit 7 is set if the entity had an earlier name
///   name              string
///   earlier name      string, if it had one
///   attributes        their count, then for each:
///     name            string
///     kind            u8    1 a value, 2 an array, 3 a reference, 4 references
///     type            u8    the scalar type, or the identifier kind of the target entity
///     flags           u8    bit 0 required, 1 has a default, 2 was renamed, 3 has an inverse,
///                           4 checked, if it is a reference
///     delete rules    u8    bits 0 to 3 the rule for deletions of the record, 4 to 7 the rule
///                           for deletions of the target of a reference, or 0
///     target          string, if it is a reference
///     default         bytes, if it has one
///     earlier name    string, if it had one
///     inverse         string, if it has one
///   unique            their count, then for each the count of its names, and the names
/// ```
///
/// A string starts with its length in UTF-8 bytes, and a sequence of bytes starts with its length.
/// Lengths and counts are variable-length numbers.
extension Layout {
  package func append(to buffer: inout RowBuffer) {
    buffer.append(number)
    let flag = entity.earlierName == nil ? 0 : Layout.earlierNameFlag
    buffer.append(entity.identifierKind.rawValue | flag)
    buffer.appendString(entity.name)
    if let earlierName = entity.earlierName { buffer.appendString(earlierName) }
    buffer.appendVariable(UInt64(entity.attributes.count))
    for attribute in entity.attributes { attribute.append(to: &buffer) }
    buffer.appendVariable(UInt64(entity.unique.count))
    for names in entity.unique {
      buffer.appendVariable(UInt64(names.count))
      for name in names { buffer.appendString(name) }
    }
  }

  /// The bit of the identifier kind that is set if the entity had an earlier name.
  static let earlierNameFlag: UInt8 = 0x80

  /// Returns the layout at an offset, and the offset after it; nil if the bytes are not a layout or
  /// if the layout exceeds a limit.
  package static func read(_ bytes: RawSpan, at offset: Int) -> (layout: Layout, end: Int)? {
    try? reading(bytes, at: offset)
  }

  /// Returns the layout at an offset, and the offset after it.
  static func reading(
    _ bytes: RawSpan, at offset: Int
  ) throws(LayoutDefect) -> (layout: Layout, end: Int) {
    var reader = ByteCursor(offset: offset)
    let layout = try reader.layout(bytes)
    return (layout, reader.offset)
  }
}

/// The reasons why bytes cannot be read as a layout.
enum LayoutDefect: Error {
  /// The bytes are not a layout.
  case malformed
  /// The bytes are a layout that exceeds a limit.
  case limit(SchemaExcess)
}

extension RowBuffer {
  package mutating func appendString(_ string: String) {
    appendVariable(UInt64(string.utf8.count))
    append(string)
  }
}

extension AttributeDefinition {
  fileprivate func append(to buffer: inout RowBuffer) {
    buffer.appendString(name)
    let (kind, code): (UInt8, UInt8) =
      switch type {
      case .scalar(let scalar): (1, scalar.rawValue)
      case .array(let scalar): (2, scalar.rawValue)
      case .reference(let target): (3, target.identifierKind.rawValue)
      case .references(let target): (4, target.identifierKind.rawValue)
      }
    buffer.append(kind)
    buffer.append(code)
    var flags: UInt8 = isRequired ? 1 : 0
    if !defaultValue.isNull { flags |= 2 }
    if earlierName != nil { flags |= 4 }
    if inverse != nil { flags |= 8 }
    if isChecked, type.target != nil { flags |= 16 }
    buffer.append(flags)
    let targetRule = type.target == nil ? 0 : whenTargetDeleted?.rawValue ?? 0
    buffer.append(ownDeleteRule.rawValue | targetRule << 4)
    if let target = type.target { buffer.appendString(target.entity) }
    if !defaultValue.isNull {
      var value = RowBuffer()
      defaultValue.append(as: type, to: &value)
      buffer.appendVariable(UInt64(value.count))
      buffer.append(value.bytes)
    }
    if let earlierName { buffer.appendString(earlierName) }
    if let inverse { buffer.appendString(inverse) }
  }
}

extension ByteCursor {
  /// Reads a layout.
  mutating func layout(_ bytes: RawSpan) throws(LayoutDefect) -> Layout {
    guard let number = bytes.number(at: offset, as: UInt16.self), number <= Layout.numberMax,
      let code = bytes.number(at: offset + 2, as: UInt8.self),
      let kind = IdentifierKind(rawValue: code & ~Layout.earlierNameFlag)
    else { throw .malformed }
    offset += 3
    guard let name = string(bytes) else { throw .malformed }
    var entity = EntityDefinition(name, identifiedBy: kind)
    if code & Layout.earlierNameFlag != 0 {
      guard let earlierName = string(bytes), earlierName != name else { throw .malformed }
      entity.earlierName = earlierName
    }
    let count = try count(bytes, within: .attributes, of: name)
    entity.attributes.reserveCapacity(count)
    var attributeNames: Set<String> = []
    for _ in 0..<count {
      guard let attribute = attribute(bytes), attributeNames.insert(attribute.name).inserted
      else { throw .malformed }
      entity.attributes.append(attribute)
    }
    for _ in 0..<(try self.count(bytes, within: .uniqueLists, of: name)) {
      var list: [String] = []
      for _ in 0..<(try self.count(bytes, within: .uniqueListAttributes, of: name)) {
        guard let attribute = string(bytes), attributeNames.contains(attribute) else {
          throw .malformed
        }
        list.append(attribute)
      }
      entity.unique.append(list)
    }
    return Layout(number: number, of: entity)
  }

  /// Reads a count of an entity's parts, such as its attributes, and checks the count against a
  /// limit.
  private mutating func count(
    _ bytes: RawSpan, within limit: SchemaLimit, of entity: String
  ) throws(LayoutDefect) -> Int {
    guard let count = count(bytes) else { throw .malformed }
    guard count <= limit.maximum else {
      throw .limit(SchemaExcess(limit, of: entity, count: count))
    }
    return count
  }

  private mutating func attribute(_ bytes: RawSpan) -> AttributeDefinition? {
    guard let name = string(bytes), let head = bytes.number(at: offset, as: UInt32.self) else {
      return nil
    }
    offset += 4
    let code = UInt8(truncatingIfNeeded: head >> 8)
    let flags = UInt8(truncatingIfNeeded: head >> 16)
    let rules = UInt8(truncatingIfNeeded: head >> 24)
    guard let ownRule = DeleteRule(rawValue: rules & 15) else { return nil }
    var whenTargetDeleted: DeleteRule?
    if rules >> 4 != 0 {
      guard let rule = DeleteRule(rawValue: rules >> 4) else { return nil }
      whenTargetDeleted = rule
    }
    let type: AttributeType
    switch UInt8(truncatingIfNeeded: head) {
    case 1:
      guard let scalar = ScalarType(rawValue: code) else { return nil }
      type = .scalar(scalar)
    case 2:
      guard let scalar = ScalarType(rawValue: code) else { return nil }
      type = .array(scalar)
    case let kind where kind == 3 || kind == 4:
      guard let identifierKind = IdentifierKind(rawValue: code), let entity = string(bytes) else {
        return nil
      }
      let target = EntityReference(entity, identifierKind: identifierKind)
      type = kind == 3 ? .reference(target) : .references(target)
    default: return nil
    }
    var attribute = AttributeDefinition(
      name, type: type, isRequired: flags & 1 != 0, ownDeleteRule: ownRule,
      whenTargetDeleted: whenTargetDeleted)
    guard attribute.isTargetRulePossible else { return nil }
    attribute.isChecked = flags & 16 != 0 && type.target != nil
    if flags & 2 != 0 {
      guard let range = range(bytes),
        let value = AttributeValue(type, bytes: bytes.extracting(range))
      else { return nil }
      attribute.defaultValue = value
    }
    if flags & 4 != 0 {
      guard let name = string(bytes) else { return nil }
      attribute.earlierName = name
    }
    if flags & 8 != 0 {
      guard let name = string(bytes) else { return nil }
      attribute.inverse = name
    }
    return attribute
  }
}
