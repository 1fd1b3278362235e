/// One step of going through a JSON text.
package enum JSONToken: Hashable, Sendable {
  /// An object begins: its keys and values follow, up to ``objectEnd``.
  case objectStart
  case objectEnd
  /// An array begins: its values follow, up to ``arrayEnd``.
  case arrayStart
  case arrayEnd
  /// The key of a member of an object, whose value comes next.
  case key
  case string
  case number
  case bool(Bool)
  case null
  /// The text was one whole value.
  case end
}

/// What a JSON value can be.
package enum JSONKind: Hashable, Sendable, CaseIterable {
  case object, array, string, number, bool, null

  /// How a sentence calls one of them.
  package var phrase: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }
}
