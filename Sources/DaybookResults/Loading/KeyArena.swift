import DaybookStore

/// Keys of any length by their indexes, one behind the other in one run of bytes.
struct KeyArena {
  private var bytes: [UInt8] = []
  /// Where each key begins, and at last where the next one will.
  private var starts: [Int] = [0]

  /// How many keys there are.
  var count: Int { starts.count - 1 }

  /// Makes room for so many keys in all, as long as those that are there.
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

  /// The bytes of a key.
  @inline(__always)
  func withBytes<Result>(of key: Int, body: (RawSpan) -> Result) -> Result {
    body(bytes.span.bytes.extracting(starts[key]..<starts[key + 1]))
  }

  /// Eight bytes of a key from an offset on as a number that is in their order, with zeros for those
  /// that are not there.
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

  /// How many bytes two keys share from an offset on, of up to so many.
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
  /// The first eight bytes as a number that is in their order, with zeros for those that are not
  /// there.
  @inline(__always)
  var orderWord: UInt64 {
    if let word = number(at: 0, as: UInt64.self) { return word.byteSwapped }
    return word(at: 0, byteCount: min(8, byteCount)).byteSwapped
  }
}

/// A piece of the key of each of some rows, by which those are put in order whose keys begin with the
/// same bytes.
struct KeptKeys {
  private(set) var pieces = KeyArena()
  /// The slot of each row.
  private(set) var slots: [UInt32] = []
  /// Which bytes of a key its piece has.
  let range: Range<Int>

  init(_ range: Range<Int>) { self.range = range }

  /// The bytes behind those that an entry has.
  static let firstRange = 8..<72

  /// The bytes behind these pieces, four times as many: so it takes few pieces however many bytes keys
  /// share, and little memory where they share few.
  var nextRange: Range<Int> { range.upperBound..<range.upperBound + 4 * range.count }

  var count: Int { slots.count }

  /// Makes room for so many rows in all.
  mutating func reserve(count: Int) {
    pieces.reserve(count: count)
    slots.reserveCapacity(count)
  }

  mutating func append(_ key: RawSpan, slot: UInt32) {
    pieces.append(key.extracting(range.clamped(to: 0..<key.byteCount)))
    slots.append(slot)
  }

  /// Makes the key of a row again.
  mutating func append(
    slot: UInt32, plan: ResultPlan, state: FrozenState, buffer: inout RowBuffer
  ) {
    let row = state.reader.row(inSlot: slot, of: plan.entity)
    buffer.removeAll()
    plan.appendOwn(row.location, in: state, to: &buffer)
    append(buffer.bytes.span.bytes, slot: slot)
  }

  /// Sorts rows whose values are indexes of pieces, in runs. Answers with those runs in which the pieces
  /// are the same, and the keys may go on.
  func sort(
    _ rows: inout MutableSpan<RankEntry>, in runs: [Range<Int>],
    scratch: inout MutableSpan<RankEntry>
  ) -> [Range<Int>] {
    var sort = KeySort(pieces)
    for run in runs {
      let prefix = rows[run.lowerBound].key
      sort.sort(&rows, in: run, scratch: &scratch)
      for place in run { rows[place].key = prefix }
    }
    var open: [Range<Int>] = []
    for run in sort.equal {
      // A key that ends before its piece could is whole.
      if pieces.byteCount(Int(rows[run.lowerBound].value)) == range.count { open.append(run) }
    }
    return open
  }
}
