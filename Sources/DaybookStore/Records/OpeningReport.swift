/// The differences between a journal and the record types of the program, found when a store was
/// opened.
///
/// ```swift
/// let store = try Store(at: "notes.daybook", records: Note.self)
/// if !store.openingReport.isEmpty { print(store.openingReport) }
/// ```
///
/// The report does not contain entities that the journal does not have yet, or entities without a
/// type in the program.
public struct OpeningReport: Hashable, Sendable {
  /// An attribute of an entity.
  public struct Attribute: Hashable, Sendable {
    /// The name of the entity.
    public let entity: String
    /// The name of the attribute.
    public let name: String
  }

  /// An attribute with the name that it has in the journal and the one that a schema has.
  public struct Rename: Hashable, Sendable {
    /// The name of the entity.
    public let entity: String
    /// The name in the journal.
    public let from: String
    /// The name in the schema.
    public let to: String
  }

  /// Two references that are inverses of each other, and that the journal stores both.
  public struct StoredInverse: Hashable, Sendable {
    /// The reference that declares the inverse.
    public let reference: Attribute
    /// The reference back, which has the name of the inverse.
    public let inverse: Attribute
  }

  /// The attributes of the journal that no type names. They keep their values.
  public internal(set) var unknownAttributes: [Attribute] = []
  /// The attributes that the journal does not have yet.
  public internal(set) var newAttributes: [Attribute] = []
  /// The attributes that the journal had earlier, and has again. A record that was not changed in
  /// between has its earlier value.
  public internal(set) var returningAttributes: [Attribute] = []
  /// The attributes that a schema drops by ``RecordSchema/removed(_:)``.
  public internal(set) var removedAttributes: [Attribute] = []
  /// The attributes that a schema renames.
  public internal(set) var renamedAttributes: [Rename] = []
  /// Pairs of an attribute of the journal that no type names and a new attribute of the same type.
  /// If both are the same attribute, `renamedFrom` is missing.
  public internal(set) var possibleRenames: [Rename] = []
  /// The references whose inverse is an attribute of the journal. They are two attributes: a change
  /// of one does not change the other.
  public internal(set) var storedInverses: [StoredInverse] = []

  /// The records that violate their schemas, at the time of the first access.
  ///
  /// - A required attribute has no value.
  /// - A required reference points to a record that does not exist.
  /// - Two records have the same values of unique attributes.
  /// - The type of an attribute cannot represent a value, and the schema declares no substitute.
  public internal(set) var violations: [ValidationProblem] = []

  /// A Boolean value that indicates whether there is nothing to report.
  public var isEmpty: Bool { self == OpeningReport() }

  /// Adds the differences of another entity.
  mutating func append(_ other: OpeningReport) {
    unknownAttributes += other.unknownAttributes
    newAttributes += other.newAttributes
    returningAttributes += other.returningAttributes
    removedAttributes += other.removedAttributes
    renamedAttributes += other.renamedAttributes
    possibleRenames += other.possibleRenames
    storedInverses += other.storedInverses
  }
}

extension OpeningReport {
  /// Adds the references of an entity whose inverses are attributes. Each pair is added once.
  mutating func addStoredInverses(
    of entity: EntityDefinition, among entities: [EntityDefinition]
  ) {
    for attribute in entity.attributes {
      guard let name = attribute.inverse, let target = attribute.type.target?.entity,
        let other = entities.first(where: { $0.name == target }),
        let index = other.index(of: name),
        other.attributes[index].type.target?.entity == entity.name
      else { continue }
      let pair = StoredInverse(
        reference: Attribute(entity: entity.name, name: attribute.name),
        inverse: Attribute(entity: target, name: name))
      let isKnown = storedInverses.contains {
        $0 == pair || $0.reference == pair.inverse && $0.inverse == pair.reference
      }
      if !isKnown { storedInverses.append(pair) }
    }
  }
}

extension OpeningReport: CustomStringConvertible {
  /// A list of sentences, one line for each difference.
  public var description: String {
    var lines: [String] = []
    for attribute in unknownAttributes {
      lines.append("no record type declares \(attribute). The journal keeps its values.")
    }
    for attribute in newAttributes { lines.append("\(attribute) is new.") }
    for attribute in returningAttributes {
      lines.append("\(attribute) was declared again. Unchanged records have their earlier values.")
    }
    for attribute in removedAttributes { lines.append("\(attribute) was removed.") }
    for rename in renamedAttributes {
      lines.append("\(rename.entity).\(rename.from) was renamed to \(rename.to).")
    }
    for rename in possibleRenames {
      lines.append(
        """
        \(rename.entity).\(rename.to) is new and has the type of \(rename.from), which no record type \
        declares. If it is the same attribute, declare it with renamedFrom: "\(rename.from)".
        """)
    }
    for pair in storedInverses {
      lines.append(
        """
        \(pair.reference) and its inverse \(pair.inverse) are both stored. A change of one does not \
        change the other.
        """)
    }
    lines += violations.map { "\($0)." }
    return lines.joined(separator: "\n")
  }
}

extension OpeningReport.Attribute: CustomStringConvertible {
  /// The entity and the attribute, separated by a period.
  public var description: String { "\(entity).\(name)" }
}
