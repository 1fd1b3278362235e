import DaybookJournal
@_spi(Tools) import DaybookStore

/// The lines of a text, as they are made of a journal's payloads.
///
/// Each payload is folded into a state, which knows of every change where the record's row stands
/// before and after it.
struct ExportedLines: ~Copyable {
  /// So much text is gathered before it is written.
  static let pieceByteCount = 64 << 10

  private let contents: JournalContents
  /// The newest schema: all rows are shown as it has them.
  private let newest: Catalog
  private let entities: [EntityDefinition]
  private var writer = JSONWriter()
  /// What the line says of a transaction beside its changes.
  private struct Heading {
    var sequence: SequenceNumber
    var time: JournalTime
    /// The metadata as JSON; nil if there is none.
    var metadata: String?
  }
  /// The pieces of a base so far: they are one line, which is written when all of them are known to be whole.
  private var base: (heading: Heading, changes: [RowChange])?
  /// Large values that were found to be the same, so that no two are compared for each row that names them.
  private let sameValues = SameValues()

  private var editor = StateEditor()
  /// The creation number that an import would give to the next insert.
  private var nextCreation: UInt64 = 1

  init(_ survey: SchemaSurvey, of contents: JournalContents) {
    self.contents = contents
    newest = survey.catalog
    entities = survey.entities
    // The index is not asked for.
    editor.deferIndexes()
  }

  mutating func writeHeader() {
    writer.writeHeader(entities, base: contents.base)
    writer.endLine()
  }

  /// Hands over what was gathered, if it is more than so much.
  mutating func flush(
    ifAbove byteCount: Int, to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) {
    guard writer.bytes.count > byteCount else { return }
    try output(writer.takePiece().span.bytes)
  }

  /// Folds what a payload says and writes it, a piece of the line at a time.
  ///
  /// - Returns: What is wrong with the payload, or nil. Then nothing of its line is written.
  mutating func write(
    _ payload: JournalContents.Payload, to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) -> PayloadMisfit? {
    // The line of the base is written also if the first transaction after it cannot be read.
    if !payload.isBase { try endBase(to: output) }
    let heading: Heading
    let changes: [RowChange]
    switch payload.bytes.withSpan({ bytes in fold(payload, bytes: bytes) }) {
    case .failure(let failure): return failure.misfit
    case .success(let folded): (heading, changes) = folded
    }
    if payload.isBase {
      if base == nil { base = (heading, []) }
      base?.changes += changes
    } else {
      try writeLine(heading, changes: changes, to: output)
    }
    return nil
  }

  private struct MisfitError: Error {
    var misfit: PayloadMisfit
  }

  private mutating func fold(
    _ payload: JournalContents.Payload, bytes: RawSpan
  ) -> Result<(Heading, [RowChange]), MisfitError> {
    var location = RowLocation(rawValue: payload.offset)
    if let file = contents.mapped(through: payload.offset + UInt64(bytes.byteCount)),
      payload.offset > 0
    {
      editor.memory.file = file
    } else {
      location = editor.memory.memory.add(
        bytes, sequence: payload.isBase ? 0 : payload.sequence.rawValue)
    }
    if payload.isBase {
      editor.memory.noteBase(at: location)
    } else {
      editor.memory.note(payload.sequence.rawValue, at: location)
    }
    var folded: [RowChange]? = []
    if let misfit = editor.fold(bytes, at: location, changes: &folded) {
      return .failure(MisfitError(misfit: misfit))
    }
    editor.state.sequence = payload.sequence
    // The fold has found the payload whole up to its metadata; what is none there reads as empty.
    let metadata = PayloadReader.metadata(in: bytes, layouts: editor.reader.catalog.layouts)
    let text = metadata.flatMap { $0.isEmpty ? nil : $0.text }
    return .success(
      (Heading(sequence: payload.sequence, time: payload.time, metadata: text), folded ?? []))
  }

  /// Ends the line of a base, if one is begun.
  mutating func endBase(
    to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) {
    guard let (heading, changes) = base.take() else { return }
    try writeLine(heading, changes: changes, to: output)
  }

  private mutating func writeLine(
    _ heading: Heading, changes: [RowChange], to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) {
    writer.beginObject()
    writer.key("tx")
    writer.write(heading.sequence.rawValue)
    writer.key("time")
    writer.write(JournalTimeText.text(of: heading.time))
    if let metadata = heading.metadata {
      writer.key("meta")
      let text = Array(metadata.utf8)
      writer.write(text: text.span.bytes)
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

  private mutating func write(_ change: RowChange) {
    let entity = newest.newest(change.entity).entity
    let before =
      change.old == .none ? nil : RowValues(at: change.old, in: editor.memory, catalog: newest)
    let after =
      change.new == .none ? nil : RowValues(at: change.new, in: editor.memory, catalog: newest)
    guard let id = (after ?? before)?.id else { return }
    switch (before, after) {
    case (nil, let after?):
      begin("insert", of: entity, id: id)
      writer.key("set")
      writer.beginObject()
      for attribute in after.attributesWithValue {
        writer.key(entity.attributes[attribute].name)
        writer.write(after.value(attribute))
      }
      writer.endObject()
      if change.creation != nextCreation {
        writer.key("created")
        writer.write(change.creation)
      }
      nextCreation = max(nextCreation, change.creation &+ 1)
      writer.endObject()
    case (let before?, let after?):
      let changed = after.attributesChanged(from: before, known: sameValues)
      // What changed may be attributes that the newest schema no longer has.
      guard !changed.isEmpty else { return }
      begin("update", of: entity, id: id)
      writer.key("set")
      writer.beginObject()
      for index in changed {
        writer.key(entity.attributes[index].name)
        writer.write(after.value(index))
      }
      writer.endObject()
      writer.endObject()
    case (_, nil):
      begin("delete", of: entity, id: id)
      writer.endObject()
    }
  }

  private mutating func begin(
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
