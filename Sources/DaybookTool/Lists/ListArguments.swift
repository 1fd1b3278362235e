import Daybook
import DaybookEssentials
@_spi(Tools) import DaybookResults

/// A request for the records of an entity by its name.
typealias DynamicRequest = ListRequest<DynamicRecord>

/// Records that a request found.
typealias ListObjects = FetchedObjects<DynamicRecord>

/// The difference between two lists of records that a request found.
typealias RecordDifference = ListDifference<DynamicRecord>

/// The arguments and options of commands that print lists, and their conversion to a request.
enum ListArguments {
  static let arguments: [Verb.Argument] = [
    Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input"),
    Verb.Argument(name: "ENTITY", summary: "the entity to list"),
  ]

  static let flags: [Verb.Flag] = [
    Verb.Flag(
      name: "--where", value: "F", summary: "only rows that match the filter F"),
    Verb.Flag(
      name: "--sort", value: "KEY[:desc][:ci|:cdi|:natural|:words=W],…",
      summary: "sort keys; the default is the order of creation"),
    Verb.Flag(
      name: "--section-by",
      value: "KEY[:GROUPING][:zone=+02:00][:desc]",
      summary:
        "one section for each value of KEY, or for each group: GROUPING is letter, prefix=N, "
        + "day, week, month, year or range=W"),
    Verb.Flag(name: "--limit", value: "N", summary: "print at most N rows"),
    Verb.Flag(name: "--offset", value: "N", summary: "skip the first N rows"),
    TotalArguments.total,
  ]

  /// The option that selects the columns.
  static let columns = Verb.Flag(
    name: "--columns", value: "a,b.c",
    summary: "attributes to print; b.c is attribute c of the record that b refers to")

  /// Returns the request for the options of a command line.
  ///
  /// - Throws: ``ToolError`` with `usage` if the value of an option is invalid
  static func request(
    _ invocation: Invocation, entity: String
  ) throws(ToolError) -> DynamicRequest {
    var request = DynamicRequest(entity: entity)
    if let argument = invocation.value("--where") {
      do throws(FilterError) { request.filter = try Filter(argument) } catch {
        throw ToolError(error)
      }
    }
    if let argument = invocation.value("--sort") {
      for key in KeyText.parts(argument[...], at: ",") {
        request.sortKeys.append(try sortKey(String(key)))
      }
    }
    if let argument = invocation.value("--section-by") {
      request.sectioning = try sectioning(argument)
    }
    request.offset = try invocation.count("--offset") ?? 0
    request.limit = try invocation.count("--limit")
    if let argument = invocation.value("--total") {
      request.totals = try TotalArguments.measures(argument)
    }
    return request
  }

  static func sortKey(_ argument: String) throws(ToolError) -> SortKey {
    let parts = KeyText.parts(argument[...], at: ":")
    var key = SortKey(path: KeyText.names(parts[0]))
    for part in parts.dropFirst() {
      switch part {
      case "desc": key.isDescending = true
      case "ci": key.comparator = .caseInsensitive
      case "cdi": key.comparator = .caseAndDiacriticInsensitive
      case "natural": key.comparator = .natural
      case _ where part.hasPrefix("words="): key.words = String(part.dropFirst(6))
      default:
        throw ToolError(
          .usage,
          sentence: "unknown sort option '\(part)'; use desc, ci, cdi, natural or words=W.",
          correction: correction(of: part, among: ["desc", "ci", "cdi", "natural"]))
      }
    }
    return key
  }

  static func sectioning(_ argument: String) throws(ToolError) -> Sectioning {
    var parts = KeyText.parts(argument[...], at: ":")[...]
    guard let first = parts.popFirst() else { preconditionFailure("a split text has no parts") }
    var kind = SectionKind.value
    var period: ((_ utcOffset: Duration) -> SectionKind)?
    var minutes = 0
    var isDescending = false
    while let part = parts.popFirst() {
      let (name, value) = halves(part)
      switch (name, value) {
      case ("desc", nil): isDescending = true
      case ("letter", nil): (kind, period) = (.letter, nil)
      case ("prefix", let value?):
        guard let count = Int(value), count > 0 else {
          throw ToolError(
            .usage,
            sentence: "prefix in --section-by needs a number, 1 or more; found '\(value)'."
          )
        }
        (kind, period) = (.prefix(count), nil)
      case ("day", nil): period = SectionKind.day(utcOffset:)
      case ("week", nil): period = SectionKind.week(utcOffset:)
      case ("month", nil): period = SectionKind.month(utcOffset:)
      case ("year", nil): period = SectionKind.year(utcOffset:)
      case ("range", let value?): (kind, period) = (.range(width: try width(value)), nil)
      case ("zone", let value?):
        // The colon in +02:00 also separates the parts, so the next part contains the minutes.
        minutes = try zone(hours: value, minutes: parts.popFirst())
      default:
        throw ToolError(
          .usage,
          sentence:
            "unknown section option '\(part)'; use letter, prefix=N, day, week, month, year, range=W, "
            + "zone=+02:00 or desc.",
          correction: correction(
            of: name,
            among: [
              "letter", "prefix", "day", "week", "month", "year", "range", "zone", "desc",
            ]))
      }
    }
    if minutes != 0, period == nil {
      throw ToolError(
        .usage, sentence: "zone in --section-by needs day, week, month or year.")
    }
    return Sectioning(
      path: KeyText.names(first), each: period?(.seconds(60 * minutes)) ?? kind,
      isDescending: isDescending)
  }

  /// Returns the correction of a word to the most similar allowed word; nil if no allowed word is
  /// similar.
  private static func correction(of word: Substring, among words: [String]) -> Correction? {
    NearestName.nearest(to: String(word), among: words).map {
      Correction(subject: .key, written: String(word), meant: $0)
    }
  }

  private static func halves(_ part: Substring) -> (name: Substring, value: String?) {
    guard let sign = part.firstIndex(of: "=") else { return (part, nil) }
    return (part[..<sign], String(part[part.index(after: sign)...]))
  }

  private static func width(_ argument: String) throws(ToolError) -> RangeWidth {
    do throws(TextError) { return try RangeWidth(argument) } catch {
      throw ToolError(.usage, sentence: "range=\(argument) in --section-by: \(error.sentence)")
    }
  }

  private static func zone(hours: String, minutes: Substring?) throws(ToolError) -> Int {
    func number(_ digits: Substring) -> Int? {
      digits.utf8.count == 2 && digits.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } ? Int(digits) : nil
    }
    let sign = hours.first
    guard sign == "+" || sign == "-", let hour = number(hours.dropFirst()), hour < 24,
      let minutes, let minute = number(minutes), minute < 60
    else {
      let found = hours + (minutes.map { ":\($0)" } ?? "")
      throw ToolError(
        .usage,
        sentence: "zone in --section-by needs an offset from -23:59 to +23:59, for example +02:00; "
          + "found '\(found)'.")
    }
    return (sign == "-" ? -1 : 1) * (hour * 60 + minute)
  }

  /// Returns the paths of the columns to print: the columns that the user typed, or all attributes
  /// if the text is nil.
  static func columns(_ argument: String?, of entity: EntityDefinition) -> [[String]] {
    guard let argument else { return entity.attributes.map { [$0.name] } }
    var paths: [[String]] = []
    // The identifier is always the first column, so it is not added here. A column that is typed
    // twice is printed once.
    for part in KeyText.parts(argument[...], at: ",") {
      let path = KeyText.names(part)
      if path != ["id"], !paths.contains(path) { paths.append(path) }
    }
    return paths
  }
}
