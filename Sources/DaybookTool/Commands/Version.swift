/// The version of the tool.
enum Version {
  /// It is raised with each release, by the rules of semantic versions.
  static let number = "0.1.0"
  /// The date of the version, for the manual.
  static let date = "November 22, 2026"
}
