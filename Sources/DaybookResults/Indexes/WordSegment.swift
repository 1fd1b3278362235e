import DaybookStore

/// The words of the strings in some slots, each with the slots of the strings that contain it. A
/// segment never changes.
///
/// A word is represented by its *start*, a number of 16 bytes. Its most significant bytes are the
/// first bytes of the folded word. The rest are zeros, which no word contains. So the starts have
/// the same order as the bytes of the words. Longer words with the same first 16 bytes have the
/// same start.
final class WordSegment: Sendable {
  /// The slots that were read, in ascending order; nil for all slots of the entity.
  let slots: [UInt32]?
  /// The number of records that were read.
  let stringCount: Int
  /// The starts of the words, in ascending order.
  private let starts: [UInt128]
  /// The slots of all words, in the order of the starts.
  private let postings: [UInt32]
  /// For each start, the end of its slots in `postings`.
  private let ends: [Int]

  /// Reads the strings of an attribute in a state.
  ///
  /// - Parameter slots: The slots to read, in ascending order; nil for all slots.
  /// - Complexity: O(bytes of the strings, and *w* log *w* for *w* different words)
  init(_ path: ValuePath, of entity: Int, slots: [UInt32]?, in state: FrozenState) {
    var words = WordCollector()
    let read = { (rows: Span<RowScan.Entry>) in
      for index in rows.indices where rows[index].location != .none {
        path.withBytes(of: rows[index].location, in: state) { value in
          words.add(value, slot: rows[index].slot)
        }
      }
    }
    if let slots {
      RowScan(state).forEachPiece(of: slots, in: entity, read)
    } else {
      RowScan(state).forEachPiece(in: entity, read)
    }
    self.slots = slots
    stringCount = words.strings.count
    (starts, ends, postings) = words.lists()
  }

  /// Inserts into a set the slots of all words that start with a word of a search, and perhaps
  /// other slots.
  ///
  /// - Complexity: O(log *w*) for *w* different words, and the number of slots
  func insertSlots(ofWordsStartingWith word: [UInt8], into set: inout SlotSet) {
    let least = WordSegment.start(of: word)
    let byteCount = min(word.count, WordSegment.startByteCount)
    let greatest = least | (UInt128.max >> UInt128(8 * byteCount))
    let first = rank { $0 < least }
    let end = rank { $0 <= greatest }
    guard first < end else { return }
    for slot in postings[(first == 0 ? 0 : ends[first - 1])..<ends[end - 1]] { set.insert(slot) }
  }

  /// Returns the number of starts that satisfy a condition. Only the least starts may satisfy it.
  private func rank(_ isBefore: (UInt128) -> Bool) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(starts[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static let startByteCount = 16

  /// Returns the start of a word.
  fileprivate static func start(of word: some Collection<UInt8>) -> UInt128 {
    var start: UInt128 = 0
    var byteCount = 0
    for byte in word.prefix(startByteCount) {
      start = start << 8 | UInt128(byte)
      byteCount += 1
    }
    return byteCount == 0 ? 0 : start << UInt128(8 * (startByteCount - byteCount))
  }
}

/// The words of strings, in the order in which they are read.
private struct WordCollector {
  /// The slot of each string, and the end of its words in `words`.
  private(set) var strings: [(slot: UInt32, end: Int)] = []
  /// The numbers of the words of all strings. They contain each word of a string once.
  private var words: [UInt32] = []
  /// The number of each start.
  private var numbers: [UInt128: UInt32] = [:]
  private var starts: [UInt128] = []
  /// For each start, the number of the last string that contains it.
  private var lastStrings: [Int] = []

  /// Adds the words of a string from the bytes of a row. The bytes are nil if the string is
  /// missing.
  mutating func add(_ value: borrowing RawSpan?, slot: UInt32) {
    if let value = copy value {
      FoldedText.withBytes(of: value, options: WordQuery.options) { bytes in
        bytes.withUnsafeBytes { bytes in
          var cutter = WordCutter()
          while let word = cutter.next(in: bytes) { add(WordSegment.start(of: bytes[word])) }
        }
      }
    }
    strings.append((slot, words.count))
  }

  private mutating func add(_ start: UInt128) {
    let number = numbers[start] ?? UInt32(starts.count)
    if number == starts.count {
      numbers[start] = number
      starts.append(start)
      lastStrings.append(-1)
    }
    guard lastStrings[Int(number)] != strings.count else { return }
    lastStrings[Int(number)] = strings.count
    words.append(number)
  }

  /// Returns the starts in ascending order, the ends of their slots, and the slots.
  func lists() -> (starts: [UInt128], ends: [Int], postings: [UInt32]) {
    let order = starts.indices.sorted { starts[$0] < starts[$1] }
    var ranks = [Int](repeating: 0, count: order.count)
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    var counts = [Int](repeating: 0, count: order.count)
    for word in words { counts[ranks[Int(word)]] += 1 }
    // At first, each end is the start of its list. Each slot that is added increases the end of its
    // list.
    var ends: [Int] = []
    ends.reserveCapacity(counts.count)
    var sum = 0
    for count in counts {
      ends.append(sum)
      sum += count
    }
    var postings = [UInt32](repeating: 0, count: sum)
    var index = 0
    for (slot, end) in strings {
      while index < end {
        let rank = ranks[Int(words[index])]
        postings[ends[rank]] = slot
        ends[rank] += 1
        index += 1
      }
    }
    return (order.map { starts[$0] }, ends, postings)
  }
}

/// A set of slots: one bit for each slot of an entity.
struct SlotSet {
  private var bits: [UInt64]

  /// Creates the empty set of slots below a limit.
  init(below limit: Int) { bits = [UInt64](repeating: 0, count: (limit + 63) / 64) }

  /// Inserts a slot. Slots that are not below the limit, rounded up to 64, are ignored.
  @inline(__always)
  mutating func insert(_ slot: UInt32) {
    let word = Int(slot / 64)
    if word < bits.count { bits[word] |= 1 << UInt64(slot % 64) }
  }

  /// Inserts the slots of a set with the same limit.
  mutating func formUnion(_ other: SlotSet) {
    for word in bits.indices { bits[word] |= other.bits[word] }
  }

  /// Removes the slots that a set with the same limit does not contain.
  mutating func formIntersection(_ other: SlotSet) {
    for word in bits.indices { bits[word] &= other.bits[word] }
  }

  /// Returns the slots that satisfy a condition, in ascending order.
  func slots(where isIncluded: (UInt32) -> Bool) -> [UInt32] {
    var slots: [UInt32] = []
    for (index, word) in bits.enumerated() {
      var rest = word
      while rest != 0 {
        let slot = UInt32(64 * index + rest.trailingZeroBitCount)
        if isIncluded(slot) { slots.append(slot) }
        rest &= rest - 1
      }
    }
    return slots
  }
}
