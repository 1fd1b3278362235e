import DaybookJournal

/// The last 100,000 transactions that were saved with an idempotency key. A store uses them to find
/// out whether a save repeats an earlier one.
///
/// For a published transaction, only the *mark* of its key is stored here: a part of the key's
/// hash. If the marks are equal, the store reads the key itself from the journal and compares it.
/// For a transaction in flight, the whole key is stored, because it may not be in the journal yet.
///
/// The keys of a checkpoint are decoded at their first use, because most programs never use keys.
struct IdempotencyKeys: Sendable {
  /// The seed of the marks.
  private let seed: UInt64
  /// The published transactions with a key.
  private var saved = MarkedTransactions()
  /// The keys of a checkpoint, until they are decoded.
  private var unread: WrittenKeys?
  /// The keys in the metadata of the base; nil until one of them is requested.
  private var retained: [SequenceNumber: RetainedKey]?
  /// The transactions in flight with a key.
  private var inFlight: [String: SequenceNumber] = [:]

  init() { seed = .random(in: 0 ... .max) }

  init(_ written: WrittenKeys) {
    seed = written.seed
    unread = written
  }

  /// The number of transactions with a key.
  var count: Int { (unread?.count ?? saved.count) + inFlight.count }

  // MARK: Transactions in flight

  /// Returns the transaction in flight that has a key; nil if none has it.
  func transactionInFlight(with key: String) -> SequenceNumber? { inFlight[key] }

  /// Adds the key of a transaction in flight.
  mutating func start(_ sequence: SequenceNumber, with key: String) { inFlight[key] = sequence }

  /// Removes a key, because its transaction was rolled back.
  mutating func rollBack(_ key: String) { inFlight[key] = nil }

  /// Moves the key of a transaction in flight to the saved ones, because the transaction was
  /// published.
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

  /// Adds the transactions that a compaction dropped.
  ///
  /// - Parameters:
  ///   - keys: The keys, in the order of their transactions.
  ///   - base: The last dropped transaction. Nothing is added if a key belongs to a later one.
  mutating func record(_ keys: [RetainedKey], through base: SequenceNumber) {
    guard count == 0, let last = keys.last, last.sequence <= base else { return }
    for retained in keys { record(retained.sequence, with: retained.key) }
  }

  /// Returns the key of a dropped transaction; nil if the base does not contain it.
  ///
  /// - Parameter read: Returns the keys of the base. It is called once.
  mutating func retained(_ sequence: SequenceNumber, read: () -> [RetainedKey]) -> RetainedKey? {
    let known = retained ?? Dictionary(read().map { ($0.sequence, $0) }) { first, _ in first }
    retained = known
    return known[sequence]
  }

  /// Returns the transactions with a key, up to a transaction, the oldest first.
  mutating func transactions(through last: SequenceNumber) -> [SequenceNumber] {
    loadUnread()
    var found: [SequenceNumber] = []
    saved.forEach { sequence, _ in
      if sequence <= last.rawValue { found.append(SequenceNumber(sequence)) }
    }
    return found
  }

  /// Returns the transactions of the journal whose keys have the same mark as a key, the newest
  /// first. The caller must read their keys in the journal, because a different key can have the
  /// same mark.
  mutating func candidates(for key: String) -> [SequenceNumber] {
    loadUnread()
    return saved.transactions(with: KeyMark(of: key, seed: seed)).map { SequenceNumber($0) }
  }

  /// The saved transactions with their marks, encoded for a checkpoint.
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

/// The mark of an idempotency key: 36 bits of its hash.
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
    // Swift treats two strings with equal normal forms as equal, so the hash is that of the normal
    // form.
    let hash = XXH64.checksum(NormalizedText.bytes(of: key).span.bytes, seed: seed)
    rawValue = (hash >> 43) << 15 | hash & 0x7FFF
  }

  /// Creates the mark with a raw value; nil if no mark has this value.
  package init?(rawValue: UInt64) {
    guard rawValue < 1 << 36 else { return nil }
    self.rawValue = rawValue
  }
}

/// The last transactions that were saved with a key, in a form that finds them by the marks of
/// their keys.
///
/// Each transaction has a *number* here, which is not its sequence number: the count of the
/// transactions that were added before it. A circular queue contains the transactions in the order
/// of these numbers. A dictionary contains the number of the newest transaction of each mark. Each
/// entry of the queue contains the number of the next older transaction with the same mark, so that
/// these transactions form a linked list.
package struct MarkedTransactions: Sendable {
  /// A transaction in the queue.
  private struct Entry {
    let sequence: UInt64
    let mark: KeyMark
    /// The number of the next older transaction with the same mark; -1 if there was no older one
    /// when this entry was added. The queue may no longer contain that transaction.
    let older: Int
  }

  /// The entries. The entry with a number is stored at the index `number % countMax`.
  private var queue: [Entry] = []
  /// The number of the newest transaction of each mark.
  private var newest: [KeyMark: Int] = [:]
  /// The number that the next transaction will have.
  private var nextNumber = 0
  /// The maximum number of stored transactions.
  let countMax: Int

  package init(countMax: Int = RetainedKey.countMax) {
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

/// The encoded form of transactions that were saved with a key, the oldest first, in a checkpoint.
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
  /// - Parameter last: The last transaction of the checkpoint. A greater number makes the bytes
  ///   invalid.
  init?(_ bytes: [UInt8], seed: UInt64, through last: UInt64) {
    self.seed = seed
    self.bytes = RowBuffer(bytes)
    guard bytes.count % WrittenKeys.entryByteCount == 0,
      count <= RetainedKey.countMax
    else { return nil }
    var before: UInt64 = 0
    var isInOrder = true
    let isComplete = forEach { sequence, _ in
      if sequence <= before { isInOrder = false }
      before = sequence
    }
    guard isComplete, isInOrder, before <= last else { return nil }
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
