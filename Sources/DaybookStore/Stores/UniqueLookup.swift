import DaybookEssentials
import DaybookJournal

extension StateReader {
  /// Returns the record that has a value in a unique attribute; nil if no record has it.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, `unknownAttribute`, `notUnique` or `unknownValue`
  /// - Complexity: O(log *n*)
  func object<R: Record, Value: AttributeRepresentable>(
    where keyPath: KeyPath<R, Value>, is value: Value, path: String
  ) throws(StoreError) -> R? {
    guard let codec = catalog.types.codec(R.self) else {
      throw StoreError(.unknownType("\(R.self)"), path: path)
    }
    guard let entity = catalog.index(of: R.schema.entity) else { return nil }
    let layout = catalog.newest(entity)
    guard let name = R.schema.attribute(at: keyPath), let attribute = layout.index(of: name) else {
      throw StoreError(
        .unknownAttribute(entity: R.schema.entity, attribute: "\(keyPath)"), path: path)
    }
    guard let list = layout.entity.unique.firstIndex(of: [name]) else {
      throw StoreError(.notUnique(entity: R.schema.entity, attribute: name), path: path)
    }
    // The unique list does not apply to records without a value, so the index does not contain
    // them.
    if value._isNil { return nil }
    // The index finds records that have the same values as a given row. So the function makes a row
    // with only this value, which is never stored.
    var values = [AttributeValue](repeating: .null, count: layout.entity.attributes.count)
    values[attribute] = value.attributeValue
    var buffer = RowBuffer()
    DynamicRecord(layout.entity.name, id: layout.identifierKind.least, values: values)
      .append(layout, to: &buffer)
    let row = buffer.bytes
    let slots = slots(withSameValuesAs: row.span.bytes, of: entity, list: list)
    guard let slot = slots.first else { return nil }
    return try records(at: [self.row(inSlot: slot, of: entity).location], codec, path: path).first
  }
}

extension IdentifierKind {
  /// The identifier of the row that is made for a lookup. Its value does not matter.
  package var least: RecordIdentifier {
    switch self {
    case .int: .int(0)
    case .uint: .uint(0)
    case .string: .string("")
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    }
  }
}

extension StoreSnapshot {
  /// Returns the record that has a value in a unique attribute, or nil if no record has it.
  ///
  /// ```swift
  /// let ada = try store.snapshot.object(Person.self, where: \.email, is: "ada@example.org")
  /// ```
  ///
  /// The store finds the record in an index and does not read all records. Two strings are the same
  /// value if their composed normal forms are equal. For the value nil the result is nil, because
  /// any number of records may have no value.
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - keyPath: A property that ``RecordSchema/unique(_:)`` names alone.
  ///   - value: The value that the record must have.
  /// - Throws: ``StoreError`` with `unknownType`, `unknownAttribute`, `notUnique` or `unknownValue`
  /// - Complexity: O(log *n*)
  public func object<R: Record, Value: AttributeRepresentable>(
    _ type: R.Type, where keyPath: KeyPath<R, Value>, is value: Value
  ) throws(StoreError) -> R? {
    let record = Result { () throws(StoreError) in
      try frozen.reader.object(where: keyPath, is: value, path: path)
    }
    try frozen.checkWhole(path)
    return try record.get()
  }
}

extension Store {
  /// Returns the number of saved records of a type.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  /// - Complexity: O(1)
  public func count<R: Record>(of type: R.Type) throws(StoreError) -> Int {
    try snapshot.count(of: type)
  }

  /// Returns the saved record with an identifier, or nil if it does not exist.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `unknownValue`
  /// - Complexity: O(1)
  public func object<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
    try snapshot.object(type, id: id)
  }

  /// Returns the saved record that a reference points to, or nil if it does not exist.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `unknownValue`
  public func object<R: Record>(_ reference: Reference<R>?) throws(StoreError) -> R? {
    try snapshot.object(reference)
  }

  /// Returns the saved record that has a value in a unique attribute, or nil if no record has it.
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - keyPath: A property that ``RecordSchema/unique(_:)`` names alone.
  ///   - value: The value that the record must have.
  /// - Throws: ``StoreError``, as ``StoreSnapshot/object(_:where:is:)``
  /// - Complexity: O(log *n*)
  public func object<R: Record, Value: AttributeRepresentable>(
    _ type: R.Type, where keyPath: KeyPath<R, Value>, is value: Value
  ) throws(StoreError) -> R? {
    try snapshot.object(type, where: keyPath, is: value)
  }
}
