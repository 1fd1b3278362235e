import DaybookJournal

/// Writes the contents of a store to a file that replaces its journal, for a compaction or an
/// erasure. First it writes the state after a transaction as the base, and then the later
/// transactions. Rows and large values have new locations in the new file, so the references to
/// them are rewritten.
///
/// Each payload that is written is also applied to a state of the new file, as an opening of that
/// file will do. The next payload needs this state for two lookups: the location of the row that a
/// change replaces, and the large values that are already stored. Rows keep their layouts and
/// creation numbers.
struct RewrittenJournal: ~Copyable {
  /// The record whose history an erasure omits. Its changes are not written. If the record exists,
  /// its last row is written as an insert.
  struct Erasure {
    /// The part of the journal that contains the last row of the record.
    enum Rest: Equatable {
      /// The base.
      case base
      /// A transaction.
      case transaction(SequenceNumber)
      /// No part, because the record does not exist.
      case nowhere
    }

    var key: EntityKey
    var rest: Rest
  }

  /// The state of the old journal, with the memory that contains its rows.
  private let source: FrozenState
  /// The new file.
  private let output: JournalOutput
  private let erasure: Erasure?
  private let path: String

  /// The state of the new file after the last payload.
  private var editor = StateEditor()
  /// The number of payload bytes after the last payload that contains all layouts.
  private var byteCountSinceLayouts = 0
  /// The new references to the source's large values. Each value is copied once, even if many rows
  /// refer to it.
  private var movedValues: [ValueRange: StoredValue] = [:]

  init(
    _ source: FrozenState, to output: JournalOutput, without erasure: Erasure?,
    path: String
  ) {
    self.source = source
    self.output = output
    self.erasure = erasure
    self.path = path
  }

  /// The size of the rows and values, in bytes, after which a new piece of the base starts. The
  /// next constant is the number of payload bytes after which a payload contains all layouts again.
  private static let pieceByteCount = 512 << 10
  private static let layoutInterval = 4 << 20

  // MARK: The base

  /// Writes the state after a transaction as the base.
  ///
  /// - Parameters:
  ///   - base: The state.
  ///   - metadata: The metadata of the base.
  ///   - steps: The progress steps that receive the size of the new file after each piece.
  mutating func writeBase(
    _ base: FrozenState, metadata: TransactionMetadata, steps: inout ReadingProgress.Steps?
  ) throws {
    var rows: [(creation: UInt64, entity: Int, location: RowLocation)] = []
    for (entity, table) in base.state.tables.enumerated() {
      rows.reserveCapacity(rows.count + table.count)
      table.forEach(in: base.space) { slot, location, creation in
        if let erasure, erasure.rest != .base, erasure.key.entity == entity,
          erasure.key.id == base.reader.identifier(ofSlot: slot, in: entity)
        {
          return
        }
        rows.append((creation, entity, location))
      }
    }
    rows.sort { $0.creation < $1.creation }
    var piece = Piece()
    piece.metadata = metadata
    // The first piece is written even if it has no records, because it contains the layouts.
    var isFirst = true
    for row in rows {
      piece.add(.insert, ofRowAt: row.location, in: source, movedValues: movedValues)
      if piece.byteCount >= RewrittenJournal.pieceByteCount {
        try write(piece, sequence: .zero, time: base.state.time, hasAllLayouts: isFirst)
        steps?.pass(output.byteCount)
        piece = Piece()
        isFirst = false
      }
    }
    if isFirst || !piece.changes.isEmpty {
      try write(piece, sequence: .zero, time: base.state.time, hasAllLayouts: isFirst)
    }
    try output.endBase()
    editor.state.sequence = base.sequence
  }

  // MARK: Transactions

