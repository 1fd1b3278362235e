import DaybookJournal

/// The receipts of the last transactions that were saved with a key.
///
/// Those of a checkpoint are taken in when somebody first asks: most programs never do.
struct IdempotencyKeys: Sendable {
  private var receipts: [String: SaveReceipt] = [:]
  private var keys: [String] = []
  private var origin = 0
  /// Receipts that are still written as they stand in a checkpoint.
  private var written: WrittenKeys?

  /// How many keys are remembered.
  static let countMax = 100_000

  init(_ written: WrittenKeys? = nil) { self.written = written }

  /// How many there are.
  var count: Int { written?.count ?? receipts.count }

  /// The receipt of a transaction that was saved with a key.
  mutating func receipt(forKey key: String) -> SaveReceipt? {
    takeIn()
    return receipts[key]
  }

  /// Remembers the receipt of a transaction that was saved with a key.
  mutating func note(_ receipt: SaveReceipt, forKey key: String) {
    takeIn()
    receipts[key] = SaveReceipt(
      sequence: receipt.sequence, time: receipt.time, safety: receipt.safety, isRepeated: true)
    keys.append(key)
    if keys.count - origin > IdempotencyKeys.countMax {
      receipts[keys[origin]] = nil
      origin += 1
    }
    if origin > IdempotencyKeys.countMax {
      keys.removeFirst(origin)
      origin = 0
    }
  }

  /// Forgets the keys of the transaction that was noted last.
  mutating func forget(_ sequence: SequenceNumber) {
    takeIn()
    while let key = keys.last, receipts[key]?.sequence == sequence {
      receipts[key] = nil
      keys.removeLast()
    }
  }

  /// What a checkpoint has to say of the transactions through one.
  func written(through last: SequenceNumber) -> WrittenKeys {
    if let written { return written }
    var result = WrittenKeys()
    for key in keys[origin...] {
      if let receipt = receipts[key], receipt.sequence <= last { result.append(key, receipt) }
    }
    return result
  }

  private mutating func takeIn() {
    guard let written else { return }
    self.written = nil
    written.forEach { key, receipt in note(receipt, forKey: key) }
  }
}
