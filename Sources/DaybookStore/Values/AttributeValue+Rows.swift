import DaybookEssentials

extension AttributeValue {
  /// Appends the bytes of the value, in the form that rows contain for an attribute of a type.
  ///
  /// - Precondition: The value is not null, and ``fits(_:)`` returns true for the type.
  package func append(as type: AttributeType, to buffer: inout RowBuffer) {
    switch (type, self) {
    case (.scalar(let scalar), _): appendScalar(scalar, to: &buffer)
    case (.reference, .reference(let identifier)): identifier.append(to: &buffer)
    case (.array(let scalar), .array(let values)):
      ElementList.append(count: values.count, byteCount: scalar.byteCount, to: &buffer) {
        values[$0].appendScalar(scalar, to: &$1)
      }
    case (.references(let target), .array(let values)):
      let width = target.identifierKind.byteCount
      ElementList.append(count: values.count, byteCount: width, to: &buffer) {
        guard case .reference(let identifier) = values[$0] else {
          preconditionFailure("\(values[$0]) is not a reference to \(target.entity)")
        }
        identifier.append(to: &$1)
      }
    default: preconditionFailure("\(self) is not a value of type \(type.name)")
    }
  }

  private func appendScalar(_ type: ScalarType, to buffer: inout RowBuffer) {
    switch self {
    case .bool(let value): value._append(to: &buffer)
    case .int(let value):
      switch type {
      case .int8: buffer.append(Int8(value))
      case .int16: buffer.append(Int16(value))
      case .int32: buffer.append(Int32(value))
      default: buffer.append(value)
      }
    case .uint(let value):
      switch type {
      case .uint8: buffer.append(UInt8(value))
      case .uint16: buffer.append(UInt16(value))
      case .uint32: buffer.append(UInt32(value))
      default: buffer.append(value)
      }
    case .float(let value): value._append(to: &buffer)
    case .double(let value): value._append(to: &buffer)
    case .decimal(let value): value._append(to: &buffer)
    case .string(let value): buffer.append(value)
    case .date(let value): value._append(to: &buffer)
    case .uuid(let value): value._append(to: &buffer)
    case .data(let value): buffer.append(value)
    case .url(let value): buffer.append(value)
    case .null, .reference, .array:
      preconditionFailure("\(self) is not a value of type \(type.name)")
    }
  }

  /// Returns whether an attribute of a type can have the value. An integer must also be in the
  /// range of the type. Every type accepts null.
  public func fits(_ type: AttributeType) -> Bool {
    if case .null = self { return true }
    switch (type, self) {
    case (.scalar(let scalar), _): return fits(scalar)
    case (.reference(let target), .reference(let identifier)):
      return identifier.kind == target.identifierKind
    case (.array(let scalar), .array(let values)): return values.allSatisfy { $0.fits(scalar) }
    case (.references(let target), .array(let values)):
      return values.allSatisfy {
        guard case .reference(let identifier) = $0 else { return false }
        return identifier.kind == target.identifierKind
      }
    default: return false
    }
  }

  private func fits(_ type: ScalarType) -> Bool {
    switch (type, self) {
    case (.bool, .bool), (.int64, .int), (.uint64, .uint), (.float, .float), (.double, .double),
      (.decimal, .decimal), (.string, .string), (.date, .date), (.uuid, .uuid), (.data, .data),
      (.url, .url):
      true
    case (.int8, .int(let value)): Int8(exactly: value) != nil
    case (.int16, .int(let value)): Int16(exactly: value) != nil
    case (.int32, .int(let value)): Int32(exactly: value) != nil
    case (.uint8, .uint(let value)): UInt8(exactly: value) != nil
    case (.uint16, .uint(let value)): UInt16(exactly: value) != nil
    case (.uint32, .uint(let value)): UInt32(exactly: value) != nil
    default: false
    }
  }

  /// Creates the value of a type from its bytes; nil if the bytes are invalid.
  package init?(_ type: AttributeType, bytes: RawSpan) {
    switch type {
    case .scalar(let scalar):
      guard let value = AttributeValue(scalar, bytes: bytes) else { return nil }
      self = value
    case .reference(let target):
      guard let identifier = RecordIdentifier(target.identifierKind, bytes: bytes) else {
        return nil
      }
      self = .reference(identifier)
    case .array(let scalar):
      guard let list = ElementList(bytes, byteCount: scalar.byteCount) else { return nil }
      var values: [AttributeValue] = []
      for index in 0..<list.count {
        let element = bytes.extracting(list.range(index, in: bytes))
        if let value = AttributeValue(scalar, bytes: element) { values.append(value) }
      }
      self = .array(values)
    case .references(let target):
      let kind = target.identifierKind
      guard let list = ElementList(bytes, byteCount: kind.byteCount) else { return nil }
      var values: [AttributeValue] = []
      for index in 0..<list.count {
        let element = bytes.extracting(list.range(index, in: bytes))
        if let value = RecordIdentifier(kind, bytes: element) { values.append(.reference(value)) }
      }
      self = .array(values)
    }
  }

  private init?(_ type: ScalarType, bytes: RawSpan) {
    func some<Value>(_ value: Value?, as make: (Value) -> AttributeValue) -> AttributeValue? {
      value.map(make)
    }
    let value: AttributeValue? =
      switch type {
      case .bool: some(Bool(_row: bytes)) { .bool($0) }
      case .int8: some(Int8(_row: bytes)) { .int(Int64($0)) }
      case .int16: some(Int16(_row: bytes)) { .int(Int64($0)) }
      case .int32: some(Int32(_row: bytes)) { .int(Int64($0)) }
      case .int64: some(Int64(_row: bytes)) { .int($0) }
      case .uint8: some(UInt8(_row: bytes)) { .uint(UInt64($0)) }
      case .uint16: some(UInt16(_row: bytes)) { .uint(UInt64($0)) }
      case .uint32: some(UInt32(_row: bytes)) { .uint(UInt64($0)) }
      case .uint64: some(UInt64(_row: bytes)) { .uint($0) }
      case .float: some(Float(_row: bytes)) { .float($0) }
      case .double: some(Double(_row: bytes)) { .double($0) }
      case .decimal: some(Decimal(_row: bytes)) { .decimal($0) }
      case .string: .string(RowText.text(bytes))
      case .date: some(Date(_row: bytes)) { .date($0) }
      case .uuid: some(UUID(_row: bytes)) { .uuid($0) }
      case .data: .data(bytes.withUnsafeBytes { [UInt8]($0) })
      case .url: .url(RowText.text(bytes))
      }
    guard let value else { return nil }
    self = value
  }
}
