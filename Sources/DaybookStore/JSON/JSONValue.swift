import DaybookJournal

/// A JSON value as a tree, for what is kept as it came: order and spelling of numbers included.
///
/// Strings and keys are equal as Swift holds texts equal, numbers if they are spelt the same, and
/// objects if their members are, in order.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  /// Members in the order in which they stand. No key stands twice in one that was read.
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

  /// The value of a whole text.
  ///
  /// - Throws: What ``JSONReader`` throws, and for a key that stands twice in one object.
  /// - Complexity: O(*n*)
  package init(_ text: [UInt8]) throws(JSONError) {
    var reader = JSONReader(text)
    self = try reader.readValue()
    try reader.finish()
  }

  /// What the value is.
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

  /// The value of a key, if this is an object that has it.
  ///
  /// - Complexity: O(*n*) in the members
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The value as compact text.
  ///
  /// - Complexity: O(*n*)
  package var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONReader {
  /// Reads a value with all that is in it.
  ///
  /// - Throws: Also for a key that stands twice in one object.
  /// - Complexity: O(*n*)
  package mutating func readValue() throws(JSONError) -> JSONValue {
    // What is open, the innermost last: never more than the depth that the reader allows.
    var open: [OpenValue] = []
    while true {
      var whole: JSONValue?
      let token = try next()
      switch token {
      case .objectStart: open.append(OpenValue(isObject: true))
      case .arrayStart: open.append(OpenValue(isObject: false))
      case .key:
        let key = text
        try open[open.count - 1].keys.note(key, of: self)
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

/// An object or array whose end has not come yet.
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
