/// A function that writes a count with its noun.
enum Counted {
  /// Returns a count with its noun, for example `1 row` or `2 rows`.
  static func phrase(_ count: Int, one: String, several: String) -> String {
    "\(count) \(count == 1 ? one : several)"
  }
}
