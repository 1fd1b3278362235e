@_spi(Tools) import DaybookStore

/// A JSON value of a request or a response.
enum JSONDocument: Hashable, Sendable {
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

  /// Creates the value of a JSON text.
  ///
  /// If an object has a key twice, the subscript returns the first value.
  ///
  /// - Complexity: O(*n*) in the bytes
  init(_ bytes: [UInt8]) throws(JSONTokenReader.ReadingError) {
    var reader = JSONTokenReader(bytes)
    self = try JSONDocument(try reader.next(), of: &reader)
    // Only white space may follow the value.
    _ = try reader.next()
  }

  /// Creates the value that starts with a token. The reader limits the depth of the recursion.
  private init(
    _ token: JSONTokenReader.Token, of reader: inout JSONTokenReader
  ) throws(JSONTokenReader.ReadingError) {
    switch token {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .string(let string): self = .string(string)
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .arrayStart:
      var elements: [JSONDocument] = []
      while true {
        let token = try reader.next()
        if token == .arrayEnd { break }
        elements.append(try JSONDocument(token, of: &reader))
      }
      self = .array(elements)
    case .objectStart:
      var members: [Member] = []
      while case .key(let key) = try reader.next() {
        members.append(Member(key, value: try JSONDocument(try reader.next(), of: &reader)))
      }
      self = .object(members)
    case .arrayEnd, .objectEnd, .key, .end:
      preconditionFailure("expected a value, found \(token)")
    }
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
    case .string(let string): writer.write(string)
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
