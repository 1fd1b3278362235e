import DaybookStore

/// The key of a row, which determines its position in a list. The key consists of bytes: the key of
/// the section, and the row's own key, which contains the sort keys and the creation number.
struct RowKey {
  /// The key of the section, followed by the row's own key. Bytes after `end` belong to an earlier,
  /// longer key and are ignored.
  private var bytes: [UInt8] = []
  /// The start and the end of the row's own key.
  private var (start, end) = (0, 0)

  /// Replaces the key with the key of a row, and reuses the memory.
  ///
  /// - Parameter other: The key of a row in the same section; nil if none is known.
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

  /// Returns the first eight bytes as a number that has the order of the bytes. Missing bytes are
  /// zeros.
  static func prefix(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.span.bytes.orderWord
  }
}

extension RowKey: Equatable {
  static func == (one: RowKey, other: RowKey) -> Bool {
    one.start == other.start && one.bytes[..<one.end] == other.bytes[..<other.end]
  }
}

/// Keys are compared byte by byte, the keys of the sections first. A key that is a prefix of a
/// longer key is smaller.
extension RowKey {
  /// Returns a negative number, 0 or a positive number if the row's section is before, equal to or
  /// after the section of the second row.
  func comparedSection(to other: RowKey) -> Int {
    RowKey.compare(section, to: other.section)
  }

  /// Returns a negative number, 0 or a positive number if the row's own key is before, equal to or
  /// after the own key of the second row.
  func comparedOwn(to other: RowKey) -> Int {
    RowKey.compare(own, to: other.own)
  }

  /// Returns a negative number, 0 or a positive number if the first key is before, equal to or
  /// after the second.
  static func compare(_ one: ArraySlice<UInt8>, to other: ArraySlice<UInt8>) -> Int {
    let (bytes, otherBytes) = (one.span.bytes, other.span.bytes)
    let count = min(one.count, other.count)
    var offset = 0
    while offset < count {
      // Missing bytes at the end of the shorter key are compared as zeros. If the longer key
      // contains zeros there, the two words are equal, and the lengths of the keys decide below.
      let word = bytes.extracting(offset...).orderWord
      let otherWord = otherBytes.extracting(offset...).orderWord
      if word != otherWord { return word < otherWord ? -1 : 1 }
      offset += 8
    }
    return one.count - other.count
  }
}
