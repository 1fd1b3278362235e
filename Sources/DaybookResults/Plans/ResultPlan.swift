import DaybookStore

/// What a projection asks of the rows of an entity, ready to be asked.
///
/// The keys are bytes, and the order of rows is the order of those: of the section's key, then of the
/// row's own. Equal sections have equal keys.
// A class, as whoever looks for a place hands it on.
package final class ResultPlan: Sendable {
  package typealias Check = @Sendable (RowLocation, FrozenState) -> Bool
  package typealias Encoder = @Sendable (RowLocation, FrozenState, inout RowBuffer) -> Void

  /// The entity's place in the catalog.
  package let entity: Int
  /// Whether a row is in the result; nil if all are.
  package let matches: Check?
  /// Appends the key of the section that a row is in; nil if there is one section.
  package let appendSection: Encoder?
  /// Appends the key of a row among those of its section. Its creation number is appended behind that.
  package let appendOrder: Encoder
  /// What a section is called, by its key.
  package let nameOfSection: @Sendable ([UInt8]) -> String
  /// What is read through references: that changes when other records do.
  package let foreignReads: [PathRead]

  package init(
    entity: Int, matches: Check? = nil, section: Encoder? = nil, order: @escaping Encoder,
    nameOfSection: @escaping @Sendable ([UInt8]) -> String = { _ in "" },
    foreignReads: [PathRead] = []
  ) {
    self.entity = entity
    self.matches = matches
    appendSection = section
    appendOrder = order
    self.nameOfSection = nameOfSection
    self.foreignReads = foreignReads
  }

  /// The entities whose records matter.
  var entities: Set<Int> {
    foreignReads.reduce(into: [entity]) { entities, read in
      entities.formUnion(read.links.map(\.target))
    }
  }

  /// Whether a row is in the result.
  func includes(_ row: RowLocation, _ state: FrozenState) -> Bool { matches?(row, state) ?? true }

  /// The whole key of a row: that of its section, then its own, and where that begins.
  func key(of row: RowLocation, _ state: FrozenState, _ buffer: inout RowBuffer) -> RowKey {
    buffer.removeAll()
    appendSection?(row, state, &buffer)
    let start = buffer.count
    appendOwn(row, state, &buffer)
    return RowKey(bytes: buffer.bytes, start: start)
  }

  /// Appends the key of a row among those of its section.
  func appendOwn(_ row: RowLocation, _ state: FrozenState, _ buffer: inout RowBuffer) {
    appendOrder(row, state, &buffer)
    let creation = state.withRow(at: row) { Layout.creation(of: $0) }
    buffer.append(creation.byteSwapped)
  }
}

/// Where a row stands in an order, as bytes.
struct RowKey: Hashable {
  /// The key of the section, and behind it that of the row.
  let bytes: [UInt8]
  /// Where the row's own begins.
  let start: Int

  /// The first eight bytes of the section's key.
  var sectionPrefix: UInt64 { RowKey.prefix(bytes[..<start]) }
  /// The first eight bytes of the row's own key.
  var ownPrefix: UInt64 { RowKey.prefix(bytes[start...]) }

  func isSameSection(as other: RowKey) -> Bool {
    start == other.start && bytes[..<start] == other.bytes[..<start]
  }

  /// The first eight bytes as a number that is in the same order, with zeros for what is not there.
  static func prefix(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var prefix: UInt64 = 0
    for byte in bytes.prefix(8) { prefix = prefix << 8 | UInt64(byte) }
    let missing = 8 - min(8, bytes.count)
    return missing == 8 ? 0 : prefix << (8 * UInt64(missing))
  }
}

extension RowKey: Comparable {
  static func < (one: RowKey, other: RowKey) -> Bool {
    // Sections are compared as wholes: a key that is the beginning of another comes first.
    let section = RowKey.compare(one.bytes[..<one.start], other.bytes[..<other.start])
    if section != 0 { return section < 0 }
    return RowKey.compare(one.bytes[one.start...], other.bytes[other.start...]) < 0
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
