extension JSONWriter {
  /// Writes a value in the form that it has in a text journal.
  ///
  /// - Complexity: O(*n*)
  package mutating func write(_ value: AttributeValue) {
    switch value {
    case .null: writeNull()
    case .bool(let bool): write(bool)
    case .int(let integer): write(integer)
    case .uint(let integer): write(integer)
    case .float(let float): write(float)
    case .double(let double): write(double)
    case .decimal(let decimal): write(DecimalText.text(of: decimal))
    case .string(let text), .url(let text): write(text)
    case .date(let date): write(DateText.text(of: date))
    case .uuid(let uuid): write(UUIDText.text(of: uuid))
    case .data(let bytes): write(Base64Text.text(of: bytes))
    case .reference(let identifier): write(identifier)
    case .array(let values):
      beginArray()
      for value in values { write(value) }
      endArray()
    }
  }

  /// Writes an identifier in the form that it has in a text journal.
  package mutating func write(_ identifier: RecordIdentifier) {
    switch identifier {
    case .int(let integer): write(integer)
    case .uint(let integer): write(integer)
    case .string(let text): write(text)
    case .uuid(let uuid): write(UUIDText.text(of: uuid))
    }
  }
}
