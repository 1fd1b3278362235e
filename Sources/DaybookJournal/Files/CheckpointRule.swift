/// When a checkpoint is due: when the journal has grown by so much since the last one that to read that again
/// takes longer than people like, and no sooner than that the checkpoint costs less to write than what was
/// written meanwhile.
///
/// The last checkpoint's size stands for what the next one costs.
package struct CheckpointRule: Hashable, Sendable {
  /// By how many bytes a journal grows at least until one is due when the store is closed,
  package var closingByteCountMin = 256 << 10
  /// and as which part of the last checkpoint.
  package var closingDivisor = 8
  /// The same until one is due while others go on saving,
  package var openByteCountMin = 32 << 20
  /// and how many times the last checkpoint.
  package var openFactor = 2

  package init() {}

  /// How much is due when the store is closed, and how much before that.
  package func growth(after lastByteCount: Int) -> (closing: UInt64, open: UInt64) {
    (
      UInt64(max(closingByteCountMin, lastByteCount / closingDivisor)),
      UInt64(max(openByteCountMin, lastByteCount * openFactor))
    )
  }
}
