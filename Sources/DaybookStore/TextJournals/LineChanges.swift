import DaybookJournal

/// What the changes of one line come to: at most one for each record.
///
/// | before | and at the end | is |
/// | ------ | -------------- | -- |
/// | absent | absent         | nothing |
/// | absent | present        | an insert |
/// | present | absent        | a delete |
/// | present | as before     | nothing |
/// | present | otherwise     | an update |
///
/// They stand in the order of each record's first change in the line.
struct LineChanges {
  struct Entry {
    let entity: Int
    let id: RecordIdentifier
    /// The byte of the line at which the record's first change begins.
    let offset: Int
    /// The row before the line; none if there was no record.
    let base: RowLocation
    /// Its values.
    let before: [AttributeValue]
    /// The values now, or nil if there is no record.
    var values: [AttributeValue]?
    /// The creation number that the last insert gives.
    var creation: UInt64?
    var creationOffset = 0
  }

  private struct Key: Hashable {
    var entity: Int
    var id: RecordIdentifier
  }

  private(set) var entries: [Entry] = []
  private var indexes: [Key: Int] = [:]
  private static let searchedMax = 8

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    if !indexes.isEmpty { indexes.removeAll(keepingCapacity: true) }
  }

  /// The place of a record's entry.
  ///
  /// - Complexity: O(1) on average
  func index(_ entity: Int, _ id: RecordIdentifier) -> Int? {
    // Most lines change few records, and looking through those is quicker than hashing.
    if entries.count <= LineChanges.searchedMax {
      return entries.firstIndex { $0.entity == entity && $0.id == id }
    }
    return indexes[Key(entity: entity, id: id)]
  }

  mutating func add(_ entry: Entry) -> Int {
    let index = entries.count
    entries.append(entry)
    if index == LineChanges.searchedMax {
      for (index, entry) in entries.enumerated() {
        indexes[Key(entity: entry.entity, id: entry.id)] = index
      }
    } else if index > LineChanges.searchedMax {
      indexes[Key(entity: entry.entity, id: entry.id)] = index
    }
    return index
  }

  func isPresent(_ index: Int) -> Bool { entries[index].values != nil }

  mutating func delete(_ index: Int) {
    entries[index].values = nil
    entries[index].creation = nil
  }

  mutating func insert(_ index: Int, _ attributeCount: Int, creation: UInt64?, at offset: Int) {
    entries[index].values = Array(repeating: .null, count: attributeCount)
    entries[index].creation = creation
    entries[index].creationOffset = offset
  }

  mutating func set(_ attribute: Int, of index: Int, to value: AttributeValue) {
    entries[index].values?[attribute] = value
  }
}

extension LineChanges.Entry {
  /// The attributes whose values are others than before.
  var changed: AttributeSet {
    guard let values else { return AttributeSet(count: 0) }
    var changed = AttributeSet(count: values.count)
    for index in values.indices where values[index] != before[index] { changed.insert(index) }
    return changed
  }

  /// What the entry comes to; nil for nothing.
  func outcome() -> (kind: ChangeKind, changed: AttributeSet, values: [AttributeValue])? {
    let none = AttributeSet(count: 0)
    guard base != .none else {
      return values.map { (.insert, none, $0) }
    }
    guard let values else { return (.delete, none, []) }
    let changed = changed
    guard !changed.isEmpty else { return nil }
    // Respelling a text is no change, and so changes no byte either.
    let kept = values.indices.map { changed.contains($0) ? values[$0] : before[$0] }
    return (.update, changed, kept)
  }
}
