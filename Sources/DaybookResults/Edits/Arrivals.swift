import DaybookStore

/// Rows that get a place, with the keys that say where.
struct Arrivals {
  /// One of them: numbers only, so that to sort them costs no more than to compare them.
  struct Row: BitwiseCopyable {
    let sectionPrefix: UInt64
    let ownPrefix: UInt64
    let slot: UInt32
    /// Its edit, by its place among all.
    let edit: Int
    fileprivate let key: Int
  }

  private var rows: [Row] = []
  private var keys: [RowKey] = []

  mutating func add(_ key: RowKey, slot: UInt32, edit: Int) {
    rows.append(
      Row(
        sectionPrefix: key.sectionPrefix, ownPrefix: key.ownPrefix, slot: slot, edit: edit,
        key: keys.count))
    keys.append(key)
  }

  /// The key of one of them.
  func key(_ row: Row) -> RowKey { keys[row.key] }

  /// All of them, in the order of their keys.
  ///
  /// - Complexity: O(*n* log *n*)
  var sorted: [Row] { rows.sorted { isRow($0, before: $1) } }

  /// Whether one comes before another. As a rule the beginnings of the keys tell.
  private func isRow(_ one: Row, before other: Row) -> Bool {
    if one.sectionPrefix != other.sectionPrefix { return one.sectionPrefix < other.sectionPrefix }
    let section = keys[one.key].comparedSection(to: keys[other.key])
    if section != 0 { return section < 0 }
    if one.ownPrefix != other.ownPrefix { return one.ownPrefix < other.ownPrefix }
    return keys[one.key].comparedOwn(to: keys[other.key]) < 0
  }
}
