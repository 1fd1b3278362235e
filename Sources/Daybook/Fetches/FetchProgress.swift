/// How far a fetch is.
public struct FetchProgress: Hashable, Sendable {
  /// How many rows have been looked at. All have been when the answer is there, and not before.
  public let seenCount: Int
  /// How many rows there are to look at: all of the type, whatever the request finds among them.
  public let rowCount: Int

  init(seenCount: Int, rowCount: Int) {
    self.seenCount = seenCount
    self.rowCount = rowCount
  }

  /// The part that has been looked at, from 0 to 1; 1 if there is nothing to look at.
  public var fraction: Double { rowCount == 0 ? 1 : Double(seenCount) / Double(rowCount) }
}

extension FetchProgress: CustomStringConvertible {
  /// `4096 of 10000`
  public var description: String { "\(seenCount) of \(rowCount)" }
}
