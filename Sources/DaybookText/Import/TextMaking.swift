import DaybookJournal
import DaybookStore

/// The second pass over a text. It writes each line as a transaction of the new journal.
///
/// The pass applies each written transaction to a state, which it needs to detect inserts of
/// existing records and updates of missing ones. The state contains the live records and the
/// locations of their rows in the file. So the pass needs a few dozen bytes of memory for each live
/// record, and memory for one line.
struct TextMaking: ~Copyable {
  private let path: String
  private let schema: TextSchema
  private let definitions: [EntityDefinition]
  /// The layouts of the rows of each entity.
  private var rowLayouts: [RowLayouts] = []
  /// The required attributes of each entity.
  private let required: [[Int]]
  private let maker: JournalFileMaker
  private(set) var report = TextImportReport()

  private var editor = StateEditor()
  private var changes = LineChanges()
  /// The creation numbers of all live records; nil while the inserts of the text have ascending
  /// numbers. Two records must not have the same creation number. Ascending numbers are distinct,
  /// so the set is collected only when an insert has a lower number than an earlier insert.
  private var liveCreations: Set<UInt64>?
  private var byteCountSinceLayouts = 0

  /// The number of payload bytes after which a payload repeats all layouts. So a salvage finds the
  /// layouts, even if the start of the journal is lost.
  private static let layoutInterval = 4 << 20
  /// The limit of the number of layouts. After this limit is reached, each further entity gets only
  /// one layout.
  private static let layoutCountMax = 4_096
  /// The number of row bytes after which a new piece of a base starts.
  private static let baseByteCount = 512 << 10

  init(
    _ schema: TextSchema, definitions: [EntityDefinition], path: String, maker: JournalFileMaker
  ) throws(TextJournalError) {
    self.path = path
    self.schema = schema
    self.definitions = definitions
    self.maker = maker
    required = definitions.map { entity in
      entity.attributes.indices.filter { entity.attributes[$0].isRequired }
    }
    // An import looks up no references and no unique values, so it needs no indexes.
    editor.deferIndexes()
    var layoutCount = 0
    for (entity, known) in zip(definitions, schema.entities) {
      let isTaken = layoutCount + definitions.count > TextMaking.layoutCountMax
      let layouts = RowLayouts(
        entity, inserts: isTaken ? [] : known.insertedBlocks, firstNumber: UInt16(layoutCount))
      for layout in layouts.layouts {
        let addition = editor.add(layout)
        precondition(addition == .new, "layout \(layout.number) of \(entity.name)")
      }
      layoutCount += layouts.layouts.count
      rowLayouts.append(layouts)
    }
    report.entities = definitions
  }

  /// Writes the lines up to a line number, or all lines if the number is nil.
  ///
  /// - Complexity: O(*n*)
  mutating func run(_ lines: LineReader, through last: Int?) throws(TextJournalError) {
    var lines = TextLines(lines, path: path)
    _ = try lines.header()
    while let line = try lines.next() {
      if let last, line.number > last { return }
      var reader = TextReader(line, path: path)
      changes.removeAll()
      let transaction = try reader.readTransaction { (change, reader) throws(TextJournalError) in
        try apply(change, at: reader)
      }
      let expected = (schema.base?.sequence.rawValue ?? 1) + UInt64(report.transactionCount)
      guard UInt64(exactly: transaction.sequence) == expected else { throw hasChanged(reader) }
      try checkRequired(reader)
      try write(transaction, at: reader)
    }
  }

  /// Completes the journal and gives it its name.
  func finish() throws(TextJournalError) {
    do { try maker.finish() } catch { throw TextJournalError(error, path: path) }
  }

  // MARK: The changes of a line

  /// Adds a change to the changes of the line. Throws if the change inserts a record that exists,
  /// or changes a record that does not exist.
  private mutating func apply(
    _ change: TextChange, at reader: TextReader
  ) throws(TextJournalError) {
    guard let entity = schema.index(of: change.entity) else { throw hasChanged(reader) }
    let id = try schema.entities[entity].identifier(of: change, reader)
    let known = changes.index(of: entity, id: id)
    if known != nil { report.combinedChangeCount += 1 }
    let index = known ?? add(entity, id: id, at: change.offset)
    switch change.kind {
    case .insert:
      guard !changes.isPresent(index) else {
        throw reader.error(
          .alreadyExists, at: change.offset,
          sentence: "\(change.entity) \(quoted(id)) already exists.")
      }
      changes.insert(index, creation: change.creation, at: change.creationOffset)
    case .update:
      guard changes.isPresent(index) else {
        throw notFound(change, id: id, verb: "update", at: reader)
      }
    case .delete:
      guard changes.isPresent(index) else {
        throw notFound(change, id: id, verb: "delete", at: reader)
      }
      changes.delete(index)
    }
    try set(change, of: index, entity: entity, at: reader)
  }

