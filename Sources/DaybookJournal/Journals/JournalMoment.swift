/// Which moment of which journal a state is, so that what was made of it can be told from what was made
/// of another.
package struct JournalMoment: Hashable, Sendable {
  /// Which journal it is, for ever.
  package var identity: JournalIdentity
  /// Which file of it.
  package var salt: UInt64
  /// The last transaction.
  package var sequence: SequenceNumber
  /// The check that ends its frame, which follows from every byte before it; for a moment before the first
  /// transaction, that of the header's page.
  package var check: UInt64

  package init(
    identity: JournalIdentity, salt: UInt64, sequence: SequenceNumber, check: UInt64
  ) {
    self.identity = identity
    self.salt = salt
    self.sequence = sequence
    self.check = check
  }
}
