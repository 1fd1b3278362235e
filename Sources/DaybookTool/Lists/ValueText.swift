@_spi(Tools) import DaybookStore

/// Functions that convert values to text, for messages and for the cells of tables.
enum ValueText {
  /// Returns a value in the form that a text journal uses, but without quotation marks. Returns nil
  /// for null.
  static func text(of value: AttributeValue) -> String? {
    switch value {
    case .null: return nil
    case .string(let string), .url(let string): return string
    case .reference(let id): return text(of: id)
    // JSON has no numbers for NaN and infinities, so these are strings there.
    case .date, .uuid, .data, .decimal, .float, .double: return unquoted(json(of: value))
    case .bool, .int, .uint, .array: return json(of: value)
    }
  }

  /// Returns an identifier as text.
  static func text(of id: RecordIdentifier) -> String {
    if case .string(let string) = id { return string }
    return "\(id)"
  }

  /// Returns a value as JSON.
  static func json(of value: AttributeValue) -> String {
    var writer = JSONWriter()
    writer.write(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func unquoted(_ json: String) -> String {
    json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
  }

  /// Returns whether values of a type are aligned to the right of their column.
  static func alignsRight(_ type: AttributeType?) -> Bool {
    guard case .scalar(let scalar)? = type else { return false }
    switch scalar {
    case .bool, .string, .date, .uuid, .data, .url: return false
    default: return true
    }
  }
}
