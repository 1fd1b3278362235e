import DaybookJournal

/// The state of a store after a transaction, and the data that an opening needs to read the journal
/// from there on. Without a checkpoint, an opening reads the whole journal.
///
/// A store writes checkpoints to two files beside its journal; see ``CheckpointKeeper``. A
/// checkpoint is derived from the journal, so its file may be deleted at any time.
struct Checkpoint: Sendable {
  /// The journal and the transaction of the checkpoint.
  var moment: JournalMoment
  /// The end of that transaction's frame, and the index of the frames before it.
  var start: JournalStart
  /// The last transaction that a compaction has dropped; 0 if the journal contains the complete
  /// history. The journal starts with the state after that transaction.
  var base: SequenceNumber
  /// All layouts in the journal, grouped by entity, the oldest first.
  var layouts: [Layout]
  /// The state. Its structures start at root pages, which are in the page space of the checkpoint.
  var state: StoreState
  /// The number of payload bytes after the last payload that contains all layouts.
  var byteCountSinceLayouts: Int
  /// The locations of transactions in the journal's file.
  var locator: PayloadLocator
  /// The transactions that were saved with an idempotency key.
  var keys: WrittenKeys
  /// The versions that the data has had.
  var versions: DataVersions
  /// The totals of the history up to the transaction; nil if the checkpoint has an earlier version
  /// of the format. They are also nil if a frame was damaged when the checkpoint was written.
  var totals: HistoryTotals?

  /// The smallest distance in bytes between two transactions whose locations are stored in a
  /// checkpoint. The others are found from the nearest one.
  private static let noteInterval: UInt64 = 16 << 10
}

/// The encoding of the *roots* of a checkpoint, which follow its file header: the fields of
/// ``Checkpoint`` and the numbers of the root pages. Only the pages themselves are stored elsewhere
/// in the file.
///
/// ```
///   base                     u64
///   next creation            u64
///   bytes since all layouts  u64
///   layouts                  their number, and each as in a transaction
///   tables                   for each entity: count u64, first free slot u32, rows,
///                            identifiers, slots
///   references, unique       trees
///   base pieces              their number, and the offset of the payload of each, u64
///   transactions             their number, and for some: sequence u64, offset of its payload u64
///   frames                   their number, and for one in each 64 KiB: its offset u64, and the
///                            chain before it: base frames + 1, or 0, u64; sequence u64;
///                            time i64; checksum u64
///   versions                 their number, and for each: sequence u64, number u64, compatible u64
///   keys                     the seed of their marks u64, their size in bytes, and the bytes
///   totals                   0, or 1 and the totals: see ``HistoryTotals``; not in version 4
/// ```
///
/// Numbers of elements and sizes are variable-length integers.
extension Checkpoint {
  /// Returns the encoded roots, with the root pages of `state` instead of those of the checkpoint's
  /// own state.
  func rootsBytes(_ state: StoreState) -> [UInt8] {
    var buffer = RowBuffer()
    buffer.append(base.rawValue)
    buffer.append(state.nextCreation)
    buffer.append(UInt64(byteCountSinceLayouts))
    buffer.appendVariable(UInt64(layouts.count))
    for layout in layouts { layout.append(to: &buffer) }
    for table in state.tables { table.append(to: &buffer) }
    buffer.append(state.references.tree)
    buffer.append(state.unique.tree)
    buffer.appendVariable(UInt64(locator.bases.count))
    for base in locator.bases { buffer.append(base.rawValue) }
    let notes = locator.notes(through: moment.sequence.rawValue, interval: Checkpoint.noteInterval)
    buffer.appendVariable(UInt64(notes.count))
    buffer.reserve(notes.count * 16)
    for note in notes {
      buffer.append(note.sequence)
      buffer.append(note.location.rawValue)
    }
    buffer.appendVariable(UInt64(start.index.count))
    buffer.append(start.index.bytes.span.bytes)
    versions.append(to: &buffer)
    buffer.append(keys.seed)
    buffer.appendVariable(UInt64(keys.bytes.count))
    buffer.append(keys.bytes.bytes)
    buffer.append(UInt8(totals == nil ? 0 : 1))
    totals?.append(to: &buffer)
    return buffer.bytes
  }

