import DaybookJournal

/// The large values that a salvage has copied.
///
/// A value that many rows name is read, checked and written once. Until its transaction is saved, its place
/// counts from the beginning of the proposal's stored values; the saved row then says where it is.
struct SalvagedValues {
  private struct Key: Hashable {
    var place: ValuePlace
    var check: UInt64
    var type: AttributeType
  }

  private enum Outcome {
    /// It is lost with the transaction that had it, or not what its check says.
    case lost
    /// It is no value of its type.
    case null
    /// It is small enough for each row.
    case small([UInt8])
    case copied(StoredValue)
  }

  private var outcomes: [Key: Outcome] = [:]
  /// The values of the proposal that is being made, each with the first row that names it.
  private var underway: [(key: Key, record: EntityKey, index: Int)] = []

  /// Appends a row to a proposal, in another layout, with the places of its large values.
  ///
  /// - Parameters:
  ///   - record: The record in the new journal.
  ///   - layout: The newest layout in the new journal, with the attributes of the newest in the old one.
  /// - Returns: How many values are lost.
  mutating func append(
    _ row: RowValues, of record: EntityKey, as layout: Layout, from memory: RowMemory,
    to proposal: inout Proposal
  ) -> Int {
    var lostCount = 0
    var places: Set<Int> = []
    // Packed behind nothing, as a row that is marked is made anew.
    var writer = RowWriter(layout, behind: RowBuffer())
    writer.begin(record.id)
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
      let key = Key(place: stored.place, check: stored.check, type: type)
      let index = layout.places[attribute].offset
      let outcome = outcomes[key] ?? copy(key, for: record, at: index, from: memory, to: &proposal)
      outcomes[key] = outcome
      switch outcome {
      case .lost:
        lostCount += 1
        writer.appendNil()
      case .null: writer.appendNil()
      case .small(let bytes): writer.append { $0.append(bytes) }
      case .copied(let value):
        places.insert(index)
        writer.append { value.append(to: &$0) }
      }
    }
    let bytes = writer.finish().bytes
    if places.isEmpty {
      proposal.rows.append(bytes)
    } else {
      proposal.namesStoredValues = true
      proposal.rows.append(layout.marking(bytes.span.bytes, asPlaces: places))
    }
    return lostCount
  }

  private mutating func copy(
    _ key: Key, for record: EntityKey, at index: Int, from memory: RowMemory,
    to proposal: inout Proposal
  ) -> Outcome {
    guard key.place.location != .none else { return .lost }
    var value: AttributeValue?
    let isWhole = key.place.withBytes(in: memory) { bytes in
      guard bytes.byteCount == key.place.byteCount,
        XXH64.check(bytes, seed: 0) == key.check
      else { return false }
      value = AttributeValue(key.type, bytes: bytes)
      return true
    }
    guard isWhole else { return .lost }
    guard let value else { return .null }
    var buffer = RowBuffer()
    value.append(as: key.type, to: &buffer)
    guard buffer.count >= StoredValue.byteCountMin else { return .small(buffer.bytes) }
    let start = proposal.storedValues.count
    proposal.storedValues.append(buffer.bytes)
    underway.append((key, record, index))
    return .copied(
      StoredValue(
        sequence: 0, offset: UInt32(start), length: UInt32(buffer.count),
        check: XXH64.check(buffer.bytes.span.bytes, seed: 0)))
  }

  /// Forgets the values of a proposal that is not saved.
  mutating func abandon() {
    for (key, _, _) in underway { outcomes[key] = nil }
    underway.removeAll(keepingCapacity: true)
  }

  /// Replaces the places in the last proposal with the places in the saved journal.
  mutating func settle(in saved: FrozenState) {
    for (key, record, index) in underway {
      let location = saved.reader.location(of: IdentifierBytes(record.id), in: record.entity)
      guard location != .none else {
        // It is copied again for the next row that names it.
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
      if value.sequence == 0 { value.sequence = saved.memory.place(of: location).sequence }
      outcomes[key] = .copied(value)
    }
    underway.removeAll(keepingCapacity: true)
  }
}
