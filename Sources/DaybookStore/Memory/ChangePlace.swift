/// Which change it was that wrote a row.
package struct ChangePlace: Hashable, Sendable {
  /// The transaction; 0 for one without a number.
  package var sequence: UInt64
  /// How far the row stands behind the beginning of its payload.
  package var payloadOffset: UInt32

  package init(sequence: UInt64, payloadOffset: UInt32) {
    self.sequence = sequence
    self.payloadOffset = payloadOffset
  }
}
