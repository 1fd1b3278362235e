import DaybookJournal

/// Every live record as of one moment, and what the next transaction has to know.
///
/// A value whose parts are roots of pages: together with a pin on those it is a snapshot.
package struct StoreState: Sendable {
  /// The records of each entity, in the order of the catalog.
  package var tables: [EntityTable] = []
  /// Rows by the records that they refer to.
  package var references = RowIndex()
  /// Rows by the values of their unique lists.
  package var unique = RowIndex()
  /// Whether the indexes are left alone until they are built at once; see ``deferIndexes()``.
  var defersIndexes = false
  /// Whether the records of new entities are not found by their identifiers until somebody asks for one; see
  /// ``deferSlots()``.
  private(set) var defersSlots = false
  /// Whether a record was inserted that was there, which was found out when it was too late to say where.
  private(set) var hasTwins = false
  /// The last transaction in it; in a draft, that of the state below.
  package var sequence = SequenceNumber.zero
  /// How often everything was read anew, as another file had taken the journal's place: then rows
  /// stand elsewhere than they did.
  package var generation = 0
  /// The time of that transaction.
  package var time = JournalTime.distantPast
  /// The creation number that the next record gets.
  package var nextCreation: UInt64 = 1

  package init() {}

  /// What of a state is no root of pages.
  struct Head: Sendable {
    var sequence: SequenceNumber
    var time: JournalTime
    var nextCreation: UInt64
  }

  var head: Head {
    get { Head(sequence: sequence, time: time, nextCreation: nextCreation) }
    set {
      sequence = newValue.sequence
      time = newValue.time
      nextCreation = newValue.nextCreation
    }
  }

  /// Leaves it as long as can be that records are found by their identifiers: for as long as records are only
  /// inserted, they are folded unseen. If one turns out to have been there, ``hasTwins`` says so, and the state is
  /// worth nothing: whoever needs to know which one begins anew.
  mutating func deferSlots() {
    precondition(tables.isEmpty, "\(tables.count) entities have records that are found")
    defersSlots = true
  }

  /// Adds a table for each entity of a catalog that has none.
  package mutating func addTables(of catalog: Catalog) {
    for entity in catalog.names.indices.dropFirst(tables.count) {
      tables.append(EntityTable(catalog.newest(entity).entity.identifierKind))
      if defersSlots { tables[entity].deferSlots() }
    }
  }

  /// Sees to it that all records are found by their identifiers, and so are those that come.
  mutating func settle(in space: PageSpace) {
    defersSlots = false
    for entity in tables.indices { settle(entity, in: space) }
  }

  /// Sees to it that the records of an entity are found by their identifiers.
  mutating func settle(_ entity: Int, in space: PageSpace) {
    if !tables[entity].settle(in: space) { hasTwins = true }
  }

  /// How many records there are.
  package var recordCount: Int { tables.reduce(0) { $0 + $1.count } }

  /// Tells of every page that can be reached from the roots.
  ///
  /// - Complexity: O(pages)
  package func forEachPage(in space: PageSpace, _ body: (PageNumber) -> Void) {
    for table in tables { table.forEachPage(in: space, body) }
    references.tree.forEachPage(in: space, body)
    unique.tree.forEachPage(in: space, body)
  }
}
