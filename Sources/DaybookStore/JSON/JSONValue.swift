import DaybookJournal

/// A JSON value as a tree, for values that must be preserved exactly, with the order of members and
/// the spelling of numbers.
///
/// Strings and keys are compared like Swift strings, numbers by their spelling, and objects member
/// by member, in order.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  /// The members, in their order in the text. An object that was read has no repeated keys.
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

  /// Creates the value of a whole text.
  ///
  /// - Throws: The errors of ``JSONReader``, also for a key that occurs twice in one object.
  /// - Complexity: O(*n*)
  package init(_ text: [UInt8]) throws(JSONError) {
    var reader = JSONReader(text)
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

  /// Returns the value of a key, if this is an object that has the key.
  ///
  /// - Complexity: O(*n*) in the members
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The value as a compact JSON text.
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
  /// - Throws: ``JSONError``, also for a key that occurs twice in one object.
  /// - Complexity: O(*n*)
  package mutating func readValue() throws(JSONError) -> JSONValue {
    // The open objects and arrays, the innermost last. The reader limits their number.
    var open: [OpenValue] = []
    while true {
      var whole: JSONValue?
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
        whole = last.value
      case .string: whole = .string(text)
      case .number: whole = .number(number)
      case .bool(let bool): whole = .bool(bool)
      case .null: whole = .null
      case .end: throw mismatch(.value, found: token)
      }
      guard let whole else { continue }
      if open.isEmpty { return whole }
      open[open.count - 1].append(whole)
    }
  }
}

/// An object or array that is still open.
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
