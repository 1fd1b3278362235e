import DaybookStore

/// A value as it stands in a line, before anybody knows its type.
struct TextValue {
  enum Content {
    case null
    case bool(Bool)
    /// An integer of 64 bits that is not 0: whether a zero has a sign only its text tells.
    case integer(Int64)
    case number(JSONNumber)
    case string(String)
    case array([TextValue])
    case object
  }

  var content: Content
  /// The byte of the line at which it begins.
  var offset: Int

  /// How a sentence calls what stands there.
  var phrase: String {
    switch content {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .integer(let integer): "\(integer)"
    case .number(let number): String(number.text.prefix(JSONError.wordLengthMax))
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A value that is not what it should be.
struct TextMisfit: Error {
  /// The byte of the line at which the value begins.
  var offset: Int
  /// How many scalars of the string stand before the trouble, if it is at a place in a string.
  var scalarOffset: Int?
  var sentence: String

  init(_ value: TextValue, expected: String) {
    offset = value.offset
    sentence = "\(expected) was expected, and \(value.phrase) stands there."
  }

  init(_ value: TextValue, error: TextError) {
    offset = value.offset
    scalarOffset = error.scalarOffset
    sentence = error.sentence
  }

  init(_ offset: Int, sentence: String) {
    self.offset = offset
    self.sentence = sentence
  }
}
