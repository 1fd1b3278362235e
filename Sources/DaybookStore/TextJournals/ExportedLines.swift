import DaybookJournal
import FoundationEssentials

/// The lines of a text, as they are made of a journal's payloads.
///
/// Each payload is folded into a state, which knows of every change where the record's row stands
/// before and after it.
struct ExportedLines {
  /// So much text is gathered before it is written.
  static let pieceByteCount = 64 << 10

  private let contents: JournalContents
  /// The newest schema: all rows are shown as it has them.
  private let newest: Catalog
  private let entities: [EntityDefinition]
  private var writer = JSONWriter()
  /// Whether the line of a base is begun, whose other pieces may follow.
  private var isInBase = false

  private let space = PageSpace()
  private var state = StoreState()
  private var catalog = Catalog()
  private var memory = RowMemory()
  /// The creation number that an import would give to the next insert.
  private var nextCreation: UInt64 = 1
  /// For each layout by its number, where the newest attributes are in its rows.
  private var mappings: [UInt16: LayoutMapping] = [:]

  init(_ survey: SchemaSurvey, _ contents: JournalContents) {
    self.contents = contents
    newest = survey.catalog
    entities = survey.entities
    for history in newest.history {
      guard let last = history.last else { continue }
      for (index, layout) in history.enumerated() {
        mappings[layout.number] = LayoutMapping(
          from: layout.entity, to: last.entity, history: history[index...].map(\.entity))
      }
    }
  }

  mutating func writeHeader() {
    writer.writeHeader(entities, base: contents.base)
    writer.endLine()
  }

  /// Hands over what was gathered, if it is more than so much.
  mutating func flush(
    ifAbove byteCount: Int, to output: (RawSpan) throws(DiskError) -> Void
  ) throws(DiskError) {
    guard !isInBase, writer.bytes.count > byteCount else { return }
    try output(writer.bytes.span.bytes)
    writer.removeAll()
  }

  /// Writes what a payload says, and folds it.
  ///
  /// - Returns: What is wrong with the payload, or nil.
  mutating func write(_ payload: JournalContents.Payload) -> PayloadMisfit? {
    if !payload.isBase { endLine() }
    return payload.bytes.withSpan { bytes in
      var location = RowLocation(rawValue: payload.offset)
      if let file = contents.mapped(through: payload.offset + UInt64(bytes.byteCount)),
        payload.offset > 0
      {
        memory.file = file
      } else {
        location = memory.memory.add(
          bytes, sequence: payload.isBase ? 0 : payload.sequence.rawValue)
      }
      if payload.isBase {
        memory.noteBase(at: location)
      } else {
        memory.note(payload.sequence.rawValue, at: location)
      }
      var folded: [RowChange]? = []
      if let misfit = state.fold(
        bytes, at: location, in: memory, space, &catalog, changes: &folded)
      {
        return misfit
      }
      state.sequence = payload.sequence
      if !isInBase { beginLine(payload, bytes) }
      for change in folded ?? [] { write(change) }
      if payload.isBase { isInBase = true } else { finishLine() }
      return nil
    }
  }

  private mutating func beginLine(_ payload: JournalContents.Payload, _ bytes: RawSpan) {
    writer.beginObject()
    writer.key("tx")
    writer.write(payload.sequence.rawValue)
    writer.key("time")
    writer.write(JournalTimeText.text(of: payload.time))
    // The fold has found the payload whole up to its metadata; what is none there reads as empty.
    if let metadata = PayloadReader.metadata(in: bytes, layouts: catalog.layouts),
      !metadata.isEmpty
    {
      writer.key("meta")
      let text = Array(metadata.text.utf8)
      writer.write(text: text.span.bytes)
    }
    writer.key("changes")
    writer.beginArray()
  }

  private mutating func finishLine() {
    writer.endArray()
    writer.endObject()
    writer.endLine()
  }

  /// Ends the line of a base, if one is begun.
  mutating func endLine() {
    guard isInBase else { return }
    finishLine()
    isInBase = false
  }

  // MARK: Changes

