import DaybookJournal
@_spi(Tools) import DaybookStore

/// The writer of the lines of a text, from the payloads of a journal.
///
/// This type applies each payload to a state. The state returns, for every change, the locations of
/// the record's row before and after the change.
struct ExportedLines: ~Copyable {
  /// The number of bytes of text that are collected before they are written.
  static let pieceByteCount = 64 << 10

  /// The form of the lines.
  enum Form {
    /// The whole journal. Each line has the number and the time of its transaction.
    case journal
    /// The transactions after a given one, as lines that can be appended to a store. The header
    /// declares the entities. The metadata of each line contains the number and the time as
    /// ``lostKey``.
    case appendable(after: SequenceNumber)
  }

  /// The key of the metadata that contains the number and the time of a transaction that was lost.
  static let lostKey = "lost"

  private let contents: JournalContents
  private let form: Form
  /// The number of transactions whose lines were written.
  private(set) var count = 0
  /// The newest schema. Rows of earlier layouts are translated to it, because a text has only one
  /// schema.
  private let newest: Catalog
  private let entities: [EntityDefinition]
  private var writer = JSONWriter()
  /// The parts of a line other than its changes.
  private struct Heading {
    var sequence: SequenceNumber
    var time: JournalTime
    /// The metadata as JSON; nil if the transaction has none.
    var metadata: String?
  }
  /// The pieces of a base that were read; nil without a base.
  ///
  /// In the text, a base is one line. The line is written after all pieces were applied.
  private var base: (heading: Heading, changes: [RowChange])?
  /// The large values that were found to be equal, so that the bytes of equal values are compared
  /// only once.
  private let sameValues = SameValues()

  private var editor = StateEditor()
  /// The creation number that an import would assign to the next insert. The text contains the
  /// creation number of an insert only if it differs from this number.
  private var nextCreation: UInt64 = 1

  init(_ survey: SchemaSurvey, of contents: JournalContents, as form: Form = .journal) {
    self.contents = contents
    self.form = form
    newest = survey.catalog
    entities = survey.entities
    // An export looks up no references and no unique values, so it needs no indexes.
    editor.deferIndexes()
  }

  mutating func writeHeader() {
    let base: SequenceNumber = if case .journal = form { contents.base } else { .zero }
    writer.writeHeader(entities, base: base)
    writer.endLine()
  }

  /// Passes the collected text to the output, if it is larger than a limit.
  mutating func flush(
    ifAbove byteCount: Int, to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) {
    guard writer.bytes.count > byteCount else { return }
    try output(writer.takePiece().span.bytes)
  }

  /// Applies a payload to the state, and writes its line piece by piece.
  ///
  /// The line of a base is written later; see ``endBase(to:)``.
  ///
  /// - Returns: The problem of the payload, or nil. If the payload has a problem, no part of its
  ///   line is written.
  mutating func write(
    _ payload: JournalContents.Payload, to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) -> PayloadDefect? {
    // The line of the base is written even if the first transaction after it cannot be read.
    if !payload.isBase { try endBase(to: output) }
    let heading: Heading
    let changes: [RowChange]
    switch payload.bytes.withSpan({ bytes in fold(payload, bytes: bytes) }) {
    case .failure(let failure): return failure.defect
    case .success(let folded): (heading, changes) = folded
    }
    if case .appendable(let last) = form, payload.isBase || payload.sequence <= last { return nil }
    if payload.isBase {
      if base == nil { base = (heading, []) }
      // The metadata of a base is that of its last payload with metadata.
      if let metadata = heading.metadata { base?.heading.metadata = metadata }
      base?.changes += changes
    } else {
      try writeLine(heading, changes: changes, to: output)
    }
    return nil
  }

  private struct DefectError: Error {
    var defect: PayloadDefect
  }

