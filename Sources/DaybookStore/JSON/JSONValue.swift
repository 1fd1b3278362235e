import DaybookJournal

/// A JSON value as a tree. The tree preserves the order of members and the spelling of numbers, so
/// that a value can be written as it was read.
///
/// `==` compares strings and keys as Swift strings, and numbers by their spelling. Two objects are
/// equal if they have equal members in the same order.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  /// The members, in the order of the text. A reader never creates an object with repeated keys.
  case object([Member])

  /// A key and its value.
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(_ key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// Creates the value of a text that contains one value.
  ///
  /// - Throws: ``JSONError``, also if an object contains a key twice
  /// - Complexity: O(*n*)
  package init(_ json: [UInt8]) throws(JSONError) {
    var reader = JSONReader(json)
    self = try reader.readValue()
    try reader.finish()
  }

  /// The kind of the value.
  package var kind: JSONKind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Returns the value of a key; nil if the value is not an object or does not have the key.
  ///
  /// - Complexity: O(*n*) in the members
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The value as JSON text without white space.
  ///
  /// - Complexity: O(*n*)
  package var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONReader {
  /// Reads a value with all values in it.
  ///
  /// - Throws: ``JSONError``, also if an object contains a key twice
  /// - Complexity: O(*n*)
  package mutating func readValue() throws(JSONError) -> JSONValue {
    // The open objects and arrays; the last one is the innermost. ``JSONReader/depthMax`` limits
    // their number.
    var open: [OpenValue] = []
    while true {
      var completed: JSONValue?
      let token = try next()
      switch token {
      case .objectStart: open.append(OpenValue(isObject: true))
      case .arrayStart: open.append(OpenValue(isObject: false))
      case .key:
        let key = text
        try open[open.count - 1].keys.record(key, of: self)
        open[open.count - 1].key = key
      case .objectEnd, .arrayEnd:
        guard let last = open.popLast() else { throw mismatch(.value, found: token) }
        completed = last.value
      case .string: completed = .string(text)
      case .number: completed = .number(number)
      case .bool(let bool): completed = .bool(bool)
      case .null: completed = .null
      case .end: throw mismatch(.value, found: token)
      }
      guard let completed else { continue }
      if open.isEmpty { return completed }
      open[open.count - 1].append(completed)
    }
  }
}

/// An object or array whose end the reader has not passed.
private struct OpenValue {
  let isObject: Bool
  var keys = JSONKeys()
  var key = ""
  var members: [JSONValue.Member] = []
  var elements: [JSONValue] = []

  init(isObject: Bool) {
    self.isObject = isObject
  }

  mutating func append(_ value: JSONValue) {
    if isObject {
      members.append(JSONValue.Member(key, value: value))
    } else {
      elements.append(value)
    }
  }

  var value: JSONValue { isObject ? .object(members) : .array(elements) }
}
