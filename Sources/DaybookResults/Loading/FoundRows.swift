import DaybookStore

/// The rows of a state that match a plan, in the order of their slots or, for a limited source, in
/// no particular order. A `ResultLoad` sorts them.
struct FoundRows {
  /// The entry of each row: the first eight bytes of its key, and its slot. If keys are stored, the
  /// value is the index of the stored key instead of the slot.
  private(set) var entries: [RankEntry] = []
  /// The number of each row's section; empty for a list without sections.
  private(set) var numbers: [UInt32] = []
  private(set) var sections = SectionTable()
  /// The bytes after the first eight bytes of the keys of all rows, if the sort will probably need
  /// them; otherwise empty. Without them, the sort would compute these keys a second time.
  private(set) var storedKeys = StoredKeys(StoredKeys.firstRange)

  /// The number of rows after which the initializer decides whether to store keys.
  static let sampleCount = 4096

  /// The number of entries at which those that cannot be among the first are removed; nil if the
  /// source has no limit.
  private var cutCount: Int?
  /// The greatest first bytes that a row among the first can have, as far as it is known.
  private var greatest = UInt64.max

  /// - Parameters:
  ///   - source: The rows to read. If it has a limit, rows that are not among the first may be left
  ///     out.
  ///   - watch: An observer that is notified of each piece of rows. If it cancels the load, no more
  ///     rows are read.
  /// - Complexity: O(slots)
  init(
    _ plan: ResultPlan, in state: FrozenState, from source: RowSource = RowSource(),
    watch: LoadWatch? = nil
  ) {
    let rowCount = source.slots?.count ?? state.rowCount(of: plan.entity)
    watch?.start(rowCount: rowCount)
    guard rowCount > 0 else { return }
    let isSectioned = plan.appendSection != nil
    // A limit that no row exceeds is ignored: the steps for limited sources would only cost time.
    let limit = isSectioned ? nil : source.limit.flatMap { $0 < rowCount ? $0 : nil }
    cutCount = limit.map { max(FoundRows.sampleCount, 4 * $0) }
    // Memory for all rows is reserved, so that the entries are never copied to a larger array. The
    // system provides memory only when it is written.
    entries.reserveCapacity(min(rowCount, cutCount ?? rowCount))
    if isSectioned { numbers.reserveCapacity(rowCount) }
    var buffer = RowBuffer()
    var readCount = 0
    // Only few rows remain of a source with a limit, so their keys are not stored.
    var storesKeys: Bool? = limit == nil ? nil : false
    source.forEachPiece(in: state, of: plan.entity, isInFileOrder: limit != nil) { rows in
      if let watch, watch.isCancelled { return }
      for index in rows.indices where plan.includes(rows[index].location, in: state) {
        if isSectioned {
          buffer.removeAll()
          plan.appendSection?(rows[index].location, state, &buffer)
          numbers.append(sections.add(buffer.bytes.span.bytes))
        }
        buffer.removeAll()
        plan.appendOwn(rows[index].location, in: state, to: &buffer)
        let key = buffer.bytes.span.bytes
        if storesKeys == true {
          storedKeys.append(key, slot: rows[index].slot)
          entries.append(RankEntry(key.orderWord, value: UInt32(entries.count)))
        } else if key.orderWord <= greatest {
          entries.append(RankEntry(key.orderWord, value: rows[index].slot))
        }
      }
      readCount += rows.count
      watch?.addExaminedRows(rows.count)
      if let limit, let cutCount, entries.count >= cutCount { cut(to: limit) }
      guard storesKeys == nil, entries.count >= FoundRows.sampleCount else { return }
      let count = entries.count * rowCount / readCount
      storesKeys = areManyTied(of: count)
      if storesKeys == true {
        storeKeys(expectedCount: count, plan: plan, state: state, buffer: &buffer)
      }
    }
  }

