import DaybookJournal
import DaybookStore
@_spi(Tools) import DaybookResults
@_spi(Tools) import DaybookText

/// A clock that returns the time of the option `--time`.
private struct FixedClock: JournalClock {
  let now: JournalTime

  var uptimeNanoseconds: Int64 { MachineClock().uptimeNanoseconds }

  init(_ argument: String) throws(ToolError) {
    do throws(TextError) { now = try JournalTime(argument) } catch {
      throw ToolError(
        .usage,
        sentence: "--time needs a time like 2015-10-27T12:10:26Z; found '\(argument)': "
          + error.sentence, advice: "daybook import --help")
    }
  }
}

/// The options of `daybook import` for tables.
struct TableArguments {
  static let flags = [
    Verb.Flag(
      name: "--entity", value: "E",
      summary: "the entity of the rows; the default is the name of the file"),
    Verb.Flag(
      name: "--id", value: "COLUMN",
      summary: "the column of the identifiers; the default is id, or the number of the row"),
    Verb.Flag(
      name: "--types", value: "A=TYPE,…",
      summary: "types of columns, as in a text journal; the default is inferred"),
    Verb.Flag(
      name: "--delimiter", value: "D",
      summary: "the delimiter of CSV: comma, semicolon or tab; the default is detected",
      choices: CSVDelimiter.allCases.map(\.rawValue)),
    Verb.Flag(
      name: "--append", value: nil,
      summary: "append the differences of a new version of the table as one transaction"),
    Verb.Flag(
      name: "--rename", value: "OLD=NEW,…",
      summary: "attributes whose columns have a new name in this version"),
    Verb.Flag(
      name: "--no-delete", value: nil, summary: "keep records without a row in this version"),
    Verb.Flag(
      name: "--yes", value: nil, summary: "delete also more than half of the records"),
    Verb.Flag(name: "--author", value: "A", summary: "the author of the transaction"),
    Verb.Flag(name: "--reason", value: "R", summary: "the reason for the transaction"),
    Verb.Flag(
      name: "--time", value: "TIME",
      summary: "the time of the transaction, for example of the version; the default is now"),
    Verb.Flag(
      name: "--dry-run", value: nil, summary: "write nothing, and print what would be written"),
  ]

  let entity: String
  /// The value of `--id`.
  let identifier: String?
  private(set) var types: [String: TableColumnType] = [:]
  private(set) var renames: [(old: String, new: String)] = []
  /// The clock for the time of the transaction.
  let clock: any JournalClock
  private let journal: String

  /// The sentences about a column whose values do not have the type of its attribute.
  static let typeRemedy =
    "The type of an attribute cannot change. Rename the column in the file, so that it becomes a "
    + "new attribute, or import the table into a new journal."

  init(_ invocation: Invocation, file: String) throws(ToolError) {
    journal = invocation["JOURNAL"]
    clock =
      try invocation.value("--time").map { (argument) throws(ToolError) in
        try FixedClock(argument)
      } ?? MachineClock()
    identifier = invocation.value("--id")
    if let entity = invocation.value("--entity") {
      self.entity = entity
    } else {
      entity = TableArguments.stem(of: file)
    }
    guard !entity.isEmpty else {
      throw ToolError(
        .usage, sentence: "import needs --entity for a table on standard input.",
        advice: "daybook import --help")
    }
    for (name, word) in try TableArguments.pairs("--types", in: invocation) {
      types[name] = try TableArguments.type(word, of: name)
    }
    renames = try TableArguments.pairs("--rename", in: invocation).map { ($0, $1) }
    if invocation.has("--append"), identifier == nil {
      throw ToolError(
        .usage, sentence: "import --append needs --id, the column of the identifiers.",
        advice: "daybook import --help")
    }
    for flag in ["--rename", "--no-delete", "--yes"] where !invocation.has("--append") {
      guard invocation.value(flag) == nil, !invocation.has(flag) else {
        throw ToolError(
          .usage, sentence: "\(flag) needs --append.", advice: "daybook import --help")
      }
    }
  }

  /// Returns the name of a file without its directory and its extensions; empty for standard input.
  private static func stem(of file: String) -> String {
    guard file != "-" else { return "" }
    var name = file.split(separator: "/").last ?? ""
    for ending in [".gz", ".csv", ".tsv", ".json"] where name.hasSuffix(ending) {
      name = name.dropLast(ending.count)
    }
    return String(name)
  }

