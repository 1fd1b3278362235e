/// What happened to a row or a section.
///
/// Raw values are those of the class that this does the work of; 0 is none of them.
public enum FetchedResultsChangeType: Int, Hashable, Sendable {
  /// It came.
  case insert = 1
  /// It went.
  case delete = 2
  /// It has another place among the rows that stay, or another section. Its values may be others too.
  case move = 3
  /// It has other values, and its place.
  case update = 4
}