  /// Creates a checkpoint from its file header and its encoded roots; nil if the bytes are invalid.
  init?(_ head: CheckpointHead, roots: [UInt8]) {
    let bytes = roots.span.bytes
    var cursor = ByteCursor()
    guard let base = cursor.number(bytes, as: UInt64.self),
      let nextCreation = cursor.number(bytes, as: UInt64.self),
      let byteCountSinceLayouts = cursor.number(bytes, as: UInt64.self).flatMap(Int.init(exactly:)),
      let layoutCount = cursor.count(bytes)
    else { return nil }
    self.base = SequenceNumber(base)
    self.byteCountSinceLayouts = byteCountSinceLayouts
    moment = head.moment

    layouts = []
    var catalog = Catalog()
    for _ in 0..<layoutCount {
      guard let layout = try? cursor.layout(bytes), case .new = catalog.add(layout) else {
        return nil
      }
      layouts.append(layout)
    }
    state = StoreState()
    state.sequence = head.moment.sequence
    state.base = SequenceNumber(base)
    state.time = head.time
    state.nextCreation = nextCreation
    for entity in catalog.names.indices {
      let kind = catalog.newest(entity).entity.identifierKind
      guard let table = EntityTable(kind, at: &cursor, in: bytes, pageCount: head.pageCount) else {
        return nil
      }
      state.tables.append(table)
    }
    guard let references = cursor.tree(bytes, of: head.pageCount),
      let unique = cursor.tree(bytes, of: head.pageCount)
    else { return nil }
    state.references = RowIndex(references)
    state.unique = RowIndex(unique)

    guard let locator = cursor.locator(bytes), let index = cursor.frameIndex(roots),
      let versions = DataVersions(at: &cursor, in: bytes),
      let seed = cursor.number(bytes, as: UInt64.self), let range = cursor.range(bytes),
      let keys = WrittenKeys(
        bytes.extracting(range).withUnsafeBytes { [UInt8]($0) }, seed: seed,
        through: head.moment.sequence.rawValue)
    else { return nil }
    if head.version > CheckpointHead.versionWithoutTotals {
      guard let flag = cursor.number(bytes, as: UInt8.self), flag <= 1 else { return nil }
      if flag == 1 {
        totals = HistoryTotals(at: &cursor, in: bytes, through: head.moment.sequence.rawValue)
        if totals == nil { return nil }
      }
    }
    guard cursor.offset == bytes.byteCount else { return nil }
    self.locator = locator
    self.keys = keys
    self.versions = versions
    let point = ChainPoint(
      sequence: head.moment.sequence, time: head.time, checksum: head.moment.checksum)
    start = JournalStart(
      end: FramePosition(
        chain: FrameChain(part: .transactions, point: point), endOffset: head.endOffset),
      lastFrameOffset: head.lastFrameOffset, index: index)
  }
}

extension ByteCursor {
  fileprivate mutating func locator(_ bytes: RawSpan) -> PayloadLocator? {
    guard let baseCount = count(bytes, of: 8) else { return nil }
    var bases: [RowLocation] = []
    for _ in 0..<baseCount {
      guard let base = number(bytes, as: UInt64.self) else { return nil }
      bases.append(RowLocation(rawValue: base))
    }
    guard let noteCount = count(bytes, of: 16) else { return nil }
    return PayloadLocator(bases: bases, noteCount: noteCount) {
      guard let sequence = number(bytes, as: UInt64.self),
        let location = number(bytes, as: UInt64.self)
      else { preconditionFailure("no note at \(offset), although the checkpoint has \(noteCount)") }
      return (sequence, RowLocation(rawValue: location))
    }
  }

  fileprivate mutating func frameIndex(_ roots: [UInt8]) -> FrameIndex? {
    guard let entryCount = count(roots.span.bytes, of: FrameIndex.entryByteCount) else {
      return nil
    }
    defer { offset += entryCount * FrameIndex.entryByteCount }
    return FrameIndex(roots, at: offset, count: entryCount)
  }
}

/// The parts of a store's core that a checkpoint is created from. A store copies them under its
/// lock, so that it can write the checkpoint without the lock.
struct CheckpointSource {
  /// The state that readers see. This reference keeps the pages unchanged while they are written.
  var frozen: FrozenState
  /// The same state, without the entities that no transaction contains yet.
  var state: StoreState
  var base: SequenceNumber
  var layouts: [Layout]
  var byteCountSinceLayouts: Int
  var keys: IdempotencyKeys
  var versions: DataVersions
}

extension Checkpoint {
  /// Returns a function that creates replacement rows for records with damaged rows. An opening
  /// from a checkpoint does not verify old rows, so the damage is found later, when a row is read.
  ///
  /// A replacement has the default values of the schema. If the checkpoint stores the record's
  /// identifier outside the row, the replacement has that identifier; otherwise a made-up one.
  ///
  /// - Parameter space: The pages of the checkpoint, which never change.
  func substitutes(in space: PageSpace) -> LateRows.Source {
    var catalog = Catalog()
    for layout in layouts { _ = catalog.add(layout) }
    let entities = state.tables.enumerated().map {
      (table: $1, layout: catalog.newest($0))
    }
    return { range, body in
      for (table, layout) in entities {
        table.forEach(in: space) { slot, location, creation in
          guard location.region == .file, range.contains(location.rawValue) else { return }
          let id = table.identifier(of: slot, in: space) ?? .string("damaged \(slot)")
          var buffer = RowBuffer()
          layout.appendDefaults(id, creation: creation, to: &buffer)
          body(location.rawValue, buffer.bytes.span.bytes)
        }
      }
    }
  }
}

extension Layout {
  /// Appends a row with an identifier and default values.
  fileprivate func appendDefaults(
    _ id: RecordIdentifier, creation: UInt64, to buffer: inout RowBuffer
  ) {
    let values = entity.attributes.map { attribute in
      attribute.defaultValue.fits(attribute.type) ? attribute.defaultValue : .null
    }
    let start = buffer.count
    DynamicRecord(entity.name, id: id, values: values).append(self, to: &buffer)
    buffer.put(creation, at: start + 6)
  }
}
