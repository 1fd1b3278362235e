import DaybookJournal

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