  /// Adds the attributes that a change sets to the entry of its record.
  private mutating func set(
    _ change: TextChange, of index: Int, entity: Int, at reader: TextReader
  ) throws(TextJournalError) {
    var last = -1
    for member in change.members {
      guard let attribute = schema.entities[entity].index(of: member.name, after: last) else {
        throw hasChanged(reader)
      }
      last = attribute
      let type = definitions[entity].attributes[attribute].type
      do { changes.set(attribute, of: index, to: try AttributeValue(member.value, as: type)) } catch
      {
        throw reader.error(.value, defect: error, of: "\(change.entity).\(member.name)")
      }
    }
  }

  /// Adds an entry for a record, with its row before the line.
  private mutating func add(_ entity: Int, id: RecordIdentifier, at offset: Int) -> Int {
    let key = IdentifierBytes(id)
    let base = editor.reader.location(of: key, in: entity)
    return changes.add(LineChanges.Entry(entity: entity, id: id, offset: offset, base: base))
  }

  /// Throws if a record has no value for a required attribute after the changes of the line.
  private func checkRequired(_ reader: TextReader) throws(TextJournalError) {
    for entry in changes.entries {
      guard let attribute = entry.missing(required[entry.entity]) else { continue }
      let entity = definitions[entry.entity]
      throw reader.error(
        .required, at: entry.offset,
        sentence:
          "\(entity.name) \(quoted(entry.id)) has no \(entity.attributes[attribute].name), which is "
          + "required.")
    }
  }

  // MARK: Writing

  /// Writes the changes of the line as one transaction, or as the base if it is the first line of a
  /// text with a base. A base is written in pieces of about ``baseByteCount`` bytes.
  private mutating func write(
    _ transaction: TextTransaction, at reader: TextReader
  ) throws(TextJournalError) {
    var metadata = transaction.metadata
    var time = transaction.time
    let sequence = SequenceNumber(UInt64(clamping: transaction.sequence))
    let isBase = report.transactionCount == 0 && schema.base != nil
    if time < maker.time {
      time = maker.time
      report.raisedTimeCount += 1
      // The journal gets the raised time. The metadata keeps the original time, so that it is not
      // lost.
      metadata.removeAll { $0.key == "time" }
      metadata.append(JSONValue.Member("time", value: .string(transaction.timeString)))
    }
    if isBase { maker.startBase(sequence, at: time) }
    var proposal = Proposal(TransactionMetadata(metadata))
    let creations = try creations(reader)
    for (entry, creation) in zip(changes.entries, creations) {
      guard let kind = entry.kind else {
        report.unchangedRecordCount += 1
        continue
      }
      var change = Proposal.Change(
        kind, entity: entry.entity, id: entry.id, base: entry.base, creation: creation)
      if kind != .delete {
        let row = MadeRow(of: entry, as: rowLayouts[entry.entity], in: editor.memory)
        if kind == .update {
          guard !row.changed.isEmpty else {
            report.unchangedRecordCount += 1
            continue
          }
          change.changed = row.changed
        }
        let start = proposal.rows.count
        proposal.rows.append(row.bytes)
        if row.hasStoredValues { proposal.namesStoredValues = true }
        change.row = start..<proposal.rows.count
      }
      proposal.changes.append(change)
      if isBase, proposal.rows.count >= TextMaking.baseByteCount {
        try write(proposal, sequence: sequence, time: time, at: reader)
        proposal = Proposal()
      }
    }
    let isWritten = isBase && report.changeCount > 0 && proposal.changes.isEmpty
    if !isWritten { try write(proposal, sequence: sequence, time: time, at: reader) }
    if isBase {
      do { try maker.endBase() } catch { throw TextJournalError(error, path: path) }
    }
    report.transactionCount += 1
  }

