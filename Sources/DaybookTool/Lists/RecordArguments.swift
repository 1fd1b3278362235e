import Daybook
import DaybookEssentials

/// Functions that find the entity and the identifier that a user typed.
enum RecordArguments {
  /// Returns the definition of an entity.
  static func entity(
    _ name: String, in snapshot: StoreSnapshot
  ) throws(ToolError) -> EntityDefinition {
    if let entity = snapshot.entities.first(where: { $0.name == name }) { return entity }
    // A request for the unknown entity throws the error that suggests the most similar name.
    do { _ = try snapshot.count(for: ListRequest(entity: name)) } catch let error as RequestError {
      throw ToolError(error)
    } catch {}
    preconditionFailure("a request found records of \(name), which the journal does not have")
  }

  /// Returns the identifier of a record of an entity.
  static func identifier(
    _ argument: String, of entity: EntityDefinition
  ) throws(ToolError) -> RecordIdentifier {
    if let id = identifier(argument, of: entity.identifierKind) { return id }
    throw ToolError(
      .usage,
      sentence: "the identifier of a record of \(entity.name) is \(phrase(entity.identifierKind)); "
        + "found '\(argument)'.")
  }

  /// Returns the identifiers that a text can represent. There is at most one for each kind of
  /// identifier that the entities use. For example, `7` can be an integer and a string.
  static func identifiers(
    _ argument: String, in entities: [EntityDefinition]
  ) throws(ToolError) -> [RecordIdentifier] {
    var kinds: [IdentifierKind] = []
    for kind in entities.map(\.identifierKind) where !kinds.contains(kind) { kinds.append(kind) }
    let ids = kinds.compactMap { identifier(argument, of: $0) }
    guard ids.isEmpty, !kinds.isEmpty else { return ids }
    throw ToolError(
      .usage,
      sentence:
        "an identifier in this journal is \(Invocation.list(kinds.map(phrase))); "
        + "found '\(argument)'.")
  }

  private static func identifier(
    _ argument: String, of kind: IdentifierKind
  ) -> RecordIdentifier? {
    switch kind {
    case .int: isInteger(argument) ? Int64(argument).map { .int($0) } : nil
    case .uint: isInteger(argument) ? UInt64(argument).map { .uint($0) } : nil
    case .string: RecordIdentifier(argument)
    case .uuid: UUID(uuidString: argument).map { .uuid($0) }
    }
  }

  /// Returns whether a text consists of digits, with or without a minus sign before them.
  static func isInteger(_ string: String) -> Bool {
    let digits = string.utf8.drop { $0 == UInt8(ascii: "-") }
    return !digits.isEmpty && string.utf8.count - digits.count <= 1
      && digits.allSatisfy { $0 >= 48 && $0 <= 57 }
  }

  private static func phrase(_ kind: IdentifierKind) -> String {
    switch kind {
    case .int: "a 64-bit integer"
    case .uint: "a 64-bit integer, 0 or more"
    case .string: "a string"
    case .uuid: "a UUID"
    }
  }
}
