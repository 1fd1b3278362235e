/// The error of a change in the journal that names a wrong previous change, or that does not fit
/// the state.
package struct HistoryDefect: Error, Hashable {
  package var sequence: UInt64
  /// The offset of the change's row in the transaction's payload; 0 if the error concerns the whole
  /// transaction.
  package var offset: Int
}