  /// Writes the changes of a line as one payload, and applies the payload to the state. For a base,
  /// writes a piece of the changes.
  private mutating func write(
    _ proposal: borrowing Proposal, sequence: SequenceNumber, time: JournalTime,
    at reader: TextReader
  ) throws(TextJournalError) {
    // Offsets in a payload have 32 bits. The size of the payload is checked later, because rows
    // share large values and the payload can be smaller than the rows.
    guard proposal.rows.count <= Int(Int32.max) else {
      throw tooLarge(proposal.rows.count, at: reader)
    }
    let isFirst = report.transactionCount == 0 && report.changeCount == 0
    let hasAllLayouts = isFirst || byteCountSinceLayouts >= TextMaking.layoutInterval
    let payload = proposal.payload(
      on: editor.reader,
      layouts: PayloadLayouts(
        hasAllLayouts ? editor.reader.catalog.layouts.all : [], isComplete: hasAllLayouts))
    guard payload.count <= Frame.payloadByteCountMax else {
      throw tooLarge(payload.count, at: reader)
    }
    byteCountSinceLayouts = hasAllLayouts ? 0 : byteCountSinceLayouts + payload.count
    let offset: UInt64
    do { offset = try maker.append(payload, at: time) } catch {
      throw TextJournalError(error, path: path)
    }
    var location = RowLocation(rawValue: offset)
    // Rows of a base belong to no transaction, so their sequence number is 0.
    let isBase = report.transactionCount == 0 && schema.base != nil
    if let file = maker.written {
      editor.memory.file = file
    } else {
      location = editor.memory.memory.add(
        payload.span.bytes, sequence: isBase ? 0 : sequence.rawValue)
    }
    var folded: [RowChange]?
    let defect = editor.fold(payload.span.bytes, at: location, changes: &folded)
    precondition(defect == nil, "an imported transaction is invalid: \(defect as Any)")
    editor.state.sequence = sequence
    if isBase {
      editor.memory.recordBase(at: location)
    } else {
      editor.memory.record(sequence.rawValue, at: location)
    }
    report.changeCount += proposal.changes.count
  }

  // MARK: Creation numbers

  /// Returns the creation number of each insert of the line, and nil for each other change.
  private mutating func creations(_ reader: TextReader) throws(TextJournalError) -> [UInt64?] {
    if liveCreations != nil {
      for entry in changes.entries { recordDeletion(entry) }
    }
    var next = editor.state.nextCreation
    var creations: [UInt64?] = []
    for entry in changes.entries {
      guard entry.kind == .insert else {
        creations.append(nil)
        continue
      }
      let creation = entry.creation ?? next
      guard creation <= Layout.creationMax else {
        throw reader.error(
          .creation, at: entry.offset,
          sentence: "no creation number is left: a record already has the highest, \(creation - 1)."
        )
      }
      if creation < next, liveCreations == nil { gatherCreations(creations) }
      if liveCreations?.insert(creation).inserted == false {
        throw reader.error(
          .creation, at: entry.creationOffset,
          sentence: "a different record already has the creation number \(creation).")
      }
      next = max(next, creation + 1)
      creations.append(creation)
    }
    return creations
  }

  /// Collects the creation numbers of all live records and of the earlier inserts of the line.
  ///
  /// Most texts assign creation numbers in ascending order. Then no number can be in use, and this
  /// method is not called.
  private mutating func gatherCreations(_ given: [UInt64?]) {
    var live: Set<UInt64> = []
    for table in editor.state.tables {
      table.forEach(in: editor.reader.space) { _, _, creation in live.insert(creation) }
    }
    live.formUnion(given.compactMap(\.self))
    liveCreations = live
    for entry in changes.entries { recordDeletion(entry) }
  }

  /// Removes the creation number of a record that the line deletes, so that a later insert may have
  /// it.
  private mutating func recordDeletion(_ entry: LineChanges.Entry) {
    guard entry.kind == .delete else { return }
    liveCreations?.remove(
      editor.memory.withBytes(at: entry.base) { row in Layout.creation(of: row) })
  }

  // MARK: Errors

  private func quoted(_ id: RecordIdentifier) -> String {
    if case .string(let string) = id { return TextReader.quoted(string) }
    return "\(id)"
  }

  private func notFound(
    _ change: TextChange, id: RecordIdentifier, verb: String, at reader: TextReader
  ) -> TextJournalError {
    reader.error(
      .notFound, at: change.offset,
      sentence: "cannot \(verb) \(change.entity) \(quoted(id)), which does not exist.")
  }

  private func tooLarge(_ byteCount: Int, at reader: TextReader) -> TextJournalError {
    reader.error(
      .tooLarge, at: 0,
      sentence: "the transaction has \(byteCount) bytes, but the limit is 1 GiB.")
  }

  private func hasChanged(_ reader: TextReader) -> TextJournalError {
    reader.error(.changed, at: 0, sentence: "the text changed during the import.")
  }
}

/// The counts of an import, and the entities that it created.
public struct TextImportReport: Hashable, Sendable {
  /// The number of transactions, including a base.
  public internal(set) var transactionCount = 0
  /// The number of changes, at most one for each record and transaction.
  public internal(set) var changeCount = 0
  /// The number of changes that were combined with an earlier change of the same record in the same
  /// line.
  public internal(set) var combinedChangeCount = 0
  /// The number of records with changes in a line that have no effect together. For example, the
  /// line sets the value that the record already has.
  public internal(set) var unchangedRecordCount = 0
  /// The entities that the header declares, followed by those that were inferred.
  public internal(set) var entities: [EntityDefinition] = []
  /// The number of entities.
  public var entityCount: Int { entities.count }
  /// The number of transactions with a time before the time of the previous transaction. The import
  /// gives them the time of the previous transaction.
  public internal(set) var raisedTimeCount = 0
}