  /// Applies a payload to the state, and returns the heading of its line and its changes. The rows
  /// of the payload are read from the mapped file, or from a copy of the payload in memory.
  private mutating func fold(
    _ payload: JournalContents.Payload, bytes: RawSpan
  ) -> Result<(Heading, [RowChange]), DefectError> {
    var location = RowLocation(rawValue: payload.offset)
    if let file = contents.mapped(through: payload.offset + UInt64(bytes.byteCount)),
      payload.offset > 0
    {
      editor.memory.file = file
    } else {
      location = editor.memory.memory.add(
        bytes, sequence: (payload.base ?? payload.sequence).rawValue)
    }
    if let base = payload.base {
      editor.memory.recordBase(at: location, of: base.rawValue)
    } else {
      editor.memory.record(payload.sequence.rawValue, at: location)
    }
    var folded: [RowChange]? = []
    if let defect = editor.fold(bytes, at: location, changes: &folded) {
      return .failure(DefectError(defect: defect))
    }
    editor.state.sequence = payload.sequence
    // `fold` has validated the payload up to its metadata. Metadata that cannot be parsed is
    // treated as empty.
    let metadata = PayloadReader.metadata(in: bytes, layouts: editor.reader.catalog.layouts)
    var json = metadata.flatMap { $0.isEmpty ? nil : $0.text }
    if case .appendable = form {
      var lost = metadata ?? TransactionMetadata()
      lost[ExportedLines.lostKey] = "\(payload.sequence), \(payload.time)"
      json = lost.text
    }
    return .success(
      (Heading(sequence: payload.sequence, time: payload.time, metadata: json), folded ?? []))
  }

  /// Writes the line of a base, if pieces of a base were read.
  mutating func endBase(
    to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) {
    guard let (heading, changes) = base.take() else { return }
    try writeLine(heading, changes: changes, to: output)
  }

  private mutating func writeLine(
    _ heading: Heading, changes: [RowChange], to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) {
    count += 1
    writer.beginObject()
    if case .journal = form {
      writer.key("tx")
      writer.write(heading.sequence.rawValue)
      writer.key("time")
      writer.write(JournalTimeText.text(of: heading.time))
    }
    if let metadata = heading.metadata {
      writer.key("meta")
      let utf8 = Array(metadata.utf8)
      writer.write(text: utf8.span.bytes)
    }
    writer.key("changes")
    writer.beginArray()
    for change in changes {
      write(change)
      try flush(ifAbove: ExportedLines.pieceByteCount, to: output)
    }
    writer.endArray()
    writer.endObject()
    writer.endLine()
  }

  // MARK: Changes

  /// Writes one change as an insert, an update or a delete.
  private mutating func write(_ change: RowChange) {
    let entity = newest.newest(change.entity).entity
    let before =
      change.old == .none ? nil : RowValues(at: change.old, in: editor.memory, catalog: newest)
    let after =
      change.new == .none ? nil : RowValues(at: change.new, in: editor.memory, catalog: newest)
    guard let id = (after ?? before)?.id else { return }
    switch (before, after) {
    case (nil, let after?):
      start("insert", of: entity, id: id)
      writer.key("set")
      writer.beginObject()
      for attribute in after.attributesWithValue {
        writer.key(entity.attributes[attribute].name)
        writer.write(after.value(attribute))
      }
      writer.endObject()
      if change.creation != nextCreation, case .journal = form {
        writer.key("created")
        writer.write(change.creation)
      }
      nextCreation = max(nextCreation, change.creation &+ 1)
      writer.endObject()
    case (let before?, let after?):
      let changed = after.attributesChanged(from: before, known: sameValues)
      // If the change affects only attributes that the newest schema does not contain, no attribute
      // of the text has changed.
      guard !changed.isEmpty else { return }
      start("update", of: entity, id: id)
      writer.key("set")
      writer.beginObject()
      for index in changed {
        writer.key(entity.attributes[index].name)
        writer.write(after.value(index))
      }
      writer.endObject()
      writer.endObject()
    case (_, nil):
      start("delete", of: entity, id: id)
      writer.endObject()
    }
  }

  private mutating func start(
    _ operation: String, of entity: EntityDefinition, id: RecordIdentifier
  ) {
    writer.beginObject()
    writer.key("op")
    writer.write(operation)
    writer.key("entity")
    writer.write(entity.name)
    writer.key("id")
    writer.write(id)
  }
}