  /// Writes a transaction of the source.
  mutating func write(_ sequence: SequenceNumber) throws {
    let location = source.memory.locator.location(of: sequence.rawValue, in: source.memory)
    guard let head = source.memory.payloadHead(at: location) else {
      throw HistoryDefect(sequence: sequence.rawValue, offset: 0)
    }
    var piece = Piece()
    let defect = source.memory.withBytes(at: location) { bytes -> PayloadDefect? in
      let payload = bytes.extracting(0..<head.byteCount)
      var reader = PayloadReader(payload, layouts: source.catalog.layouts)
      while let change = reader.next(in: payload) {
        add(change, of: sequence, in: payload, at: location, to: &piece)
      }
      piece.metadata = reader.metadata(in: payload)
      return reader.defect
    }
    if let defect { throw HistoryDefect(sequence: sequence.rawValue, offset: defect.offset) }
    let hasAllLayouts =
      editor.state.sequence == .zero && editor.reader.catalog.layouts.count == 0
      || byteCountSinceLayouts >= RewrittenJournal.layoutInterval
    try write(piece, sequence: sequence, time: head.time, hasAllLayouts: hasAllLayouts)
    editor.state.sequence = sequence
  }

  private func add(
    _ change: PayloadChange, of sequence: SequenceNumber, in payload: RawSpan,
    at location: RowLocation, to piece: inout Piece
  ) {
    let row = location + change.row.lowerBound
    var kind = change.kind
    if let erasure, isErased(change, in: payload, by: erasure.key) {
      guard erasure.rest == .transaction(sequence) else { return }
      kind = .insert
    }
    switch kind {
    case .insert, .update:
      let mask =
        kind == .update
        ? payload.extracting(change.mask).withUnsafeBytes { [UInt8]($0) } : []
      piece.add(
        kind, ofRowAt: row, in: source, movedValues: movedValues, changed: AttributeSet(mask))
    case .delete:
      guard
        let id = RecordIdentifier(
          change.layout.identifierKind, bytes: payload.extracting(change.row))
      else { return }
      piece.delete(id, in: change.layout)
    }
  }

  private func isErased(_ change: PayloadChange, in payload: RawSpan, by key: EntityKey) -> Bool {
    guard source.catalog.entity(of: change.layout.number) == key.entity else { return false }
    let row = payload.extracting(change.row)
    guard let range = change.identifierRange(in: row) else { return false }
    return RecordIdentifier(change.layout.identifierKind, bytes: row.extracting(range)) == key.id
  }

  // MARK: Writing

  private mutating func write(
    _ piece: Piece, sequence: SequenceNumber, time: JournalTime, hasAllLayouts: Bool
  ) throws {
    let frozen = editor.frozen()
    let known = frozen.catalog.layouts
    let layouts =
      hasAllLayouts
      ? source.catalog.layouts.allAsAdded
      : piece.layouts.filter { known[$0.number] == nil }.map(source.catalog.layouts.original)
    let (payload, values) = piece.payload(
      on: frozen, source: source.memory, movedValues: movedValues,
      layouts: PayloadLayouts(layouts, isComplete: hasAllLayouts))
    guard payload.count <= Frame.payloadByteCountMax else {
      throw StoreError(.transactionTooLarge(byteCount: payload.count), path: path)
    }
    byteCountSinceLayouts = hasAllLayouts ? 0 : byteCountSinceLayouts + payload.count
    let offset = try output.append(payload.span.bytes, at: time)
    var location = RowLocation(rawValue: offset)
    if let file = output.written {
      editor.memory.file = file
    } else {
      location = editor.memory.memory.add(
        payload.span.bytes, sequence: sequence.rawValue, time: time)
    }
    var changes: [RowChange]?
    let defect = editor.fold(payload.span.bytes, at: location, changes: &changes)
    if let defect { throw HistoryDefect(sequence: sequence.rawValue, offset: defect.offset) }
    if sequence == .zero {
      editor.memory.recordBase(at: location)
    } else {
      editor.memory.record(sequence.rawValue, at: location)
    }
    let number = sequence == .zero ? editor.memory.locator.base(at: location) : sequence.rawValue
    for (valueRange, value) in values {
      var value = value
      value.sequence = number
      movedValues[valueRange] = value
    }
  }
}

/// The changes of one payload of the new file: a transaction, or a piece of the base.
private struct Piece {
  /// The change of one record, with its row.
  struct Change {
    var kind: ChangeKind
    var layout: Layout
    var id: RecordIdentifier
    /// The row, as it is stored in the source.
    var row: [UInt8] = []
    /// The location of the row in the source.
    var source = RowLocation.none
    var changed = AttributeSet([])
  }