  /// Returns the pairs of an option such as `--types A=TYPE,B=TYPE`.
  private static func pairs(
    _ flag: String, in invocation: Invocation
  ) throws(ToolError) -> [(String, String)] {
    var pairs: [(String, String)] = []
    for part in (invocation.value(flag) ?? "").split(separator: ",") {
      let words = part.split(separator: "=", maxSplits: 1)
      guard words.count == 2, !pairs.contains(where: { $0.0 == words[0] }) else {
        throw ToolError(
          .usage,
          sentence: "\(flag) needs each name once, with an equals sign; found '\(part)'.",
          advice: "daybook import --help")
      }
      pairs.append((String(words[0]), String(words[1])))
    }
    return pairs
  }

  private static func type(_ word: String, of name: String) throws(ToolError) -> TableColumnType {
    let isRequired = word.hasSuffix("!")
    let type = isRequired ? word.dropLast() : word[...]
    if let scalar = ScalarType(name: String(type)) {
      return TableColumnType(.scalar(scalar), isRequired: isRequired)
    }
    if type.hasPrefix("["), type.hasSuffix("]"),
      let scalar = ScalarType(name: String(type.dropFirst().dropLast()))
    {
      return TableColumnType(.array(scalar), isRequired: isRequired)
    }
    let known = ScalarType.allCases.map(\.name)
    throw ToolError(
      .usage,
      sentence:
        "the type of \(name) must be \(Invocation.list(known)), or one of them in brackets; "
        + "found '\(word)'.",
      advice: "daybook import --help")
  }

  // MARK: Checks

  /// Returns the column of the identifiers in a table; nil if rows are identified by their numbers.
  /// Throws an error if an option names a column that the table does not have.
  func identifier(in columns: [String], of file: String) throws(ToolError) -> String? {
    for (flag, names) in [
      ("--id", identifier.map { [$0] } ?? []), ("--types", types.keys.sorted()),
    ] {
      for name in names where !columns.contains(name) {
        let nearest = NearestName.nearest(to: name, among: columns)
        throw ToolError(
          .usage,
          sentence: "\(file) has no column '\(name)' of \(flag)"
            + (nearest.map { "; did you mean '\($0)'?" }
              ?? (columns.isEmpty ? "." : "; it has \(KnownNames.phrase(columns)).")))
      }
    }
    let column = identifier ?? (columns.contains("id") ? "id" : nil)
    if let column, column != "id", columns.contains("id") {
      throw ToolError(
        .usage,
        sentence: "the column id cannot be an attribute, because id is the name of the identifier. "
          + "Identify the rows by it, or rename the column in the file.")
    }
    if let column, let type = types[column], IdentifierKind(type: type.type) == nil {
      throw ToolError(
        .usage,
        sentence: "an identifier is an integer, a string or a UUID; found the type "
          + "\(type.type.name) of \(column).")
    }
    return column
  }

  /// Returns the entity of a journal, with the attributes of `--rename` renamed. Throws an error if
  /// the options contradict the entity.
  func known(
    _ known: EntityDefinition, columns: [String]
  ) throws(ToolError) -> EntityDefinition {
    if let identifier, known.index(of: identifier) != nil {
      throw ToolError(
        .usage,
        sentence: "\(identifier) is an attribute of \(known.name) in the journal, so it cannot "
          + "identify the rows. Import the first version with --id \(identifier).")
    }
    var entity = known
    for (old, new) in renames {
      let problem: String? =
        if entity.index(of: old) == nil {
          "\(entity.name) has no attribute '\(old)'."
        } else if entity.index(of: new) != nil {
          "\(entity.name) has an attribute '\(new)' already."
        } else if !columns.contains(new) || new == identifier {
          "the table has no attribute in a column '\(new)'."
        } else if entity.attributes.first(where: { $0.name == old })?.type.target != nil {
          "\(entity.name).\(old) is a reference, which cannot be renamed."
        } else {
          nil
        }
      if let problem { throw ToolError(.usage, sentence: "--rename: \(problem)") }
      entity = entity.renaming(old, to: new)
    }
    for (name, type) in types where name != identifier {
      guard let attribute = entity.attributes.first(where: { $0.name == name }),
        attribute.type != type.type
      else { continue }
      throw ToolError(
        .usage,
        sentence: "the type of \(entity.name).\(name) is \(attribute.type.name) in the journal; "
          + "found \(type.type.name) in --types. \(TableArguments.typeRemedy)",
        advice: ShellText.command(["schema", journal]))
    }
    return entity
  }
}
