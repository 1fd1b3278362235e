import DaybookJournal

/// The state of a store as of a transaction, and what else an opening has to know that is to read no further
/// back than that.
///
/// It is derived from the journal, and may be deleted at any time.
struct Checkpoint: Sendable {
  /// Which journal and transaction it is of.
  var moment: JournalMoment
  /// Where that transaction ends, and the frames before it begin.
  var start: JournalStart
  /// The transaction whose state history begins with; 0 if it is whole.
  var base: SequenceNumber
  /// All layouts that the journal has told of, entity by entity, the oldest first.
  var layouts: [Layout]
  /// The state, of which the roots are of the space that goes with it.
  var state: StoreState
  /// How many bytes of payloads there were since one told of all layouts.
  var byteCountSinceLayouts: Int
  /// Where transactions stand in the file.
  var locator: PayloadLocator
  /// The transactions that were saved with a key.
  var keys: WrittenKeys

  /// How far apart the transactions are at least of which notes are written down.
  private static let noteInterval: UInt64 = 16 << 10
}

/// The roots of a checkpoint, as they stand behind its head.
///
/// ```
///   base                     u64
///   next creation            u64
///   bytes since all layouts  u64
///   layouts                  their number, and each as in a transaction
///   tables                   for each entity: count u64, first free slot u32, rows, identifiers, slots
///   references, unique       trees
///   base pieces              their number, and where the payload of each begins, u64
///   transactions             their number, and for some: sequence u64, where its payload begins u64
///   frames                   their number, and for one each 64 KiB: where it begins u64; what comes before:
///                            base frames + 1, or 0, u64; sequence u64; time i64; check u64
///   keys                     the seed of their marks u64, and the run of bytes of all
/// ```
///
/// Numbers of things and lengths are variable numbers.
extension Checkpoint {
  /// The roots, with those of a state in place of its own.
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
    buffer.append(keys.seed)
    buffer.appendVariable(UInt64(keys.bytes.count))
    buffer.append(keys.bytes.bytes)
    return buffer.bytes
  }

  /// The checkpoint of a head and its roots, which it keeps; nil if they contradict each other.
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
      let seed = cursor.number(bytes, as: UInt64.self), let range = cursor.range(bytes),
      let keys = WrittenKeys(
        bytes.extracting(range).withUnsafeBytes { [UInt8]($0) }, seed: seed,
        through: head.moment.sequence.rawValue),
      cursor.offset == bytes.byteCount
    else { return nil }
    self.locator = locator
    self.keys = keys
    let point = ChainPoint(
      sequence: head.moment.sequence, time: head.time, check: head.moment.check)
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
      else { preconditionFailure("no note at \(offset), where \(noteCount) were found to be") }
      return (sequence, RowLocation(rawValue: location))
    }
  }

  fileprivate mutating func frameIndex(_ roots: [UInt8]) -> FrameIndex? {
    guard let placeCount = count(roots.span.bytes, of: FrameIndex.entryByteCount) else {
      return nil
    }
    defer { offset += placeCount * FrameIndex.entryByteCount }
    return FrameIndex(roots, at: offset, count: placeCount)
  }
}

/// What a checkpoint would be made of.
struct CheckpointSource {
  /// The state that readers are shown.
  var frozen: FrozenState
  /// The same without entities that no transaction has told of.
  var state: StoreState
  var base: SequenceNumber
  var layouts: [Layout]
  var byteCountSinceLayouts: Int
  var keys: IdempotencyKeys
}

extension Checkpoint {
  /// What makes rows for records whose own are damaged: with their identifiers, as far as they are kept beside
  /// the rows, and the defaults of their schemas.
  ///
  /// - Parameter space: The checkpoint's pages, which never change.
  func standIns(in space: PageSpace) -> LateRows.Source {
    var newest: [String: Layout] = [:]
    var names: [String] = []
    for layout in layouts {
      if newest.updateValue(layout, forKey: layout.entity.name) == nil {
        names.append(layout.entity.name)
      }
    }
    let entities = zip(state.tables, names.compactMap { newest[$0] }).map {
      (table: $0, layout: $1)
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
  /// Appends the row of a record that has nothing but its identifier.
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