  /// Removes the rows that cannot be among the first, by the first bytes of their keys.
  private mutating func cut(to limit: Int) {
    guard limit > 0 else { return entries.removeAll() }
    EntrySort.sort(&entries)
    greatest = entries[limit - 1].key
    let count = entries[limit...].prefix { $0.key == greatest }.count
    entries.removeLast(entries.count - limit - count)
    // Many rows may have equal first bytes. The next cut then comes after twice as many rows.
    cutCount = max(FoundRows.sampleCount, 4 * limit, 2 * entries.count)
  }

  /// Returns whether probably at least an eighth of the rows will be *tied*. The key of a tied row
  /// has the same first eight bytes as the key of a different row in its section. The estimate uses
  /// the rows that have been found so far as a sample.
  private func areManyTied(of count: Int) -> Bool {
    guard count > 4 * entries.count else { return false }
    var sample = entries
    for (index, number) in numbers.enumerated() {
      sample[index].key = SlotHash.hash(sample[index].key, and: UInt64(number))
    }
    EntrySort.sort(&sample)
    var tiedCount = 0
    for index in sample.indices.dropFirst() where sample[index].key == sample[index - 1].key {
      tiedCount += 1
    }
    // The number of tied pairs grows with the square of the number of rows.
    return 8 * tiedCount * count >= sample.count * sample.count
  }

  /// Starts to store keys. The keys of the rows that have been found are computed again.
  private mutating func storeKeys(
    expectedCount: Int, plan: ResultPlan, state: FrozenState, buffer: inout RowBuffer
  ) {
    for index in entries.indices {
      storedKeys.append(slot: entries[index].value, plan: plan, state: state, buffer: &buffer)
      entries[index].value = UInt32(index)
    }
    storedKeys.reserve(count: expectedCount)
  }
}

/// The rows of an entity that a load reads, and the number of them that are requested.
struct RowSource {
  /// The slots of the rows, in ascending order; nil for all rows.
  var slots: [UInt32]?
  /// The number of requested rows, from the first in order; nil for all. A list with sections
  /// ignores it.
  var limit: Int?
  /// The smallest number of rows at which a source with a limit is read in the order of the file.
  /// Fewer rows fit into the caches of the processor, so a sort by location would cost more time
  /// than it saves.
  var fileOrderCountMin = 1 << 16

  /// Calls a closure with the rows in pieces, in the order of their slots.
  ///
  /// - Parameter isInFileOrder: A Boolean value that indicates whether the rows are passed in the
  ///   order of their locations instead. Reads of a large journal are then sequential. It has no
  ///   effect on fewer than ``fileOrderCountMin`` rows, and on rows of given slots.
  fileprivate func forEachPiece(
    in state: FrozenState, of entity: Int, isInFileOrder: Bool,
    _ body: (Span<RowScan.Entry>) -> Void
  ) {
    let scan = RowScan(state)
    if let slots { return scan.forEachPiece(of: slots, in: entity, body) }
    guard isInFileOrder, state.rowCount(of: entity) >= fileOrderCountMin else {
      return scan.forEachPiece(in: entity, body)
    }
    var rows: [RankEntry] = []
    rows.reserveCapacity(state.rowCount(of: entity))
    scan.forEachPiece(in: entity) { piece in
      for index in piece.indices {
        rows.append(RankEntry(piece[index].location.rawValue, value: piece[index].slot))
      }
    }
    EntrySort.sort(&rows)
    scan.forEachPiece(of: rows, body)
  }
}

extension RowScan {
  /// Calls a closure with rows in pieces. The keys of the entries are the locations of the rows.
  fileprivate func forEachPiece(of rows: [RankEntry], _ body: (Span<Entry>) -> Void) {
    var piece: [Entry] = []
    for start in stride(from: 0, to: rows.count, by: 256) {
      piece.removeAll(keepingCapacity: true)
      for row in rows[start..<min(start + 256, rows.count)] {
        piece.append(Entry(slot: row.value, location: RowLocation(rawValue: row.key)))
      }
      body(piece.span)
    }
  }
}

extension FrozenState {
  /// Returns the number of records of an entity.
  func rowCount(of entity: Int) -> Int {
    entity < state.tables.count ? state.tables[entity].count : 0
  }
}
