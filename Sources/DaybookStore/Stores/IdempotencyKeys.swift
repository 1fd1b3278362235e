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

/// Receipts by key, the oldest first, as bytes.
///
/// ```
///   each   sequence u64   time i64   the key's length, as a variable number   the key
/// ```
struct WrittenKeys: Sendable {
  private(set) var count = 0
  private(set) var bytes = RowBuffer()

  init() {}

  /// - Returns: nil if the bytes do not hold so many.
  init?(_ bytes: [UInt8], count: Int) {
    self.bytes = RowBuffer(bytes)
    self.count = count
    var found = 0
    let isWhole = forEach { _, _ in found += 1 }
    guard isWhole, found == count else { return nil }
  }

  mutating func append(_ key: String, _ receipt: SaveReceipt) {
    bytes.append(receipt.sequence.rawValue)
    bytes.append(receipt.time.nanoseconds)
    bytes.appendText(key)
    count += 1
  }

  /// Hands out all of them, in order.
  ///
  /// - Returns: Whether the bytes were understood to their end.
  @discardableResult
  func forEach(_ body: (String, SaveReceipt) -> Void) -> Bool {
    var reader = ByteCursor()
    let span = bytes.bytes.span.bytes
    while reader.offset < span.byteCount {
      guard let sequence = reader.number(span, as: UInt64.self),
        let time = reader.number(span, as: Int64.self), let key = reader.text(span)
      else { return false }
      body(
        key,
        SaveReceipt(
          sequence: SequenceNumber(sequence), time: JournalTime(nanoseconds: time),
          safety: .durable, isRepeated: true))
    }
    return true
  }
}
