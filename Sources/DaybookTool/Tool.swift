import DaybookPlatform

/// The command-line tool `daybook COMMAND JOURNAL …`, which replays and inspects journals without
/// the program that wrote them.
@main
struct Tool {
  static let verbs: [Verb] = [
    ShowVerb.verb.paged,
    ReplayVerb.verb.paged,
    BrowseVerb.verb,
    ReportVerb.verb,
    DiffVerb.verb.paged,
    LogVerb.verb.paged,
    HistoryVerb.verb.paged,
    WhyVerb.verb.paged,
    BlameVerb.verb.paged,
    ChartVerb.verb,
    BisectVerb.verb.paged,
    AppendVerb.verb,
    RecordVerbs.insert,
    RecordVerbs.set,
    RecordVerbs.delete,
    ImportVerb.verb,
    ExportVerb.verb,
    WatchVerb.verb,
    TagVerb.verb,
    VerifyVerb.verb,
    PublishVerb.verb,
    CloneVerb.verb,
    SyncVerb.verb,
    StatusVerb.verb,
    RepairVerb.verb,
    CreateLogVerb.verb,
    RemoveLogVerb.verb,
    BackupVerb.verb,
    SalvageVerb.verb,
    CheckpointVerb.verb,
    CompactVerb.verb,
    EraseVerb.verb,
    StatsVerb.verb.paged,
    SchemaVerb.verb.paged,
    ServeVerb.verb,
    CompletionsVerb.verb,
    ManualVerb.verb,
    HelpVerb.verb,
  ]

  static func main() {
    // Without this call, a write to a closed pipe would end the process with a signal. With it, the
    // write throws an error, and the tool exits without a message.
    Signals.ignoreBrokenPipes()
    ShortenedJournal.expect()
    FileDescriptor.openClosedStandardDescriptors()
    let output = Output(FileDescriptor.standardOutput.number)
    let status: ExitStatus
    do {
      status = try run(
        CommandWords.current(), on: .current(.standardOutput), to: output, as: perform)
      try output.flush()
    } catch is Output.Closed {
      CurrentProcess.exit(ExitStatus.done.rawValue)
    } catch {
      // The output may contain results from before the error. They are printed first.
      try? output.flush()
      StandardError.write(error)
      CurrentProcess.exit(((error as? ToolError)?.status ?? .refused).rawValue)
    }
    CurrentProcess.exit(status.rawValue)
  }

  /// Runs the command whose name is the first argument.
  ///
  /// - Parameters:
  ///   - words: The arguments of the process, without the name of the tool.
  ///   - terminal: The properties of standard output.
  ///   - output: The standard output.
  ///   - perform: The function that runs a command. Tests use the default, which changes nothing in
  ///     the process.
  /// - Returns: The exit status of the process.
  static func run(
    _ words: [String], on terminal: Terminal, to output: Output,
    as perform: (Invocation) throws -> ExitStatus = { try $0.runVerb() }
  ) throws -> ExitStatus {
    guard let first = words.first else {
      StandardError.write(Help.contents(of: verbs))
      return .usage
    }
    if first == "--version" {
      try output.line("daybook \(Version.number)")
      return .done
    }
    if let words = LogCommands.resolved(words) {
      return try run(words, on: terminal, to: output, as: perform)
    }
    let name = ["--help", "-h"].contains(first) ? HelpVerb.verb.name : first
    let rest = Array(words.dropFirst())
    let verb = try Verb.named(name, among: verbs) { name in
      rest.isEmpty ? "daybook \(name) --help" : ShellText.command([name] + rest)
    }
    let flags = rest.prefix { $0 != "--" }
    if flags.contains("--help") || flags.contains("-h") {
      try output.lines(Terminal.own(Help.contents(of: verb), isPlain: terminal.isPlain))
      return .done
    }
    let invocation = try Invocation(verb, words: rest, among: verbs, on: terminal, to: output)
    try invocation.checkRequired()
    do { return try perform(invocation) } catch let error as ToolError {
      throw invocation.trouble.reported(with: error.advised(by: invocation))
    }
  }

  /// Runs a command with a pager, and handles the signals that end the process.
  private static func perform(_ invocation: Invocation) throws -> ExitStatus {
    let verb = invocation.verb
    var outcome = verb.interruption
    // Users end a film by Ctrl-C, so this is no interruption.
    if invocation.value("--delay") != nil || invocation.has("--step") { outcome = .silent }
    if invocation.has("--append") { outcome = .appended }
    if verb.name == CompactVerb.verb.name,
      (try? OpenJournal.sharedLogAddress(of: invocation["JOURNAL"])) != nil
    {
      outcome = invocation.has("--dry-run") ? .partlyRead : .perhapsDropped
    }
    if let pager = Pager(for: invocation) { invocation.output.show(with: pager) }
    return try Interruption.shared.handlingSignals(outcome) {
      let result = Result { try invocation.runVerb() }
      Interruption.shared.markEnd()
      // The results that were printed before an error are shown too.
      do { try invocation.output.finish() } catch  where (try? result.get()) != nil { throw error }
      return try result.get()
    }
  }
}
