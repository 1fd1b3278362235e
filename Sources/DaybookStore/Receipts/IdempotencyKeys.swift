import DaybookJournal

/// The last transactions that were saved with an idempotency key.
///
/// For a transaction in the journal, only a mark (a part of the hash) of its key is stored here.
/// The key itself is in the journal, and is read there to verify a match. Keys of transactions in
/// flight, which are numbered but not yet in the journal, are stored completely.
///
/// The keys of a checkpoint are read on first use, because most programs never use keys.
struct IdempotencyKeys: Sendable {
  private let seed: UInt64
  private var saved = MarkedTransactions()
  /// The keys of a checkpoint that have not been read yet.
  private var unread: WrittenKeys?
  private var inFlight: [String: SequenceNumber] = [:]

  init() { seed = .random(in: 0 ... .max) }

  init(_ written: WrittenKeys) {
    seed = written.seed
    unread = written
  }

  /// The number of transactions with a key.
  var count: Int { (unread?.count ?? saved.count) + inFlight.count }

  // MARK: Transactions in flight

  /// Returns the transaction in flight that is saved with a key, if any.
  func transactionInFlight(with key: String) -> SequenceNumber? { inFlight[key] }

  /// Adds the key of a transaction in flight.
  mutating func start(_ sequence: SequenceNumber, with key: String) { inFlight[key] = sequence }

  /// Removes a key, because its transaction was rolled back.
  mutating func rollBack(_ key: String) { inFlight[key] = nil }

  /// Records that a transaction in flight is in the journal.
  mutating func confirm(_ sequence: SequenceNumber, with key: String) {
    inFlight[key] = nil
    record(sequence, with: key)
  }

  // MARK: Transactions in the journal

  /// Adds a transaction of the journal that was saved with a key.
  mutating func record(_ sequence: SequenceNumber, with key: String) {
    loadUnread()
    saved.append(sequence.rawValue, with: KeyMark(of: key, seed: seed))
  }

  /// Returns the transactions of the journal that may have been saved with a key, the newest first.
  /// The caller must compare the key in the journal.
  mutating func candidates(for key: String) -> [SequenceNumber] {
    loadUnread()
    return saved.transactions(with: KeyMark(of: key, seed: seed)).map { SequenceNumber($0) }
  }

  /// The transactions of the journal with their marks, for a checkpoint.
  var written: WrittenKeys {
    if let unread { return unread }
    var written = WrittenKeys(seed: seed)
    saved.forEach { written.append($0, with: $1) }
    return written
  }

  private mutating func loadUnread() {
    guard let unread else { return }
    self.unread = nil
    unread.forEach { saved.append($0, with: $1) }
  }
}

/// The stored part of an idempotency key: 36 bits of its hash.
///
/// Equal keys have equal marks. Two different keys have equal marks with a probability of 1 in 69
/// billion.
package struct KeyMark: Hashable, Sendable {
  /// The highest 21 bits of the hash, followed by its lowest 15 bits.
  package let rawValue: UInt64

  /// Creates the mark of a key.
  ///
  /// - Parameter seed: A random seed, which prevents an attacker from choosing keys with equal
  ///   marks.
  package init(of key: String, seed: UInt64) {
    // Two strings are equal if their normal forms are equal.
    let hash = XXH64.check(NormalizedText.bytes(of: key).span.bytes, seed: seed)
    rawValue = (hash >> 43) << 15 | hash & 0x7FFF
  }

  /// Creates the mark with a raw value; nil if no mark has this value.
  package init?(rawValue: UInt64) {
    guard rawValue < 1 << 36 else { return nil }
    self.rawValue = rawValue
  }
}

/// The last transactions that were saved with a key, found by the marks of their keys.
///
/// Each transaction has a number, which is the count of the transactions added before it. A queue
/// contains the transactions in the order of these numbers. A dictionary contains the number of the
/// newest transaction of each mark.
package struct MarkedTransactions: Sendable {
  private struct Entry {
    let sequence: UInt64
    let mark: KeyMark
    /// The number of the next older transaction with the same mark; -1 if no older one was added.
    /// That transaction may have been removed.
    let older: Int
  }

  /// The entries. The entry with a number is stored at the index `number % countMax`.
  private var queue: [Entry] = []
  private var newest: [KeyMark: Int] = [:]
  /// The number that the next transaction will have.
  private var nextNumber = 0
  /// The maximum number of stored transactions.
  let countMax: Int
  /// The maximum number of stored transactions in a store.
  package static let usualCountMax = 100_000

  package init(countMax: Int = usualCountMax) {
    precondition(countMax > 0, "the number of remembered keys must be positive, not \(countMax)")
    self.countMax = countMax
  }

  /// The number of transactions.
  package var count: Int { queue.count }

  /// Returns the transactions with a mark, the newest first.
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

  /// Adds the newest transaction, and removes the oldest one if the queue is full.
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
  /// The seed of the marks.
  let seed: UInt64
  private(set) var bytes = RowBuffer()

  private static let entryByteCount = 16

  init(seed: UInt64) { self.seed = seed }

  /// Creates keys from bytes; nil if the bytes are invalid.
  ///
  /// - Parameter last: The greatest possible transaction number.
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

  /// The number of transactions.
  var count: Int { bytes.count / WrittenKeys.entryByteCount }

  mutating func append(_ sequence: UInt64, with mark: KeyMark) {
    bytes.append(sequence)
    bytes.append(mark.rawValue)
  }

  /// Calls a closure with each transaction and its mark, in order.
  ///
  /// - Returns: False if the bytes are invalid.
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
