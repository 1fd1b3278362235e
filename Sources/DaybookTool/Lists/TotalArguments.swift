import Daybook
@_spi(Tools) import DaybookResults

/// The options of commands that print totals, and their conversion to measures.
enum TotalArguments {
  static let total = Verb.Flag(
    name: "--total", value: "count|sum:KEY|avg:KEY|min:KEY|max:KEY,…",
    summary: "print these totals of the list and of each section")

  /// The options for groups.
  static let groups = [
    Verb.Flag(
      name: "--group-by", value: "KEY",
      summary: "print the totals for each value of KEY instead of the rows"),
    Verb.Flag(
      name: "--having", value: "F",
      summary: "only groups that match F, a filter over key, @count, @sum.KEY and so on"),
  ]

  /// Returns the measures of `--total`.
  static func measures(_ argument: String) throws(ToolError) -> [Measure<DynamicRecord>] {
    var measures: [Measure<DynamicRecord>] = []
    for part in KeyText.parts(argument[...], at: ",") {
      let halves = KeyText.parts(part, at: ":")
      let names = halves.count > 1 ? KeyText.names(halves[1]) : []
      guard halves.count <= 2, let measure = Measure<DynamicRecord>(String(halves[0]), of: names)
      else {
        throw ToolError(
          .usage,
          sentence: "unknown total '\(part)'; use count, sum:KEY, avg:KEY, min:KEY or max:KEY.")
      }
      if !measures.contains(measure) { measures.append(measure) }
    }
    return measures
  }
}
