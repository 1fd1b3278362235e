import DaybookStore

/// Keys of any length in one array of bytes, one after another. An index identifies a key. One
/// array needs less memory and fewer allocations than an array for each key.
struct KeyArena {
  private var bytes: [UInt8] = []
  /// The start of each key, followed by the end of the last key.
  private var starts: [Int] = [0]

  /// The number of keys.
  var count: Int { starts.count - 1 }

  /// Reserves memory for a total number of keys, based on the average length of the existing keys.
  mutating func reserve(count: Int) {
    starts.reserveCapacity(count + 1)
    if self.count > 0 { bytes.reserveCapacity(bytes.count / self.count * (count + count / 8)) }
  }

  mutating func append(_ key: RawSpan) {
    key.withUnsafeBytes { bytes.append(contentsOf: $0) }
    starts.append(bytes.count)
  }

  @inline(__always)
  func byteCount(_ key: Int) -> Int { starts[key + 1] - starts[key] }

  /// Calls a closure with the bytes of a key.
  @inline(__always)
  func withBytes<Result>(of key: Int, body: (RawSpan) -> Result) -> Result {
    body(bytes.span.bytes.extracting(starts[key]..<starts[key + 1]))
  }

  /// Returns eight bytes of a key, from an offset, as a number that has the order of the bytes.
  /// Missing bytes are zeros.
  @inline(__always)
  func word(_ key: Int, at offset: Int) -> UInt64 {
    let start = starts[key] + offset
    let end = starts[key + 1]
    guard start < end else { return 0 }
    let bytes = bytes.span.bytes
    guard let word = bytes.number(at: start, as: UInt64.self) else {
      return bytes.extracting(start..<end).orderWord
    }
    return end - start >= 8
      ? word.byteSwapped : word.byteSwapped & ~(.max >> UInt64(8 * (end - start)))
  }

  /// Returns the number of equal bytes of two keys from an offset on, up to a limit.
  func sharedByteCount(of one: Int, and other: Int, from offset: Int, upTo limit: Int) -> Int {
    let count = min(limit, byteCount(one) - offset, byteCount(other) - offset)
    var shared = 0
    while shared < count {
      let differing = word(one, at: offset + shared) ^ word(other, at: offset + shared)
      if differing != 0 { return min(count, shared + differing.leadingZeroBitCount / 8) }
      shared += 8
    }
    return max(0, count)
  }
}

extension RawSpan {
  /// The first eight bytes as a number that has the order of the bytes. Missing bytes are zeros.
  @inline(__always)
  var orderWord: UInt64 {
    if let word = number(at: 0, as: UInt64.self) { return word.byteSwapped }
    return word(at: 0, byteCount: min(8, byteCount)).byteSwapped
  }
}

/// One piece of the key of each row in a set, such as the bytes 8 to 71. If the keys of several
/// rows are equal before these bytes, the pieces sort these rows.
struct StoredKeys {
  private(set) var pieces = KeyArena()
  /// The slot of each row.
  private(set) var slots: [UInt32] = []
  /// The range of bytes in a key that its piece contains.
  let range: Range<Int>

  init(_ range: Range<Int>) { self.range = range }

  /// The range of the first pieces. The range follows the eight bytes that an entry contains.
  static let firstRange = 8..<72

  /// The range after these pieces, four times as long. So the sort needs only a few rounds if keys
  /// share many bytes, and little memory if keys share only a few bytes.
  var nextRange: Range<Int> { range.upperBound..<range.upperBound + 4 * range.count }

  var count: Int { slots.count }

  /// Reserves memory for a total number of rows.
  mutating func reserve(count: Int) {
    pieces.reserve(count: count)
    slots.reserveCapacity(count)
  }

  mutating func append(_ key: RawSpan, slot: UInt32) {
    pieces.append(key.extracting(range.clamped(to: 0..<key.byteCount)))
    slots.append(slot)
  }

  /// Computes the key of a row again, and appends its piece.
  mutating func append(
    slot: UInt32, plan: ResultPlan, state: FrozenState, buffer: inout RowBuffer
  ) {
    let row = state.reader.row(inSlot: slot, of: plan.entity)
    buffer.removeAll()
    plan.appendOwn(row.location, in: state, to: &buffer)
    append(buffer.bytes.span.bytes, slot: slot)
  }

  /// Sorts the rows of each run by their pieces. The value of an entry is the index of a piece.
  /// Returns the runs of rows with equal pieces that may have different keys.
  func sort(
    _ rows: inout MutableSpan<RankEntry>, in runs: [Range<Int>],
    scratch: inout MutableSpan<RankEntry>
  ) -> [Range<Int>] {
    var sort = KeySort(pieces)
    for run in runs {
      let prefix = rows[run.lowerBound].key
      sort.sort(&rows, in: run, scratch: &scratch)
      for index in run { rows[index].key = prefix }
    }
    var open: [Range<Int>] = []
    for run in sort.equal {
      // If a piece is shorter than its range, the key ends in this piece. Then the whole keys are
      // equal, and the run is sorted.
      if pieces.byteCount(Int(rows[run.lowerBound].value)) == range.count { open.append(run) }
    }
    return open
  }
}
