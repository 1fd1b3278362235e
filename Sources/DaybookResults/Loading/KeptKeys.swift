import DaybookStore

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
