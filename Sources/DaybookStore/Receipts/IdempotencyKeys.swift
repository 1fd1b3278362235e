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
    saved.append(sequence.rawValue, KeyMark(of: key, seed: seed))
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
    saved.forEach { written.append($0, $1) }
    return written
  }

  private mutating func takeIn() {
    guard let unread else { return }
    self.unread = nil
    unread.forEach { saved.append($0, $1) }
  }
}

/// What is remembered of an idempotency key: 36 bits of its hash.
///
/// Keys that are equal have one mark; of others, two in 69 billion.
package struct KeyMark: Hashable, Sendable {
  /// From where on a table has it.
  package let home: UInt64
  /// What it is told by from others there.
  package let check: UInt32

  package static let homeBitCount = 21
  package static let checkBitCount = 15

  /// - Parameter seed: Whoever does not know it cannot choose keys of one mark.
  package init(of key: String, seed: UInt64) {
    // Texts are equal by their normal form.
    let hash = XXH64.check(NormalizedText.bytes(of: key).span.bytes, seed: seed)
    self.init(home: hash >> (64 - KeyMark.homeBitCount), check: UInt32(truncatingIfNeeded: hash))
  }

  /// - Returns: nil if it is no mark's.
  package init?(rawValue: UInt64) {
    guard rawValue >> (KeyMark.homeBitCount + KeyMark.checkBitCount) == 0 else { return nil }
    self.init(
      home: rawValue >> KeyMark.checkBitCount, check: UInt32(truncatingIfNeeded: rawValue))
  }

  package init(home: UInt64, check: UInt32) {
    self.home = home
    self.check = check & (1 << KeyMark.checkBitCount - 1)
  }

  package var rawValue: UInt64 { home << KeyMark.checkBitCount | UInt64(check) }
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

  mutating func append(_ sequence: UInt64, _ mark: KeyMark) {
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
