/// The version of Daybook.
enum Version {
  /// The version number, by the rules of semantic versioning.
  static let number = "0.3.0"
  /// The date of the version, for the manual page.
  static let date = "November 29, 2026"
  /// The commit of the last release. `.ci/run --soak` reports how the public API differs from it.
  static let releasedCommit = "1347e493a83dcd353963aebc689b01dffe22cfcd"
}
