import DaybookJournal
import DaybookStore

/// The new row of a record after the changes of a line.
///
/// The encoded bytes of values that the line does not set are copied from the previous row. A large
/// value is not copied: the new row refers to the same stored value.
struct MadeRow {
  private(set) var bytes: [UInt8] = []
  /// The attributes with a value that differs from the value in the previous row.
  private(set) var changed: AttributeSet
  /// A Boolean value that indicates whether the row contains locations of large values that are
  /// stored outside of this row.
  private(set) var hasStoredValues = false

  /// Creates the row of a record.
  ///
  /// - Parameters:
  ///   - entry: The changes of the record.
  ///   - layouts: The possible layouts of the row. The previous row has one of them.
  ///   - memory: The memory that contains the previous row.
  init(of entry: LineChanges.Entry, as layouts: RowLayouts, in memory: RowMemory) {
    let sets = entry.lastSets
    let named = sets.lazy.filter { !$0.value.isNull }.map(\.key)
    guard entry.base != .none else {
      let choice = layouts.choice(with: named, andThoseOf: nil)
      changed = AttributeSet(count: choice.layout.fields.count)
      write(entry.id, as: choice.layout, base: RawSpan(), baseSequence: nil) { index in
        .value(sets[choice.attribute(at: index)] ?? .null)
      }
      return
    }
    guard let number = memory.withBytes(at: entry.base, { Layout.number(of: $0) }) else {
      preconditionFailure("no row at \(entry.base)")
    }
    let base = layouts.choice(ofLayout: number)
    // This layout contains all attributes of the previous row's layout, so no value is lost.
    let choice = layouts.choice(with: named, andThoseOf: base)
    let before = ValuesBefore(choice: base, location: entry.base, memory: memory)
    var isChanged = AttributeSet(count: choice.layout.fields.count)
    if entry.isInserted {
      for index in choice.layout.fields.indices {
        let attribute = choice.attribute(at: index)
        if before.value(attribute) != sets[attribute] ?? .null { isChanged.insert(index) }
      }
    } else {
      for (attribute, value) in sets where before.value(attribute) != value {
        // If the layout does not contain the attribute, the attribute has no value before and after
        // the line.
        if let index = choice.index(of: attribute) { isChanged.insert(index) }
      }
    }
    changed = isChanged
    guard !isChanged.isEmpty else { return }
    let sequence = memory.position(of: entry.base).sequence
    memory.withBytes(at: entry.base) { row in
      write(entry.id, as: choice.layout, base: row, baseSequence: sequence) { index in
        let attribute = choice.attribute(at: index)
        // If a new value is equal to the old value, the bytes of the old value are kept. The new
        // value may be encoded differently.
        if isChanged.contains(index) { return .value(sets[attribute] ?? .null) }
        return base.index(of: attribute).map { .asBefore(base.layout, $0) } ?? .value(.null)
      }
    }
  }

  private enum Source {
    case value(AttributeValue)
    /// The value in the previous row: the layout of that row, and the index of the attribute in
    /// that layout.
    case asBefore(Layout, Int)
  }

  /// Encodes the row: takes each attribute from its source, and records the attributes that refer
  /// to large values of earlier payloads.
  private mutating func write(
    _ id: RecordIdentifier, as layout: Layout, base: RawSpan, baseSequence: UInt64?,
    source: (Int) -> Source
  ) {
    // The row gets a new buffer. Appending the row to a buffer of other rows would require a copy
    // of all these rows.
    var writer = RowWriter(layout, after: RowBuffer())
    var storedOffsets: Set<Int> = []
    writer.start(id)
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
        let field = earlier.fields[index]
        if field.byteCount == nil, earlier.isStored(field.offset, in: base),
          var value = StoredValue(bytes)
        {
          if value.sequence == 0 { value.sequence = baseSequence ?? 0 }
          storedOffsets.insert(layout.fields[attribute].offset)
          writer.append { value.append(to: &$0) }
        } else {
          writer.append { $0.append(base.extracting(range)) }
        }
      }
    }
    bytes = writer.finish().bytes
    guard !storedOffsets.isEmpty else { return }
    hasStoredValues = true
    bytes = layout.marking(bytes.span.bytes, asReferences: storedOffsets)
  }
}

/// The values of a record before a line. Each value is decoded when it is requested.
private struct ValuesBefore {
  let choice: RowLayouts.Choice
  let location: RowLocation
  let memory: RowMemory

  /// Returns the value of the attribute with an index in the entity.
  func value(_ attribute: Int) -> AttributeValue {
    guard let index = choice.index(of: attribute) else { return .null }
    let layout = choice.layout
    let type = layout.entity.attributes[index].type
    let field = layout.fields[index]
    return memory.withBytes(at: location) { row in
      guard let range = layout.range(of: index, in: row) else { return .null }
      let bytes = row.extracting(range)
      guard field.byteCount == nil, layout.isStored(field.offset, in: row),
        let value = StoredValue(bytes)
      else { return AttributeValue(type, bytes: bytes) ?? .null }
      return memory.withStoredValue(value, of: location) { bytes in
        guard let bytes else { return .null }
        return AttributeValue(type, bytes: bytes) ?? .null
      }
    }
  }
}
