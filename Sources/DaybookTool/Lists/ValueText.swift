@_spi(Tools) import DaybookStore

/// Values as they are shown to people and in cells.
enum ValueText {
  /// A value in its form of the text journal, texts without quotation marks; nil for none.
  static func text(of value: AttributeValue) -> String? {
    switch value {
    case .null: return nil
    case .string(let text), .url(let text): return text
    case .reference(let id): return text(of: id)
    case .date, .uuid, .data, .decimal: return unquoted(json(of: value))
    case .bool, .int, .uint, .float, .double, .array: return json(of: value)
    }
  }

  /// An identifier.
  static func text(of id: RecordIdentifier) -> String {
    if case .string(let text) = id { return text }
    return "\(id)"
  }

  /// A value as JSON.
  static func json(of value: AttributeValue) -> String {
    var writer = JSONWriter()
    writer.write(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func unquoted(_ json: String) -> String {
    json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
  }

  /// Whether values of a type stand at the right of their column.
  static func alignsRight(_ type: AttributeType?) -> Bool {
    guard case .scalar(let scalar)? = type else { return false }
    switch scalar {
    case .bool, .string, .date, .uuid, .data, .url: return false
    default: return true
    }
  }
}
