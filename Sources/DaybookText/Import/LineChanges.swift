import DaybookJournal
import DaybookStore

/// The combined changes of one line: at most one change for each record.
///
/// | before the line | after the line | change |
/// | ------ | -------------- | -- |
/// | absent | absent         | none |
/// | absent | present        | an insert |
/// | present | absent        | a delete |
/// | present | present, equal | none |
/// | present | present, different | an update |
///
/// The changes are sorted by the first appearance of their records in the line.
struct LineChanges {
  /// The changes of one record. An entry contains only the attributes that the line sets, because a
  /// record can have many more attributes.
  struct Entry {
    let entity: Int
    let id: RecordIdentifier
    /// The byte offset of the record's first change in the line.
    let offset: Int
    /// The location of the row before the line; none if the record did not exist.
    let base: RowLocation
    /// A Boolean value that indicates whether the record exists after the changes.
    fileprivate(set) var isPresent: Bool
    /// A Boolean value that indicates whether the line inserts the record, also if the line deletes
    /// it first. If the line inserts the record, ``sets`` contains all values of the record.
    fileprivate(set) var isInserted = false
    /// The attributes that the line sets, in order. If the line sets an attribute twice, the later
    /// value counts.
    fileprivate(set) var sets: [(attribute: Int, value: AttributeValue)] = []
    /// The creation number in the last insert of the record, or nil if that insert has none.
    fileprivate(set) var creation: UInt64?
    fileprivate(set) var creationOffset = 0

    init(entity: Int, id: RecordIdentifier, offset: Int, base: RowLocation) {
      self.entity = entity
      self.id = id
      self.offset = offset
      self.base = base
      isPresent = base != .none
    }
  }

  private struct Key: Hashable {
    var entity: Int
    var id: RecordIdentifier
  }

  private(set) var entries: [Entry] = []
  private var indexes: [Key: Int] = [:]
  /// The largest number of entries that are searched one by one; with more entries, ``indexes`` is
  /// used.
  private static let searchedMax = 8

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    if !indexes.isEmpty { indexes.removeAll(keepingCapacity: true) }
  }

  /// Returns the index of a record's entry, or nil.
  ///
  /// - Complexity: O(1) on average
  func index(of entity: Int, id: RecordIdentifier) -> Int? {
    // Most lines change few records. A linear search through these is faster than hashing.
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

  func isPresent(_ index: Int) -> Bool { entries[index].isPresent }

  mutating func delete(_ index: Int) {
    entries[index].isPresent = false
    entries[index].sets = []
    entries[index].creation = nil
  }

  mutating func insert(_ index: Int, creation: UInt64?, at offset: Int) {
    entries[index].isPresent = true
    entries[index].isInserted = true
    entries[index].creation = creation
    entries[index].creationOffset = offset
  }

  mutating func set(_ attribute: Int, of index: Int, to value: AttributeValue) {
    entries[index].sets.append((attribute, value))
  }
}

extension LineChanges.Entry {
  /// The kind of the combined change, or nil if there is no change. An update may have values equal
  /// to the old ones, and then changes nothing.
  var kind: ChangeKind? {
    switch (base != .none, isPresent) {
    case (false, true): .insert
    case (true, true): .update
    case (true, false): .delete
    case (false, false): nil
    }
  }

  /// The values that the line sets, with the last value of each attribute.
  var lastSets: [Int: AttributeValue] {
    Dictionary(sets.map { ($0.attribute, $0.value) }) { $1 }
  }

  /// Returns the first of the required attributes that has no value after the line, or nil.
  ///
  /// A record that exists before the line has a value for each required attribute. So such a value
  /// is missing only if the line sets the attribute to null.
  func missing(_ required: [Int]) -> Int? {
    guard isPresent, !required.isEmpty else { return nil }
    let sets = lastSets
    if isInserted { return required.first { sets[$0]?.isNull ?? true } }
    guard sets.values.contains(where: \.isNull) else { return nil }
    return required.first { sets[$0]?.isNull ?? false }
  }
}
