/// What is said about a transaction beside its changes: a small dictionary.
///
/// In the journal it is a JSON object. What an import found there is kept as it came.
public struct TransactionMetadata: Hashable, Sendable {
  package private(set) var members: [JSONValue.Member] = []

  /// Nothing, or some of what is usually said.
  public init(
    author: String? = nil, reason: String? = nil, correlation: String? = nil,
    idempotencyKey: String? = nil
  ) {
    // Most transactions say nothing.
    if let author { self.author = author }
    if let reason { self.reason = reason }
    if let correlation { self.correlation = correlation }
    if let idempotencyKey { self.idempotencyKey = idempotencyKey }
  }

  /// Who made it.
  public var author: String? {
    get { self["author"] }
    set { self["author"] = newValue }
  }

  /// Why.
  public var reason: String? {
    get { self["reason"] }
    set { self["reason"] = newValue }
  }

  /// What it belongs to: a request, a session, an import.
  public var correlation: String? {
    get { self["correlation"] }
    set { self["correlation"] = newValue }
  }

  /// A key that makes saving twice save once: a transaction with a key that one of the last 100,000
  /// keys was is not applied again.
  public var idempotencyKey: String? {
    get { self[TransactionMetadata.idempotencyKeyName] }
    set { self[TransactionMetadata.idempotencyKeyName] = newValue }
  }

  private static let idempotencyKeyName = "idempotencyKey"

  /// The text under a key; nil if there is none, or something else than a text.
  public subscript(key: String) -> String? {
    get {
      guard case .string(let text)? = members.last(where: { $0.key == key })?.value else {
        return nil
      }
      return text
    }
    set {
      guard let newValue else {
        members.removeAll { $0.key == key }
        return
      }
      if let index = members.lastIndex(where: { $0.key == key }) {
        members[index].value = .string(newValue)
      } else {
        members.append(JSONValue.Member(key, value: .string(newValue)))
      }
    }
  }

  /// Whether nothing is said.
  public var isEmpty: Bool { members.isEmpty }

  package init(_ members: [JSONValue.Member]) { self.members = members }

  /// The metadata as a JSON object.
  public var text: String { JSONValue.object(members).text }

  /// The members in order. The text of a member that is not a string is its JSON.
  public var entries: [(key: String, text: String)] {
    members.map { member in
      if case .string(let text) = member.value { return (member.key, text) }
      return (member.key, member.value.text)
    }
  }

  /// How deep objects and arrays may be nested, the metadata itself included: one level less than in a line of a
  /// text, which has the metadata within an object.
  package static let depthMax = JSONReader.depthMax - 1

  /// Reads metadata. Returns nil if the bytes are not a JSON object, or are nested too deep.
  package init?(bytes: RawSpan) {
    guard let value = try? JSONValue(bytes.withUnsafeBytes { [UInt8]($0) }),
      case .object(let members) = value, value.depth <= TransactionMetadata.depthMax
    else { return nil }
    self.members = members
  }
}

extension JSONValue {
  /// How deep objects and arrays are nested; 0 for a value that is neither.
  fileprivate var depth: Int {
    switch self {
    case .object(let members): 1 + members.reduce(0) { max($0, $1.value.depth) }
    case .array(let elements): 1 + elements.reduce(0) { max($0, $1.depth) }
    default: 0
    }
  }
}
