/// The metadata of a transaction: a small dictionary that is saved with its changes.
///
/// In the journal, the metadata is a JSON object. An import preserves members that this type does
/// not know, including their order. Some names of members are reserved; see <doc:Metadata>.
public struct TransactionMetadata: Hashable, Sendable {
  package private(set) var members: [JSONValue.Member] = []

  /// Creates empty metadata, or metadata with some of the usual members.
  public init(
    author: String? = nil, reason: String? = nil, correlation: String? = nil,
    idempotencyKey: String? = nil
  ) {
    // Most transactions have no metadata.
    if let author { self.author = author }
    if let reason { self.reason = reason }
    if let correlation { self.correlation = correlation }
    if let idempotencyKey { self.idempotencyKey = idempotencyKey }
  }

  /// The person or program that made the transaction.
  public var author: String? {
    get { self["author"] }
    set { self["author"] = newValue }
  }

  /// The reason for the transaction.
  public var reason: String? {
    get { self["reason"] }
    set { self["reason"] = newValue }
  }

  /// An identifier of the operation that the transaction belongs to, such as a request, a session
  /// or an import.
  public var correlation: String? {
    get { self["correlation"] }
    set { self["correlation"] = newValue }
  }

  /// A string that identifies a save, so that the program can repeat the save safely, for example
  /// after an unknown outcome.
  ///
  /// A store keeps its last 100,000 keys, also those of transactions that a compaction has dropped.
  /// A save with one of them writes nothing, and returns the receipt of the first save.
  public var idempotencyKey: String? {
    get { self[TransactionMetadata.idempotencyKeyName] }
    set { self[TransactionMetadata.idempotencyKeyName] = newValue }
  }

  private static let idempotencyKeyName = "idempotencyKey"

  /// The string of a member; nil if the metadata has no member with the key, or if its value is not
  /// a string. Setting nil removes the member.
  public subscript(key: String) -> String? {
    get {
      guard case .string(let string)? = value(forKey: key) else { return nil }
      return string
    }
    set {
      setValue(newValue.map { .string($0) }, forKey: key)
    }
  }

  /// Returns the value of a key; nil if the key is missing.
  func value(forKey key: String) -> JSONValue? { members.last { $0.key == key }?.value }

  /// Replaces the value of a key, or adds the key after all others. Nil removes the key.
  mutating func setValue(_ value: JSONValue?, forKey key: String) {
    guard let value else {
      members.removeAll { $0.key == key }
      return
    }
    if let index = members.lastIndex(where: { $0.key == key }) {
      members[index].value = value
    } else {
      members.append(JSONValue.Member(key, value: value))
    }
  }

  /// A Boolean value that indicates whether the metadata has no members.
  public var isEmpty: Bool { members.isEmpty }

  package init(_ members: [JSONValue.Member]) { self.members = members }

  /// The metadata as a JSON object.
  public var text: String { JSONValue.object(members).text }

  /// The members in order. For a member that is a string, the text is that string. For all other
  /// members, it is the JSON text of the value.
  public var entries: [(key: String, text: String)] {
    members.map { member in
      if case .string(let string) = member.value { return (member.key, string) }
      return (member.key, member.value.text)
    }
  }

  /// The maximum nesting depth of objects and arrays, including the metadata itself.
  ///
  /// In a line of exported text, the metadata is inside an object. Its own depth is therefore
  /// limited to one level less than that of a line.
  package static let depthMax = JSONReader.depthMax - 1

  /// Creates metadata from bytes; nil if the bytes are not a JSON object, or if it is nested too
  /// deeply.
  package init?(bytes: RawSpan) {
    guard let value = try? JSONValue(bytes.withUnsafeBytes { [UInt8]($0) }),
      case .object(let members) = value, value.depth <= TransactionMetadata.depthMax
    else { return nil }
    self.members = members
  }
}

extension JSONValue {
  /// The nesting depth of objects and arrays; 0 for a value that is neither.
  fileprivate var depth: Int {
    switch self {
    case .object(let members): 1 + members.reduce(0) { max($0, $1.value.depth) }
    case .array(let elements): 1 + elements.reduce(0) { max($0, $1.depth) }
    default: 0
    }
  }
}
