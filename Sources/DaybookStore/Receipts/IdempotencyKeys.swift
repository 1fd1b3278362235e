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
