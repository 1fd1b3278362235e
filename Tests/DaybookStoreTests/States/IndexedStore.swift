import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

/// A store of people, teams and badges that refer to each other, on a simulated disk.
struct IndexedStore {
  let disk = SimulatedDisk()
  private(set) var store: Store

  init() throws {
    store = try Store(at: "j", entities: IndexedStore.entities(0), options: .simulated(disk))
  }

  static let person = EntityReference("Person", identifierKind: .string)
  static let team = EntityReference("Team", identifierKind: .int)
  static let badge = EntityReference("Badge", identifierKind: .uuid)

  /// Returns the entities in a version of the schema. Later versions rename, remove and add
  /// attributes, and have other unique lists.
  static func entities(_ version: Int) -> [EntityDefinition] {
    var people = EntityDefinition(
      "Person", identifiedBy: .string,
      attributes: [
        AttributeDefinition("name", type: .scalar(.string)),
        AttributeDefinition("mate", type: .reference(person)),
        AttributeDefinition("friends", type: .references(person)),
        AttributeDefinition("team", type: .reference(team)),
        AttributeDefinition("badge", type: .reference(badge)),
        AttributeDefinition("note", type: .scalar(.data)),
      ], unique: [["name"], ["mate", "team"]])
    var teams = EntityDefinition(
      "Team", identifiedBy: .int,
      attributes: [
        AttributeDefinition("title", type: .scalar(.string)),
        AttributeDefinition("members", type: .references(person)),
        AttributeDefinition("rivals", type: .references(team)),
      ])
    if version >= 1 {
      people.attributes[2] = AttributeDefinition(
        "companions", type: .references(person), renamedFrom: "friends")
      people.attributes.remove(at: 1)
      people.attributes.insert(
        AttributeDefinition("rank", type: .scalar(.int64), default: .int(3)), at: 0)
      people.unique = [["rank", "team"], ["name"]]
      teams.unique = [["title"]]
    }
    if version >= 2 {
      people.attributes[0] = AttributeDefinition("rank", type: .scalar(.int64), default: .int(4))
      people.attributes[2] = AttributeDefinition(
        "pals", type: .references(person), renamedFrom: "companions")
      people.attributes[3] = AttributeDefinition("team", type: .references(team))
      people.attributes.append(AttributeDefinition("mate", type: .reference(person)))
      people.unique = [["rank", "name"]]
      teams.unique = []
    }
    let badges = EntityDefinition(
      "Badge", identifiedBy: .uuid,
      attributes: [AttributeDefinition("number", type: .scalar(.int64))])
    return [people, teams, badges]
  }

  var frozen: FrozenState { store.snapshot.frozen }

  /// Closes and reopens the store.
  mutating func reopen(version: Int) throws {
    try store.closeAndWait()
    store = try Store(at: "j", entities: IndexedStore.entities(version), options: .simulated(disk))
  }

  /// A change of a record in a history.
  struct Change {
    var entity: String
    var id: RecordIdentifier
    /// The values by name, where missing values are nil; nil for a deletion.
    var values: [String: AttributeValue]?
  }

  func proposal(_ changes: [Change]) throws -> Proposal {
    let frozen = frozen
    var proposal = Proposal()
    for change in changes {
      let entity = try #require(frozen.catalog.index(of: change.entity))
      let layout = frozen.catalog.newest(entity)
      let base = frozen.reader.location(of: IdentifierBytes(change.id), in: entity)
      guard let values = change.values else {
        proposal.changes.append(
          Proposal.Change(.delete, entity: entity, id: change.id, base: base))
        continue
      }
      let start = proposal.rows.count
      let ordered = layout.entity.attributes.map { values[$0.name] ?? .null }
      DynamicRecord(change.entity, id: change.id, values: ordered).append(
        layout, to: &proposal.rows)
      proposal.changes.append(
        Proposal.Change(
          base == .none ? .insert : .update, entity: entity, id: change.id,
          row: start..<proposal.rows.count, base: base,
          changed: AttributeSet(all: layout.entity.attributes.count)))
    }
    return proposal
  }

  func save(_ changes: Change...) throws {
    _ = try store.saveAndWait(proposal(changes))
  }
}

extension IndexedStore.Change {
  static func set(
    _ entity: String, _ id: RecordIdentifier, _ values: [String: AttributeValue]
  ) -> Self { Self(entity: entity, id: id, values: values) }

  static func delete(_ entity: String, _ id: RecordIdentifier) -> Self {
    Self(entity: entity, id: id, values: nil)
  }
}
