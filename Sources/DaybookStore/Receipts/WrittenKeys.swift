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
