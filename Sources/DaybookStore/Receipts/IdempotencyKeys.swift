import DaybookJournal

/// The last transactions that were saved with a key.
///
/// Of a transaction that is in the journal no more than a mark of its key is remembered: the key itself stands there,
/// and whoever finds a mark reads it. Keys that are on their way to the journal are remembered whole.
///
/// What a checkpoint has is taken in when somebody first asks: most programs never do.
struct IdempotencyKeys: Sendable {
  private let seed: UInt64
  private var saved = MarkedTransactions()
  /// What still stands as a checkpoint has it.
  private var unread: WrittenKeys?
  private var onTheWay: [String: SequenceNumber] = [:]

  init() { seed = .random(in: 0 ... .max) }

  init(_ written: WrittenKeys) {
    seed = written.seed
    unread = written
  }

  /// How many there are.
  var count: Int { (unread?.count ?? saved.count) + onTheWay.count }

  // MARK: What is on its way

  /// The transaction on its way that is saved with a key.
  func transactionOnTheWay(with key: String) -> SequenceNumber? { onTheWay[key] }

  /// Remembers the key of a transaction that is on its way.
  mutating func begin(_ sequence: SequenceNumber, with key: String) { onTheWay[key] = sequence }

  /// Remembers a key no longer, as its transaction was taken back.
  mutating func takeBack(_ key: String) { onTheWay[key] = nil }

  /// Remembers that a transaction has got to the journal.
  mutating func settle(_ sequence: SequenceNumber, with key: String) {
    onTheWay[key] = nil
    note(sequence, with: key)
  }

  // MARK: What is in the journal

  /// Remembers a transaction of the journal that was saved with a key.
  mutating func note(_ sequence: SequenceNumber, with key: String) {
    takeIn()
    saved.append(sequence.rawValue, with: KeyMark(of: key, seed: seed))
  }

  /// The transactions of the journal that may have been saved with a key, the newest first. Whether they were, says
  /// the journal.
  mutating func candidates(for key: String) -> [SequenceNumber] {
    takeIn()
    return saved.transactions(with: KeyMark(of: key, seed: seed)).map { SequenceNumber($0) }
  }

  /// What a checkpoint has to say of those in the journal.
  var written: WrittenKeys {
    if let unread { return unread }
    var written = WrittenKeys(seed: seed)
    saved.forEach { written.append($0, with: $1) }
    return written
  }

  private mutating func takeIn() {
    guard let unread else { return }
    self.unread = nil
    unread.forEach { saved.append($0, with: $1) }
  }
}

/// The part of an idempotency key that is remembered: 36 bits of its hash.
///
/// Equal keys have one mark. Of different keys, two in 69 billion have one.
package struct KeyMark: Hashable, Sendable {
  /// The highest 21 bits of the hash, and below them its lowest 15.
  package let rawValue: UInt64

  /// - Parameter seed: Whoever does not know it cannot choose keys of one mark.
  package init(of key: String, seed: UInt64) {
    // Texts are equal by their normal form.
    let hash = XXH64.check(NormalizedText.bytes(of: key).span.bytes, seed: seed)
    rawValue = (hash >> 43) << 15 | hash & 0x7FFF
  }

  /// - Returns: nil if no mark has this value.
  package init?(rawValue: UInt64) {
    guard rawValue < 1 << 36 else { return nil }
    self.rawValue = rawValue
  }
}

/// The last transactions that were saved with a key, found by the marks of their keys.
///
/// Each transaction has a number, which counts those added before it. A queue contains the
/// transactions in the order of the numbers, and a dictionary the number of the newest transaction
/// of each mark.
package struct MarkedTransactions: Sendable {
  private struct Entry {
    let sequence: UInt64
    let mark: KeyMark
    /// The number of the next older transaction with the same mark, which may have been forgotten;
    /// -1 if there is none.
    let older: Int
  }

  /// The entry of each number that is remembered, at the remainder of its division by `countMax`.
  private var queue: [Entry] = []
  private var newest: [KeyMark: Int] = [:]
  /// The number that the next transaction will have.
  private var nextNumber = 0
  /// The largest number of transactions that are remembered.
  let countMax: Int
  /// The same of a store.
  package static let usualCountMax = 100_000

  package init(countMax: Int = usualCountMax) {
    precondition(countMax > 0, "\(countMax) transactions with keys")
    self.countMax = countMax
  }

  /// The number of transactions.
  package var count: Int { queue.count }

  /// The transactions whose keys have a mark, the newest first.
  ///
  /// - Complexity: O(1) on average
  package func transactions(with mark: KeyMark) -> [UInt64] {
    var found: [UInt64] = []
    var number = newest[mark] ?? -1
    while number >= 0, number >= nextNumber - count {
      found.append(entry(number).sequence)
      number = entry(number).older
    }
    return found
  }

  /// Adds the newest transaction, and forgets the oldest if there are too many.
  ///
  /// - Complexity: O(1) on average
  package mutating func append(_ sequence: UInt64, with mark: KeyMark) {
    precondition(
      count == 0 || sequence > entry(nextNumber - 1).sequence, "transaction \(sequence) is not new")
    let added = Entry(sequence: sequence, mark: mark, older: newest[mark] ?? -1)
    if count < countMax {
      queue.append(added)
    } else {
      let oldest = entry(nextNumber - count).mark
      if newest[oldest] == nextNumber - count { newest[oldest] = nil }
      queue[nextNumber % countMax] = added
    }
    newest[mark] = nextNumber
    nextNumber += 1
  }

  /// Calls a closure with each transaction and its mark, the oldest first.
  package func forEach(_ body: (UInt64, KeyMark) -> Void) {
    for number in nextNumber - count..<nextNumber {
      body(entry(number).sequence, entry(number).mark)
    }
  }

  private func entry(_ number: Int) -> Entry { queue[number % countMax] }
}

/// Transactions that were saved with a key, the oldest first, as bytes.
///
/// ```
///   each   sequence u64   the mark of the key u64
/// ```
struct WrittenKeys: Sendable {
  /// What the marks were made with.
  let seed: UInt64
  private(set) var bytes = RowBuffer()

  private static let entryByteCount = 16

  init(seed: UInt64) { self.seed = seed }

  /// - Parameter last: The last transaction that there can be.
  /// - Returns: nil if the bytes are none of this.
  init?(_ bytes: [UInt8], seed: UInt64, through last: UInt64) {
    self.seed = seed
    self.bytes = RowBuffer(bytes)
    guard bytes.count % WrittenKeys.entryByteCount == 0,
      count <= MarkedTransactions.usualCountMax
    else { return nil }
    var before: UInt64 = 0
    var isInOrder = true
    let isWhole = forEach { sequence, _ in
      if sequence <= before { isInOrder = false }
      before = sequence
    }
    guard isWhole, isInOrder, before <= last else { return nil }
  }

  /// How many there are.
  var count: Int { bytes.count / WrittenKeys.entryByteCount }

  mutating func append(_ sequence: UInt64, with mark: KeyMark) {
    bytes.append(sequence)
    bytes.append(mark.rawValue)
  }

  /// Hands out all of them, in order.
  ///
  /// - Returns: Whether all of them are what they should be.
  @discardableResult
  func forEach(_ body: (UInt64, KeyMark) -> Void) -> Bool {
    var cursor = ByteCursor()
    let span = bytes.bytes.span.bytes
    while cursor.offset < span.byteCount {
      guard let sequence = cursor.number(span, as: UInt64.self),
        let mark = cursor.number(span, as: UInt64.self).flatMap(KeyMark.init(rawValue:))
      else { return false }
      body(sequence, mark)
    }
    return true
  }
}
