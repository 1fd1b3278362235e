import DaybookStore

/// Where a row stands in an order, as bytes.
struct RowKey: Hashable {
  /// The key of the section, and behind it that of the row.
  private(set) var bytes: [UInt8] = []
  /// Where the row's own begins.
  private(set) var start = 0

  /// Makes it the key of a row; the memory stays the same.
  mutating func set(_ plan: ResultPlan, _ row: RowLocation, _ state: FrozenState) {
    var buffer = RowBuffer(bytes)
    bytes = []
    buffer.removeAll()
    plan.appendSection?(row, state, &buffer)
    start = buffer.count
    plan.appendOwn(row, state, &buffer)
    bytes = buffer.bytes
  }

  /// The first eight bytes of the section's key.
  var sectionPrefix: UInt64 { RowKey.prefix(bytes[..<start]) }
  /// The first eight bytes of the row's own key.
  var ownPrefix: UInt64 { RowKey.prefix(bytes[start...]) }

  func isSameSection(as other: RowKey) -> Bool {
    start == other.start && bytes[..<start] == other.bytes[..<start]
  }

  func isOfSection(_ key: [UInt8]) -> Bool { start == key.count && bytes[..<start] == key[...] }

  /// The first eight bytes as a number that is in the same order, with zeros for what is not there.
  static func prefix(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var prefix: UInt64 = 0
    for byte in bytes.prefix(8) { prefix = prefix << 8 | UInt64(byte) }
    let missing = 8 - min(8, bytes.count)
    return missing == 8 ? 0 : prefix << (8 * UInt64(missing))
  }
}

/// In their order keys are compared by the sections first, each as a whole: one that is the beginning of another comes
/// first.
extension RowKey {
  /// Below zero if its section comes before another's, zero if they are the same.
  func comparedSection(to other: RowKey) -> Int {
    RowKey.compare(bytes[..<start], other.bytes[..<other.start])
  }

  /// Below zero if the row's own key comes before another's, zero if they are the same.
  func comparedOwn(to other: RowKey) -> Int {
    RowKey.compare(bytes[start...], other.bytes[other.start...])
  }

  /// Below zero if the first comes before the second, zero if they are the same.
  static func compare(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
    let count = min(one.count, other.count)
    let order = one.withUnsafeBytes { one in
      other.withUnsafeBytes { other -> Int in
        for index in 0..<count where one[index] != other[index] {
          return one[index] < other[index] ? -1 : 1
        }
        return 0
      }
    }
    return order != 0 ? order : one.count - other.count
  }
}
