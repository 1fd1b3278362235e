import DaybookJournal
import DaybookStore

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
  /// The entry of a record. It keeps only what the line says, as a record can have many more attributes.
  struct Entry {
    let entity: Int
    let id: RecordIdentifier
    /// The byte of the line at which the record's first change begins.
    let offset: Int
    /// The row before the line; none if there was no record.
    let base: RowLocation
    /// Whether there is a record now.
    fileprivate(set) var isPresent: Bool
    /// Whether the line has inserted it: then it has no values but those that were set since.
    fileprivate(set) var isInserted = false
    /// The attributes that were set, in order; of one that was set twice, the later value holds.
    fileprivate(set) var sets: [(attribute: Int, value: AttributeValue)] = []
    /// The creation number that the last insert gives.
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
  private static let searchedMax = 8

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    if !indexes.isEmpty { indexes.removeAll(keepingCapacity: true) }
  }

  /// The place of a record's entry.
  ///
  /// - Complexity: O(1) on average
  func index(of entity: Int, id: RecordIdentifier) -> Int? {
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
  /// What the entry is, before it is known whether an update changes anything; nil for nothing.
  var kind: ChangeKind? {
    switch (base != .none, isPresent) {
    case (false, true): .insert
    case (true, true): .update
    case (true, false): .delete
    case (false, false): nil
    }
  }

  /// The values that the line sets, each attribute once.
  var lastSets: [Int: AttributeValue] {
    Dictionary(sets.map { ($0.attribute, $0.value) }) { $1 }
  }

  /// Returns the first of some required attributes that is left without a value, or nil.
  ///
  /// Before the line each record has a value for all of them.
  func missing(_ required: [Int]) -> Int? {
    guard isPresent, !required.isEmpty else { return nil }
    let sets = lastSets
    if isInserted { return required.first { sets[$0]?.isNull ?? true } }
    guard sets.values.contains(where: \.isNull) else { return nil }
    return required.first { sets[$0]?.isNull ?? false }
  }
}