  private mutating func write(_ change: RowChange) {
    let memory = memory
    let layouts = catalog.layouts
    let entity = newest.newest(change.entity).entity
    switch change.kind {
    case .insert:
      memory.withWholeRow(at: change.new, layouts) { row in
        begin("insert", entity, row)
        let values = values(of: row, entity)
        writer.key("set")
        writer.beginObject()
        for (attribute, value) in zip(entity.attributes, values) where !value.isNull {
          writer.key(attribute.name)
          writer.write(value)
        }
        writer.endObject()
        if change.creation != nextCreation {
          writer.key("created")
          writer.write(change.creation)
        }
        nextCreation = max(nextCreation, change.creation &+ 1)
        writer.endObject()
      }
    case .update:
      memory.withWholeRow(at: change.old, layouts) { old in
        memory.withWholeRow(at: change.new, layouts) { new in write(new, after: old, entity) }
      }
    case .delete:
      memory.withBytes(at: change.old) { row in
        begin("delete", entity, row)
        writer.endObject()
      }
    }
  }

  private mutating func write(_ new: RawSpan, after old: RawSpan, _ entity: EntityDefinition) {
    let before = values(of: old, entity)
    let after = values(of: new, entity)
    let changed = after.indices.filter { !before[$0].hasSameText(as: after[$0]) }
    // What changed may be attributes that the newest schema no longer has.
    guard !changed.isEmpty else { return }
    begin("update", entity, new)
    writer.key("set")
    writer.beginObject()
    for index in changed {
      writer.key(entity.attributes[index].name)
      writer.write(after[index])
    }
    writer.endObject()
    writer.endObject()
  }

  private mutating func begin(_ operation: String, _ entity: EntityDefinition, _ row: RawSpan) {
    writer.beginObject()
    writer.key("op")
    writer.write(operation)
    writer.key("entity")
    writer.write(entity.name)
    writer.key("id")
    // The fold has found the row whole, so there is an identifier.
    if let number = Layout.number(of: row),
      let range = catalog.layouts[number]?.identifierRange(in: row),
      let id = RecordIdentifier(entity.identifierKind, bytes: row.extracting(range))
    {
      writer.write(id)
    } else {
      writer.writeNull()
    }
  }

  /// The values of a row, as the newest schema has them.
  private func values(of row: RawSpan, _ entity: EntityDefinition) -> [AttributeValue] {
    guard let number = Layout.number(of: row), let layout = catalog.layouts[number],
      let mapping = mappings[number]
    else { return entity.attributes.map { _ in .null } }
    return zip(entity.attributes, mapping.sources).map { attribute, source in
      switch source {
      case .same(let index):
        guard let range = layout.range(of: index, in: row) else { return .null }
        return AttributeValue(attribute.type, bytes: row.extracting(range)) ?? .null
      case .absent: return attribute.defaultValue
      // Only a program that has the type can convert.
      case .other: return .null
      }
    }
  }
}

extension AttributeValue {
  /// Returns whether a text has the same for both. Numbers that are NaN have one text, whatever their bits are.
  fileprivate func hasSameText(as other: AttributeValue) -> Bool {
    if self == other { return true }
    return switch (self, other) {
    case (.float(let one), .float(let other)): one.isNaN && other.isNaN
    case (.double(let one), .double(let other)): one.isNaN && other.isNaN
    case (.date(let one), .date(let other)):
      one.timeIntervalSinceReferenceDate.isNaN && other.timeIntervalSinceReferenceDate.isNaN
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.hasSameText(as: $1) }
    default: false
    }
  }
}

extension PayloadReader {
  /// The metadata of a payload; nil if there is none.
  fileprivate static func metadata(
    in bytes: RawSpan, layouts: LayoutTable
  ) -> TransactionMetadata? {
    let flags = PayloadWriter.Flags(rawValue: bytes.number(at: 1, as: UInt8.self) ?? 0)
    guard flags.contains(.metadata) else { return nil }
    var reader = PayloadReader(bytes, layouts: layouts)
    while reader.next(in: bytes) != nil {}
    return reader.misfit == nil ? reader.metadata(in: bytes) : nil
  }
}
