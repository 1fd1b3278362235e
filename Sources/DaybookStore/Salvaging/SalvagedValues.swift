import DaybookJournal

/// The large values that a salvage has copied to the new journal. ``SalvageRun`` uses it for each
/// row.
///
/// A value that many rows refer to is read, verified and written once. Before the transaction of
/// its first row is saved, the reference to the value contains an offset in `storedValues` of the
/// proposal. After the save, ``relocate(in:)`` replaces it by the reference in the saved row, which
/// later transactions can use.
struct SalvagedValues {
  /// The identity of a value in the old journal: its range, its checksum, and its type in the new
  /// layout.
  private struct Key: Hashable {
    var range: ValueRange
    var checksum: UInt64
    var type: AttributeType
  }

  /// The outcome of copying a value.
  private enum Outcome {
    /// The transaction with the value was lost, or the checksum of the value is wrong.
    case lost
    /// The bytes are not a value of the attribute's type, so the new row has nil.
    case null
    /// In its new encoding the value is small, so it is copied into each row.
    case small([UInt8])
    /// The value was copied to the stored values of a proposal. The reference is the one for the
    /// next row.
    case copied(StoredValue)
  }

  /// The outcome for each value that a row has referred to.
  private var outcomes: [Key: Outcome] = [:]
  /// The values that the current proposal contains. Each has the record of the first row that
  /// refers to the value, and the index of the value in that row.
  private var pending: [(key: Key, record: EntityKey, index: Int)] = []

  /// Appends a row of the old journal to a proposal. Converts it to the layout of the new journal,
  /// and copies its large values.
  ///
  /// - Parameters:
  ///   - record: The key of the record in the new journal.
  ///   - layout: The newest layout of the entity in the new journal. Its attributes are those of
  ///     the newest layout in the old journal.
  /// - Returns: The number of values of the row that are lost.
  mutating func append(
    _ row: RowValues, of record: EntityKey, as layout: Layout, from memory: RowMemory,
    to proposal: inout Proposal
  ) -> Int {
    var lostCount = 0
    var copiedIndexes: Set<Int> = []
    // The row is written to a buffer of its own, because `marking` below makes a changed copy of
    // the whole row.
    var writer = RowWriter(layout, after: RowBuffer())
    writer.start(record.id)
    for attribute in layout.storageOrder {
      let type = layout.entity.attributes[attribute].type
      guard let stored = row.storedValue(attribute) else {
        let value = row.value(attribute)
        if value.isNull {
          writer.appendNil()
        } else {
          writer.append { value.append(as: type, to: &$0) }
        }
        continue
      }
      let key = Key(range: stored.range, checksum: stored.checksum, type: type)
      let index = layout.fields[attribute].offset
      let outcome = outcomes[key] ?? copy(key, for: record, at: index, from: memory, to: &proposal)
      outcomes[key] = outcome
      switch outcome {
      case .lost:
        lostCount += 1
        writer.appendNil()
      case .null: writer.appendNil()
      case .small(let bytes): writer.append { $0.append(bytes) }
      case .copied(let value):
        copiedIndexes.insert(index)
        writer.append { value.append(to: &$0) }
      }
    }
    let bytes = writer.finish().bytes
    if copiedIndexes.isEmpty {
      proposal.rows.append(bytes)
    } else {
      proposal.namesStoredValues = true
      proposal.rows.append(layout.marking(bytes.span.bytes, asReferences: copiedIndexes))
    }
    return lostCount
  }

  private mutating func copy(
    _ key: Key, for record: EntityKey, at index: Int, from memory: RowMemory,
    to proposal: inout Proposal
  ) -> Outcome {
    guard key.range.location != .none else { return .lost }
    var value: AttributeValue?
    let isUndamaged = key.range.withBytes(in: memory) { bytes in
      guard bytes.byteCount == key.range.byteCount,
        XXH64.checksum(bytes, seed: 0) == key.checksum
      else { return false }
      value = AttributeValue(key.type, bytes: bytes)
      return true
    }
    guard isUndamaged else { return .lost }
    guard let value else { return .null }
    var buffer = RowBuffer()
    value.append(as: key.type, to: &buffer)
    guard buffer.count >= StoredValue.byteCountMin else { return .small(buffer.bytes) }
    let start = proposal.storedValues.count
    proposal.storedValues.append(buffer.bytes)
    pending.append((key, record, index))
    return .copied(
      StoredValue(
        sequence: 0, offset: UInt32(start), length: UInt32(buffer.count),
        checksum: XXH64.checksum(buffer.bytes.span.bytes, seed: 0)))
  }

  /// Forgets the values of a proposal that was not saved.
  mutating func abandon() {
    for (key, _, _) in pending { outcomes[key] = nil }
    pending.removeAll(keepingCapacity: true)
  }

  /// Replaces the references to the values of the last proposal by those in the saved rows.
  mutating func relocate(in saved: FrozenState) {
    for (key, record, index) in pending {
      let location = saved.reader.location(of: IdentifierBytes(record.id), in: record.entity)
      guard location != .none else {
        // The saved state has no such row, so the next row that refers to the value copies it
        // again.
        outcomes[key] = nil
        continue
      }
      let value = saved.memory.withBytes(at: location) { row -> StoredValue? in
        guard let number = Layout.number(of: row), let layout = saved.catalog.layouts[number],
          layout.isStored(index, in: row), let range = layout.variableRange(index, in: row)
        else { return nil }
        return StoredValue(row.extracting(range))
      }
      guard var value else {
        outcomes[key] = nil
        continue
      }
      if value.sequence == 0 { value.sequence = saved.memory.position(of: location).sequence }
      outcomes[key] = .copied(value)
    }
    pending.removeAll(keepingCapacity: true)
  }
}
