import DaybookJournal
import DaybookStore

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

  /// - Parameter layouts: The layouts that the row can have, one of which the row before has.
  init(of entry: LineChanges.Entry, as layouts: RowLayouts, in memory: RowMemory) {
    let sets = entry.lastSets
    let named = sets.lazy.filter { !$0.value.isNull }.map(\.key)
    guard entry.base != .none else {
      let choice = layouts.choice(with: named, andThoseOf: nil)
      changed = AttributeSet(count: choice.layout.places.count)
      write(entry.id, as: choice.layout, base: RawSpan(), places: nil) { place in
        .value(sets[choice.attribute(at: place)] ?? .null)
      }
      return
    }
    guard let number = memory.withBytes(at: entry.base, { Layout.number(of: $0) }) else {
      preconditionFailure("no row is at \(entry.base)")
    }
    let base = layouts.choice(ofLayout: number)
    // It has each attribute that the row before has.
    let choice = layouts.choice(with: named, andThoseOf: base)
    let before = ValuesBefore(choice: base, location: entry.base, memory: memory)
    var isChanged = AttributeSet(count: choice.layout.places.count)
    if entry.isInserted {
      for place in choice.layout.places.indices {
        let attribute = choice.attribute(at: place)
        if before.value(attribute) != sets[attribute] ?? .null { isChanged.insert(place) }
      }
    } else {
      for (attribute, value) in sets where before.value(attribute) != value {
        // No layout without the attribute is chosen, unless it stays without a value.
        if let place = choice.place(of: attribute) { isChanged.insert(place) }
      }
    }
    changed = isChanged
    guard !isChanged.isEmpty else { return }
    let sequence = memory.place(of: entry.base).sequence
    memory.withBytes(at: entry.base) { row in
      write(entry.id, as: choice.layout, base: row, places: sequence) { place in
        let attribute = choice.attribute(at: place)
        // Respelling a text is no change, and so changes no byte either.
        if isChanged.contains(place) { return .value(sets[attribute] ?? .null) }
        return base.place(of: attribute).map { .asBefore(base.layout, $0) } ?? .value(.null)
      }
    }
  }

  private enum Source {
    case value(AttributeValue)
    /// As it is in the row before, by its place in the layout of that.
    case asBefore(Layout, Int)
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
      case .asBefore(let earlier, let index):
        guard let range = earlier.range(of: index, in: base) else {
          writer.appendNil()
          continue
        }
        let bytes = base.extracting(range)
        let place = earlier.places[index]
        if place.byteCount == nil, earlier.isStored(place.offset, in: base),
          var value = StoredValue(bytes)
        {
          if value.sequence == 0 { value.sequence = sequence ?? 0 }
          places.insert(layout.places[attribute].offset)
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
  let choice: RowLayouts.Choice
  let location: RowLocation
  let memory: RowMemory

  /// Returns the value of an attribute, by its place in the entity.
  func value(_ attribute: Int) -> AttributeValue {
    guard let index = choice.place(of: attribute) else { return .null }
    let layout = choice.layout
    let type = layout.entity.attributes[index].type
    let place = layout.places[index]
    return memory.withBytes(at: location) { row in
      guard let range = layout.range(of: index, in: row) else { return .null }
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