  var changes: [Change] = []
  var metadata = TransactionMetadata()
  /// The total size of the rows, and of the large values that no earlier row of the new file refers
  /// to.
  private(set) var byteCount = 0
  /// The large values that the payload contains.
  private var newValues: Set<ValueRange> = []

  /// The layouts of the rows, in the order of their numbers.
  var layouts: [Layout] {
    var layouts: [UInt16: Layout] = [:]
    for change in changes { layouts[change.layout.number] = change.layout }
    return layouts.values.sorted { $0.number < $1.number }
  }

  /// Adds the row at a location of the source.
  ///
  /// - Parameter moved: The large values that earlier payloads contain, with their new references.
  mutating func add(
    _ kind: ChangeKind, ofRowAt location: RowLocation, in source: FrozenState,
    movedValues moved: [ValueRange: StoredValue], changed: AttributeSet = AttributeSet([])
  ) {
    source.memory.withBytes(at: location) { row in
      guard let number = Layout.number(of: row), let layout = source.catalog.layouts[number],
        let range = layout.identifierRange(in: row),
        let id = RecordIdentifier(layout.identifierKind, bytes: row.extracting(range))
      else { preconditionFailure("no row at \(location)") }
      let bytes = row.extracting(0..<(layout.rowByteCount(row) ?? row.byteCount))
      byteCount += bytes.byteCount
      for (_, _, value) in layout.storedValues(in: bytes) {
        let valueRange = source.memory.valueRange(of: value, in: location)
        if moved[valueRange] == nil, newValues.insert(valueRange).inserted {
          byteCount += valueRange.byteCount
        }
      }
      changes.append(
        Change(
          kind: kind, layout: layout, id: id, row: bytes.withUnsafeBytes { [UInt8]($0) },
          source: location, changed: changed))
    }
  }

  mutating func delete(_ id: RecordIdentifier, in layout: Layout) {
    changes.append(Change(kind: .delete, layout: layout, id: id))
  }

  /// Returns the payload for a new file that ends at a state, and the new references to the large
  /// values that the payload contains.
  func payload(
    on frozen: FrozenState, source: RowMemory, movedValues moved: [ValueRange: StoredValue],
    layouts: PayloadLayouts
  ) -> (payload: [UInt8], values: [ValueRange: StoredValue]) {
    let previous = changes.map { change -> RowLocation in
      guard change.kind != .insert, let entity = frozen.catalog.index(of: change.layout.entity.name)
      else { return .none }
      return frozen.reader.location(of: IdentifierBytes(change.id), in: entity)
    }
    var storedValues = RowBuffer()
    var values: [ValueRange: StoredValue] = [:]
    let stored = changes.indices.map { index -> [UInt8]? in
      let change = changes[index]
      let row = change.row.span.bytes
      return change.layout.moving(row) { value in
        let valueRange = source.valueRange(of: value, in: change.source)
        if let known = moved[valueRange] ?? values[valueRange] { return known }
        let copy = source.append(valueRange, to: &storedValues)
        values[valueRange] = copy
        return copy
      } store: { valueIndex, value in
        frozen.memory.stored(
          value, at: valueIndex, of: change.layout, after: previous[index], else: &storedValues)
      }
    }
    var writer = PayloadWriter(
      layouts: layouts, storedValues: storedValues.bytes,
      changeCount: changes.count,
      rowByteCount: zip(changes, stored).reduce(0) { $0 + ($1.1 ?? $1.0.row).count },
      metadata: metadata)
    let section = UInt32(writer.storedValuesOffset)
    for (index, change) in changes.enumerated() {
      let row = stored[index] ?? change.row
      let creation = Layout.creation(of: change.row.span.bytes)
      switch change.kind {
      case .insert: writer.insert(row.span.bytes, creation: creation)
      case .update:
        writer.update(
          row.span.bytes, creation: creation, after: frozen.memory.position(of: previous[index]),
          changed: change.changed)
      case .delete:
        writer.delete(
          change.id, in: change.layout, after: frozen.memory.position(of: previous[index]))
      }
      if stored[index] != nil { writer.shiftStoredValues(of: change.layout, by: section) }
    }
    return (writer.finish(), values.mapValues { $0.shifted(by: section) })
  }
}
