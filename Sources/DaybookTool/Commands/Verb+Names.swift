@_spi(Tools) import DaybookResults

extension Verb {
  /// The verb of a name.
  ///
  /// - Parameter command: The command with another name in its place.
  static func named(
    _ name: String, among verbs: [Verb], command: (String) -> String
  ) throws(ToolError) -> Verb {
    if let verb = verbs.first(where: { $0.name == name }) { return verb }
    guard !name.hasPrefix("-") else {
      let nearest = NearestName.nearest(to: name, among: ["--help", "--version"])
      throw ToolError(
        .misunderstood,
        sentence: "there is no flag '\(name)' before a verb"
          + (nearest.map { "; '\($0)' is the nearest." } ?? "; those of a verb stand behind it."),
        advice: "daybook \(nearest ?? "--help")")
    }
    let nearest = NearestName.nearest(to: name, among: verbs.map(\.name))
    throw ToolError(
      .misunderstood,
      sentence: "there is no verb '\(name)'\(nearest.map { "; '\($0)' is the nearest" } ?? "").",
      advice: nearest.map(command) ?? "daybook --help")
  }
}
