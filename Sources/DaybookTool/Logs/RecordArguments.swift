import DaybookResults
import DaybookStore

/// Records as the command line names them: an entity and an identifier.
enum RecordArguments {
  /// The place of an entity in the catalog.
  static func entity(_ name: String, in catalog: Catalog) throws(ToolError) -> Int {
    if let index = catalog.index(of: name) { return index }
    throw ToolError(.noEntity(name, in: catalog))
  }

  /// The identifier of a record of an entity.
  static func identifier(
    _ text: String, of entity: EntityDefinition
  ) throws(ToolError) -> RecordIdentifier {
    if let id = identifier(text, entity.identifierKind) { return id }
    throw ToolError(
      .misunderstood,
      "each \(entity.name) is identified by \(phrase(entity.identifierKind)), "
        + "and '\(text)' is none.")
  }

  /// The identifiers that a text is, at most one of each kind that the entities have.
  static func identifiers(
    _ text: String, in catalog: Catalog
  ) throws(ToolError) -> [RecordIdentifier] {
    var kinds: [IdentifierKind] = []
    for index in catalog.names.indices {
      let kind = catalog.newest(index).entity.identifierKind
      if !kinds.contains(kind) { kinds.append(kind) }
    }
    let ids = kinds.compactMap { identifier(text, $0) }
    guard ids.isEmpty, !kinds.isEmpty else { return ids }
    throw ToolError(
      .misunderstood,
      "records are identified by \(Invocation.list(kinds.map(phrase))), and '\(text)' is none.")
  }

  private static func identifier(_ text: String, _ kind: IdentifierKind) -> RecordIdentifier? {
    switch kind {
    case .int: isInteger(text) ? Int64(text).map { .int($0) } : nil
    case .uint: isInteger(text) ? UInt64(text).map { .uint($0) } : nil
    case .string: RecordIdentifier(text)
    case .uuid: (try? UUIDText.uuid(text)).map { .uuid($0) }
    }
  }

  /// Whether a text is digits, behind a minus sign or not.
  static func isInteger(_ text: String) -> Bool {
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    return !digits.isEmpty && text.utf8.count - digits.count <= 1
      && digits.allSatisfy { $0 >= 48 && $0 <= 57 }
  }

  private static func phrase(_ kind: IdentifierKind) -> String {
    switch kind {
    case .int: "an integer of 64 bits"
    case .uint: "an integer of 64 bits that is not below 0"
    case .string: "a text"
    case .uuid: "a UUID"
    }
  }
}
