/// Which tool this is: the one place that says so.
enum Version {
  /// It is raised with each release, by the rules of semantic versions.
  static let number = "0.1.0"
  /// When that was, for the manual.
  static let date = "November 22, 2026"
}
