/// The differences between a journal and the record types of the program, as found when a store was
/// opened, and the records that violate their schemas.
///
/// ```swift
/// let store = try Store(at: "notes.daybook", records: Note.self)
/// if !store.openingReport.isEmpty { print(store.openingReport) }
/// ```
///
/// The differences do not include entities that the journal does not have yet, or entities for
/// which the program has no record type.
public struct OpeningReport: Hashable, Sendable {
  /// An attribute of an entity.
  public struct Attribute: Hashable, Sendable {
    /// The name of the entity.
    public let entity: String
    /// The name of the attribute.
    public let name: String
  }

  /// An attribute that has one name in the journal and a different name in a schema.
  public struct Rename: Hashable, Sendable {
    /// The name of the entity.
    public let entity: String
    /// The name in the journal.
    public let from: String
    /// The name in the schema.
    public let to: String
  }

  /// An entity with the name that it has in the journal and the one that a schema has.
  public struct EntityRename: Hashable, Sendable {
    /// The name in the journal.
    public let from: String
    /// The name in the schema.
    public let to: String
  }

  /// Two references that are inverses of each other. The journal stores both.
  public struct StoredInverse: Hashable, Sendable {
    /// The reference that declares the inverse.
    public let reference: Attribute
    /// The attribute of the target entity that refers back. Its name is the one that `reference`
    /// declares as its inverse.
    public let inverse: Attribute
  }

  /// A journal whose data has a higher version than the program.
  public struct NewerVersion: Hashable, Sendable {
    /// The version of the data in the journal.
    public let journal: Int
    /// The version of the program: that of its last migration step.
    public let program: Int
    /// A Boolean value that indicates whether every save is refused.
    public let isReadOnly: Bool
  }

  /// The entities that a schema renames.
  public internal(set) var renamedEntities: [EntityRename] = []
  /// The migration steps that the opening has run, as one transaction.
  public internal(set) var migrationSteps: [MigrationStep] = []
  /// The versions of the journal and of the program, if that of the journal is higher.
  public internal(set) var newerVersion: NewerVersion?
  /// The attributes of the journal that no record type declares. The journal keeps their values.
  public internal(set) var unknownAttributes: [Attribute] = []
  /// The attributes that the journal does not have yet.
  public internal(set) var newAttributes: [Attribute] = []
  /// The attributes that the journal had before, that were removed, and that a schema declares
  /// again. A record that was not changed after the removal has its earlier value again.
  public internal(set) var returningAttributes: [Attribute] = []
  /// The attributes that a schema drops with ``RecordSchema/removed(_:)``.
  public internal(set) var removedAttributes: [Attribute] = []
  /// The attributes that a schema renames.
  public internal(set) var renamedAttributes: [Rename] = []
  /// The possible renames: each is an attribute of the journal that no record type declares, paired
  /// with a new attribute of the same type. If the two names mean the same attribute, declare the
  /// new name with `renamedFrom`. Otherwise the new attribute does not get the values of the
  /// earlier one.
  public internal(set) var possibleRenames: [Rename] = []
  /// The pairs of a reference and an inverse that is itself a stored attribute. A change of one
  /// attribute does not change the other.
  public internal(set) var storedInverses: [StoredInverse] = []

  /// The records that violate their schemas at the time of the first access to
  /// ``Store/openingReport``. A record is listed in each of these cases:
  ///
  /// - A required attribute has no value.
  /// - A required reference points to a record that does not exist.
  /// - Two records have the same values of unique attributes.
  /// - The Swift type of an attribute cannot represent the stored value, and the schema declares no
  ///   substitute.
  public internal(set) var violations: [ValidationProblem] = []

  /// A Boolean value that indicates whether there is nothing to report.
  public var isEmpty: Bool { self == OpeningReport() }

  /// Adds the differences of a second entity to the report.
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
  /// Adds the references of an entity whose inverses are stored attributes. A pair is added only
  /// once, although each of its two attributes may declare the other as its inverse.
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
  /// A list of sentences, one line for each difference and each violation.
  public var description: String {
    var lines: [String] = []
    if let newerVersion { lines.append("\(newerVersion)") }
    if !migrationSteps.isEmpty {
      let steps = migrationSteps.map { "\($0)" }.joined(separator: ", ")
      lines.append("the records were migrated by these steps: \(steps).")
    }
    for rename in renamedEntities {
      lines.append("the entity \(rename.from) was renamed to \(rename.to).")
    }
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

extension OpeningReport.NewerVersion: CustomStringConvertible {
  /// A sentence with the two versions.
  public var description: String {
    let consequence =
      isReadOnly
      ? "The program can read the journal, but not change it."
      : "The later migrations are compatible, so the program can change the journal."
    return """
      the journal has version \(journal) of its data, and the program version \(program). \
      \(consequence)
      """
  }
}

extension OpeningReport.Attribute: CustomStringConvertible {
  /// The entity and the attribute, separated by a period.
  public var description: String { "\(entity).\(name)" }
}
