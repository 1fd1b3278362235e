import DaybookJournal

/// The row that the changes of a line make of a record.
///
/// What the line does not set is copied as it is in the row before, without being read: a large value is only
/// named again.
struct MadeRow {
  private(set) var bytes: [UInt8] = []
  /// The attributes with other values than before.
  private(set) var changed: AttributeSet
  /// Whether some of the values are places of large values.
  private(set) var hasPlaces = false

  /// - Parameter layout: The layout of the row, and of the row before.
  init(of entry: LineChanges.Entry, as layout: Layout, in memory: RowMemory) {
    var sets = entry.lastSets
    changed = AttributeSet(count: layout.places.count)
    guard entry.base != .none else {
      write(entry.id, as: layout, base: RawSpan(), places: nil) { attribute in
        .value(sets[attribute] ?? .null)
      }
      return
    }
    let before = ValuesBefore(layout: layout, location: entry.base, memory: memory)
    if entry.isInserted {
      for attribute in layout.places.indices where sets[attribute] == nil {
        sets[attribute] = .null
      }
    }
    for (attribute, value) in sets where before.value(attribute) != value {
      changed.insert(attribute)
    }
    guard !changed.isEmpty else { return }
    let sequence = memory.place(of: entry.base).sequence
    let isChanged = changed
    memory.withBytes(at: entry.base) { row in
      write(entry.id, as: layout, base: row, places: sequence) { attribute in
        // Respelling a text is no change, and so changes no byte either.
        isChanged.contains(attribute) ? .value(sets[attribute] ?? .null) : .asBefore
      }
    }
  }

  private enum Source {
    case value(AttributeValue)
    case asBefore
  }

  private mutating func write(
    _ id: RecordIdentifier, as layout: Layout, base: RawSpan, places sequence: UInt64?,
    source: (Int) -> Source
  ) {
    // Packed behind nothing: a row behind others would be made of a copy of them all.
    var writer = RowWriter(layout, behind: RowBuffer())
    var places: Set<Int> = []
    writer.begin(id)
    for attribute in layout.storageOrder {
      switch source(attribute) {
      case .value(.null): writer.appendNil()
      case .value(let value):
        let type = layout.entity.attributes[attribute].type
        writer.append { value.append(as: type, to: &$0) }
      case .asBefore:
        guard let range = layout.range(of: attribute, in: base) else {
          writer.appendNil()
          continue
        }
        let bytes = base.extracting(range)
        let place = layout.places[attribute]
        if place.byteCount == nil, layout.isStored(place.offset, in: base),
          var value = StoredValue(bytes)
        {
          if value.sequence == 0 { value.sequence = sequence ?? 0 }
          places.insert(place.offset)
          writer.append { value.append(to: &$0) }
        } else {
          writer.append { $0.append(base.extracting(range)) }
        }
      }
    }
    bytes = writer.finish().bytes
    guard !places.isEmpty else { return }
    hasPlaces = true
    bytes = layout.marking(bytes.span.bytes, asPlaces: places)
  }
}

/// The values of the row before a line, each read when it is asked for.
private struct ValuesBefore {
  let layout: Layout
  let location: RowLocation
  let memory: RowMemory

  func value(_ attribute: Int) -> AttributeValue {
    let type = layout.entity.attributes[attribute].type
    let place = layout.places[attribute]
    return memory.withBytes(at: location) { row in
      guard let range = layout.range(of: attribute, in: row) else { return .null }
      let bytes = row.extracting(range)
      guard place.byteCount == nil, layout.isStored(place.offset, in: row),
        let value = StoredValue(bytes)
      else { return AttributeValue(type, bytes: bytes) ?? .null }
      return memory.withStoredValue(value, of: location) { bytes in
        guard let bytes else { return .null }
        return AttributeValue(type, bytes: bytes) ?? .null
      }
    }
  }
}
