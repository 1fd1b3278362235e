/// The part of an order that is shown: some rows, from a place on.
///
/// It is a range of ranks over the whole order, and stays that whatever comes and goes: rows that
/// are pushed over its edges leave, and others come in.
public struct ResultWindow: Hashable, Sendable {
  /// How many rows stand before the first one that is shown.
  public var offset: Int
  /// How many rows are shown at most; nil for all, 0 for none.
  public var limit: Int?

  /// A window over all rows, unless a limit or an offset is given.
  ///
  /// A negative number counts as 0.
  public init(offset: Int = 0, limit: Int? = nil) {
    self.offset = max(0, offset)
    self.limit = limit.map { max(0, $0) }
  }

  /// The ranks that are shown of so many.
  package func range(of count: Int) -> Range<Int> {
    let lower = min(offset, count)
    guard let limit, limit < count - lower else { return lower..<count }
    return lower..<lower + limit
  }
}
