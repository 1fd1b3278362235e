import DaybookResults
import Glibc

/// `daybook VERB JOURNAL …`: replays and inspects journals, without the program that wrote them.
@main
struct Tool {
  static let verbs: [Verb] = [
    ShowVerb.verb,
    ReplayVerb.verb,
    DiffVerb.verb,
    LogVerb.verb,
    HistoryVerb.verb,
    WhyVerb.verb,
    ImportVerb.verb,
    ExportVerb.verb,
    WatchVerb.verb,
    VerifyVerb.verb,
    BackupVerb.verb,
    SalvageVerb.verb,
  ]

  static func main() {
    // A reader that has gone is told of by the write, and ends the tool quietly.
    signal(SIGPIPE, SIG_IGN)
    ShortenedJournal.expect()
    let output = Output(STDOUT_FILENO)
    let status: ExitStatus
    do {
      status = try run(
        Array(CommandLine.arguments.dropFirst()), .current(STDOUT_FILENO), output)
      try output.flush()
    } catch is Output.Closed {
      exit(ExitStatus.done.rawValue)
    } catch {
      // What was found out before the trouble is printed all the same.
      try? output.flush()
      Complaint.write("\(error)")
      exit(((error as? ToolError)?.status ?? .refused).rawValue)
    }
    exit(status.rawValue)
  }

  /// Does what the arguments say.
  static func run(
    _ words: [String], _ terminal: Terminal, _ output: Output
  ) throws -> ExitStatus {
    guard let name = words.first, !["--help", "-h", "help"].contains(name) else {
      try output.line(Help.text(of: verbs))
      return .done
    }
    guard let verb = verbs.first(where: { $0.name == name }) else {
      let nearest = NearestName.nearest(to: name, among: verbs.map(\.name))
      let kind = name.hasPrefix("-") ? "flag" : "verb"
      throw ToolError(
        .misunderstood,
        "there is no \(kind) '\(name)'\(nearest.map { "; '\($0)' is the nearest" } ?? "").",
        advice: "daybook \(nearest.map { "\($0) --help" } ?? "--help")")
    }
    let rest = Array(words.dropFirst())
    let flags = rest.prefix { $0 != "--" }
    if flags.contains("--help") || flags.contains("-h") {
      try output.line(Help.text(of: verb))
      return .done
    }
    return try verb.run(Invocation(verb, rest, terminal, output))
  }
}
