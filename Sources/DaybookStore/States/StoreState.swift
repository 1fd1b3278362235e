import DaybookJournal

/// All live records as of a moment, and the facts that the next transaction depends on.
///
/// The value contains the roots of page structures. Together with a pin on the pages it is a
/// snapshot.
package struct StoreState: Sendable {
  /// The records of each entity, in the order of the catalog.
  package var tables: [EntityTable] = []
  /// The index of rows by the records that they refer to.
  package var references = RowIndex()
  /// The index of rows by the values of their unique lists.
  package var unique = RowIndex()
  /// A Boolean value that indicates whether the two indexes are deferred: changes do not update
  /// them, and they are built at the end. See ``StateEditor/deferIndexes()``.
  var defersIndexes = false
  /// A Boolean value that indicates whether the table of a new entity defers its hash table of
  /// identifiers; see ``deferSlots()``.
  private(set) var defersSlots = false
  /// A Boolean value that indicates whether two records with one identifier were inserted while a
  /// hash table was deferred. The transaction of the second insert is then not known.
  private(set) var hasDuplicates = false
  /// The number of the last applied transaction. In a context, it is that of the state below the
  /// drafts.
  package var sequence = SequenceNumber.zero
  /// The last transaction before the recorded history; 0 if the history is complete.
  package var base = SequenceNumber.zero
  /// A counter that increases each time another file replaces the journal and is read from its
  /// start.
  /// Rows have other locations in each generation.
  package var generation = 0
  /// The time of the last applied transaction.
  package var time = JournalTime.distantPast
  /// The creation number of the next record.
  package var nextCreation: UInt64 = 1

  package init() {}

  /// The parts of a state that are not roots of pages.
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

  /// Defers the hash tables of identifiers until a record must be found by its identifier. Until
  /// then, inserts are applied without a search.
  ///
  /// If two records have one identifier, ``hasDuplicates`` becomes true when the hash table is
  /// built. The state must then be discarded. To find the faulty transaction, the caller reads the
  /// journal again without deferring.
  mutating func deferSlots() {
    precondition(tables.isEmpty, "\(tables.count) entities already have indexed records")
    defersSlots = true
  }

  /// Adds a table for each entity of a catalog that has none.
  package mutating func addTables(of catalog: Catalog) {
    for entity in catalog.names.indices.dropFirst(tables.count) {
      tables.append(EntityTable(catalog.newest(entity).entity.identifierKind))
      if defersSlots { tables[entity].deferSlots() }
    }
  }

  /// Builds all deferred hash tables of identifiers, and stops deferring those of new entities.
  mutating func buildDeferredTables(in space: PageSpace) {
    defersSlots = false
    for entity in tables.indices { buildDeferredTable(of: entity, in: space) }
  }

  /// Builds the hash table of an entity's identifiers, if it is deferred.
  mutating func buildDeferredTable(of entity: Int, in space: PageSpace) {
    if !tables[entity].buildDeferredTable(in: space) { hasDuplicates = true }
  }

  /// The number of records.
  package var recordCount: Int { tables.reduce(0) { $0 + $1.count } }

  /// Calls a closure with each page that can be reached from the roots.
  ///
  /// - Complexity: O(pages)
  package func forEachPage(in space: PageSpace, _ body: (PageNumber) -> Void) {
    for table in tables { table.forEachPage(in: space, body) }
    references.tree.forEachPage(in: space, body)
    unique.tree.forEachPage(in: space, body)
  }
}
