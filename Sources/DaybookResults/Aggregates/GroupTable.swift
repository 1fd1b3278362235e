import DaybookStore

/// The totals of groups of rows. The rows of a group have one value of an attribute.
struct GroupTable {
  /// The attribute whose values define the groups. Two rows are in one group if a list with
  /// sections by this attribute would show them in one section.
  struct Key: Sendable {
    /// Appends the bytes of the group of a row. They sort the groups.
    let append: ResultPlan.KeyEncoder
    /// Returns the name of the group with these bytes.
    let name: @Sendable ([UInt8]) -> String
    let column: ValueColumn
  }

  private struct Group {
    var key: AttributeValue
    var name = ""
    var rowCount = 0
  }

  private let plan: TotalPlan
  private let key: Key?
  private let countsValues: [Bool]
  /// The bytes of the groups, in the order of `groups`.
  private var keys = KeySet()
  private var groups: [Group] = []
  /// The totals of each column, for one group after another.
  private var totals: [ColumnTotals] = []
  /// The different values in each column, for one group after another. Empty sets if no measure
  /// counts them.
  private var values: [Set<AttributeValue>] = []
  /// The memory for the bytes of a row's group, and for the groups of some rows.
  private var buffer = RowBuffer()
  private var groupIndexes: [Int] = []

  /// - Parameter key: The attribute that defines the groups. Without one, all rows are one group,
  ///   which exists without rows too.
  init(_ plan: TotalPlan, by key: Key?) {
    self.plan = plan
    self.key = key
    countsValues = plan.columns.indices.map { index in
      zip(plan.measures, plan.columnIndexes).contains { $0.function == .distinct && $1 == index }
    }
    if key == nil { addGroup(Group(key: .null)) }
  }

  private mutating func addGroup(_ group: Group) {
    groups.append(group)
    totals += plan.none
    values += plan.columns.map { _ in [] }
  }

  /// Adds rows to their groups.
  mutating func add(_ rows: [RowLocation], in state: FrozenState) {
    groupIndexes.removeAll(keepingCapacity: true)
    if let key {
      for row in rows { groupIndexes.append(groupIndex(of: row, by: key, in: state)) }
    } else {
      groupIndexes.append(contentsOf: repeatElement(0, count: rows.count))
    }
    for groupIndex in groupIndexes { groups[groupIndex].rowCount += 1 }
    for (index, column) in plan.columns.enumerated() {
      for (row, groupIndex) in zip(rows, groupIndexes) {
        let cell = column.cell(of: row, in: state)
        let total = groupIndex * plan.columns.count + index
        totals[total].add(cell, of: column)
        guard countsValues[index] else { continue }
        let value = column.value(cell).attributeValue
        if !value.isNull { values[total].insert(value) }
      }
    }
  }

  /// Returns the index of the group of a row. A new value makes a new group.
  private mutating func groupIndex(
    of row: RowLocation, by key: borrowing Key, in state: FrozenState
  ) -> Int {
    // The bytes of the previous row are overwritten.
    var bytes = RowBuffer(over: buffer.take().room)
    key.append(row, state, &bytes)
    let index = keys.insert(bytes.room.span.bytes.extracting(0..<bytes.count))
    if index == groups.count {
      let name = key.name(Array(bytes.room[..<bytes.count]))
      addGroup(Group(key: key.column.value(of: row, in: state), name: name))
    }
    buffer = bytes
    return index
  }

  /// The keys of the groups and the values of their measures, in the order of the keys.
  var results: [GroupResult] {
    let order = key == nil ? [0] : keys.sorted
    let columnCount = plan.columns.count
    return order.map { index in
      let columns = index * columnCount..<(index + 1) * columnCount
      return GroupResult(
        key: groups[index].key, name: groups[index].name,
        values: plan.values(
          of: Array(totals[columns]), rowCount: groups[index].rowCount,
          distinctCounts: values[columns].map(\.count)))
    }
  }
}

/// A set of keys. Each key has an index, in the order of the inserts. A search allocates nothing.
private struct KeySet {
  private var keys = KeyArena()
  private var hashes: [Int] = []
  /// A hash table with linear probing: in each slot, the index of a key plus one; 0 if the slot is
  /// empty. At most half of the slots are in use.
  private var slots = [Int](repeating: 0, count: 64)

  /// Returns the index of a key. A new key gets the number of the existing keys.
  mutating func insert(_ key: RawSpan) -> Int {
    // The hash has a random seed, so that no input makes many keys collide.
    var hasher = Hasher()
    key.withUnsafeBytes { hasher.combine(bytes: $0) }
    let hash = hasher.finalize()
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      let index = slots[slot] - 1
      if hashes[index] == hash, keys.withBytes(of: index, body: { bytesAreEqual($0, and: key) }) {
        return index
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    let index = hashes.count
    keys.append(key)
    hashes.append(hash)
    slots[slot] = index + 1
    if 2 * hashes.count > slots.count { grow() }
    return index
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: 2 * slots.count)
    for (index, hash) in hashes.enumerated() {
      var slot = hash & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = index + 1
    }
  }

  /// The indices of the keys, in the order of the keys' bytes.
  var sorted: [Int] {
    let bytes = hashes.indices.map { index in
      keys.withBytes(of: index) { key in key.withUnsafeBytes { Array($0) } }
    }
    return bytes.indices.sorted { bytes[$0].lexicographicallyPrecedes(bytes[$1]) }
  }
}

/// The totals of one group, in the order of the measures.
package struct GroupResult: Sendable {
  package let key: AttributeValue
  package let name: String
  package let values: [TotalValue]
}
