import DaybookEssentials
@_spi(Tools) import DaybookStore

/// A JSON value of a request or a response.
enum JSONDocument: Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONDocument])
  /// The members, in the order in which they are written.
  case object([Member])

  /// A key and its value.
  struct Member: Hashable {
    var key: String
    var value: JSONDocument

    init(_ key: String, value: JSONDocument) {
      (self.key, self.value) = (key, value)
    }
  }

  /// Creates the value of a JSON text; nil if the text is not exactly one JSON value.
  init?(_ text: [UInt8]) {
    guard let value = try? JSONDecoder().decode(JSONDocument.self, from: Data(text)) else {
      return nil
    }
    self = value
  }

  /// Returns the value of a key; nil if the value is not an object or does not have the key.
  subscript(key: String) -> JSONDocument? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The value as JSON text in one line.
  var text: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.writeNull()
    case .bool(let value): writer.write(value)
    case .integer(let number): writer.write(number)
    case .double(let number): writer.write(AttributeValue.double(number))
    case .string(let text): writer.write(text)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(member.key)
        member.value.write(to: &writer)
      }
      writer.endObject()
    }
  }
}

extension JSONDocument: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .double(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let elements = try? container.decode([JSONDocument].self) {
      self = .array(elements)
    } else {
      let members = try container.decode([String: JSONDocument].self)
      self = .object(members.sorted { $0.key < $1.key }.map { Member($0.key, value: $0.value) })
    }
  }
}
