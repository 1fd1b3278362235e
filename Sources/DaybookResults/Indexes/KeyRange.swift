/// The keys from a first one up to an end, in the order of bytes.
struct KeyRange: Hashable {
  /// The first key.
  var start: [UInt8]
  /// The first key after the range; nil if the range has no end.
  var end: [UInt8]?

  init(start: [UInt8] = [], end: [UInt8]? = nil) {
    self.start = start
    self.end = end
  }

  /// Creates the range of all keys that start with some bytes.
  init(startingWith bytes: [UInt8]) {
    self.init(start: bytes, end: KeyRange.end(ofKeysStartingWith: bytes))
  }

  /// Returns the first key after all keys that start with some bytes; nil if no key follows them.
  static func end(ofKeysStartingWith bytes: [UInt8]) -> [UInt8]? {
    var bytes = bytes
    while let last = bytes.popLast() {
      if last < 0xFF { return bytes + [last + 1] }
    }
    return nil
  }

  /// Returns the keys that consist of some bytes and a key of this range.
  func preceded(by bytes: [UInt8]) -> KeyRange {
    KeyRange(
      start: bytes + start, end: end.map { bytes + $0 } ?? KeyRange.end(ofKeysStartingWith: bytes))
  }

  /// Returns the keys that both ranges contain.
  func intersection(_ other: KeyRange) -> KeyRange {
    let start = start.lexicographicallyPrecedes(other.start) ? other.start : start
    guard let end, let otherEnd = other.end else {
      return KeyRange(start: start, end: end ?? other.end)
    }
    return KeyRange(start: start, end: end.lexicographicallyPrecedes(otherEnd) ? end : otherEnd)
  }
}
