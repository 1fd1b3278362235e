/// When an append returns, and so what it can promise.
public enum Durability: Hashable, Sendable {
  /// Once the transaction is on disk. It survives a power loss.
  case full
  /// Once it is written. It survives the end of the process; it is synced in the background at the
  /// latest after the interval, a second, or 16 MiB, whichever comes first.
  case batched(milliseconds: Int)
  /// As ``batched(milliseconds:)``, with a second.
  case none

  /// The longest that a transaction may stay unsynced.
  package static let intervalMaxNanoseconds: Int64 = 1_000_000_000
  /// The most bytes that may stay unsynced.
  package static let unsyncedByteCountMax: UInt64 = 16 << 20

  package var syncsEachGroup: Bool { self == .full }

  package var intervalNanoseconds: Int64 {
    switch self {
    case .full: 0
    case .batched(let milliseconds):
      min(Int64(max(0, milliseconds)) * 1_000_000, Durability.intervalMaxNanoseconds)
    case .none: Durability.intervalMaxNanoseconds
    }
  }
}
