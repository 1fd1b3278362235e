import DaybookStore

/// Where a row stands in an order, as bytes.
struct RowKey {
  /// The key of the section, and behind it that of the row; and further ones, left of a longer key.
  private var bytes: [UInt8] = []
  /// Where the row's own begins, and where it ends.
  private var (start, end) = (0, 0)

  /// Makes it the key of a row; the memory stays the same.
  ///
  /// - Parameter other: The key of a row in the same section, if that is known.
  mutating func set(
    to row: RowLocation, of plan: ResultPlan, in state: FrozenState,
    inSectionOf other: RowKey? = nil
  ) {
    var buffer = RowBuffer(over: bytes)
    bytes = []
    if let other {
      buffer.append(other.section.span.bytes)
    } else {
      plan.appendSection?(row, state, &buffer)
    }
    start = buffer.count
    plan.appendOwn(row, in: state, to: &buffer)
    end = buffer.count
    bytes = buffer.room
  }

  /// The key of the section.
  var section: ArraySlice<UInt8> { bytes[..<start] }
  /// The row's own key.
  var own: ArraySlice<UInt8> { bytes[start..<end] }
  /// The first eight bytes of the section's key.
  var sectionPrefix: UInt64 { RowKey.prefix(section) }
  /// The first eight bytes of the row's own key.
  var ownPrefix: UInt64 { RowKey.prefix(own) }

  func isSameSection(as other: RowKey) -> Bool { section == other.section }

  /// The first eight bytes as a number that is in the same order, with zeros for what is not there.
  static func prefix(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.span.bytes.orderWord
  }
}

extension RowKey: Equatable {
  static func == (one: RowKey, other: RowKey) -> Bool {
    one.start == other.start && one.bytes[..<one.end] == other.bytes[..<other.end]
  }
}

/// In their order keys are compared by the sections first, each as a whole: one that is the beginning of another comes
/// first.
extension RowKey {
  /// Below zero if its section comes before another's, zero if they are the same.
  func comparedSection(to other: RowKey) -> Int {
    RowKey.compare(section, to: other.section)
  }

  /// Below zero if the row's own key comes before another's, zero if they are the same.
  func comparedOwn(to other: RowKey) -> Int {
    RowKey.compare(own, to: other.own)
  }

  /// Below zero if the first comes before the second, zero if they are the same.
  static func compare(_ one: ArraySlice<UInt8>, to other: ArraySlice<UInt8>) -> Int {
    let (bytes, otherBytes) = (one.span.bytes, other.span.bytes)
    let count = min(one.count, other.count)
    var offset = 0
    while offset < count {
      // The zeros behind the end of one come before whatever another goes on with, unless those are zeros too.
      let word = bytes.extracting(offset...).orderWord
      let otherWord = otherBytes.extracting(offset...).orderWord
      if word != otherWord { return word < otherWord ? -1 : 1 }
      offset += 8
    }
    return one.count - other.count
  }
}
