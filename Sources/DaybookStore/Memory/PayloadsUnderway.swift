/// Payloads that have a place in the file and may not have got there yet, in the order of their places.
///
/// They are kept in blocks, so that adding one where somebody has a copy copies the last block.
struct PayloadsUnderway: Sendable {
  struct Underway: Sendable {
    var location: RowLocation
    var sequence: UInt64
    var payload: [UInt8]
  }

  /// None is empty, and each but the first and the last is full.
  private var blocks: [[Underway]] = []
  private static let blockCount = 16

  init() {}

  /// Adds the payload of the next transaction.
  mutating func append(_ payload: [UInt8], _ sequence: UInt64, at location: RowLocation) {
    let underway = Underway(location: location, sequence: sequence, payload: payload)
    if let last = blocks.last, last.count < PayloadsUnderway.blockCount {
      blocks[blocks.count - 1].append(underway)
    } else {
      blocks.append([underway])
    }
  }

  /// Whether there are any of the transactions through one.
  func has(through sequence: UInt64) -> Bool {
    blocks.first?.first.map { $0.sequence <= sequence } ?? false
  }

  /// Forgets the transactions through one.
  mutating func remove(through sequence: UInt64) {
    blocks.removeFirst(blocks.prefix { $0.last.map { $0.sequence <= sequence } ?? true }.count)
    guard has(through: sequence) else { return }
    blocks[0].removeFirst(blocks[0].prefix { $0.sequence <= sequence }.count)
  }

  /// Forgets the transactions from one on.
  mutating func cut(from sequence: UInt64) {
    while let last = blocks.last?.last, last.sequence >= sequence {
      blocks[blocks.count - 1].removeLast()
      if blocks[blocks.count - 1].isEmpty { blocks.removeLast() }
    }
  }

  /// The last that begins at a location or before it.
  func payload(around location: RowLocation) -> Underway? {
    for block in blocks.reversed() {
      if let found = block.last(where: { $0.location.rawValue <= location.rawValue }) {
        return found
      }
    }
    return nil
  }
}
