import Daybook
import DaybookPlatform

/// `daybook watch`: prints a list, and then each difference that a different process makes by
/// writing to the journal.
enum WatchVerb {
  static let verb = Verb(
    name: "watch", summary: "print a list, then its changes as another process saves them",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal; another process may be writing it"),
      ListArguments.arguments[1],
    ],
    flags: ListArguments.flags + [
      Verb.Flag(
        name: "--from", value: "T",
        summary: "start with the list after this transaction, or at this time, and print what "
          + "changed since then"),
      ListArguments.columns,
      Verb.Flag(
        name: "--live", value: nil, summary: "redraw the list in place, on a terminal"),
      Verb.Flag(
        name: "--exec", value: "PROGRAM",
        summary: "a shell command to run for each difference"),
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "table, json or jsonl",
        choices: ["table", "json", "jsonl"]),
      ShownDifference.valuesFlag,
    ],
    notes: """
      Prints the list like 'daybook show', then a difference for each transaction that
      changes it, like 'daybook replay --as differences'. With json and jsonl, a
      difference is an object on a line. Press Ctrl-C to stop. It also stops when the
      reader of its output closes it.

      If the journal is compacted and transactions are missing as a result, the whole
      list is printed again. If the file does not exist yet, the command waits for it.

      The command reads what other machines save into a replica of a shared log. It
      has the replica open for writing, so a program that opens the replica meanwhile
      fails. If another process has the replica open, that process reads the log, and
      the command opens the replica when the process has ended.

      The command of --exec reads the difference from standard input, as an object in
      JSON. Its environment contains DAYBOOK_JOURNAL, DAYBOOK_ENTITY,
      DAYBOOK_TRANSACTION, DAYBOOK_TIME, DAYBOOK_AUTHOR and DAYBOOK_REASON. The last
      two are empty if the transaction has no author or reason, and have the sign
      U+2400 in place of a zero byte. A command that fails is reported, and the watch
      continues.
      Ctrl-C ends the command and the watch. The command cannot read from the
      terminal, because it runs in a separate process group.

      Filters are described in 'daybook show --help'.
      """,
    example: "daybook watch games.daybook Game --sort name",
    interruption: .silent,
    run: run)

  /// The longest time between two checks for new transactions, in milliseconds. The tool waits this
  /// long only if the system does not notify it of changes of the file.
  private static let pause = 500
  /// The time between two checks for a missing file, in seconds.
  private static let fileCheckInterval = 0.1

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let name = invocation["JOURNAL"]
    guard OpenJournal.importSource(name) == nil else {
      throw ToolError(
        .usage,
        sentence:
          "watch follows journal files; \(name == "-" ? "standard input" : name) is a text journal.",
        advice: ShellText.command(["show", name, invocation["ENTITY"]]))
    }
    let printer = try WatchPrinter(invocation, request: request)
    let hook = invocation.value("--exec").map { WatchHook($0, for: invocation) }
    if !SystemDisk().exists(name) {
      Signals.catchInterrupts()
      guard wait(forFile: name, output: invocation.output) else { return .done }
    }
    // Before the first line, Ctrl-C ends the process at once, also while it connects to the log.
    let replica = try WatchedReplica(name)
    defer { replica?.close() }
    Signals.catchInterrupts()
    do {
      let store = try Store(following: name, mode: .manual)
      let journal = OpenJournal(name, following: store)
      let start = try invocation.value("--from").map {
        try journal.knownSequence(at: $0, for: "--from")
      }
      let watch = try ListWatch(store, request: request, from: start)
      try printer.write(watch.objects, of: watch.snapshot)
      while !Signals.hasInterrupt {
        while !Signals.hasInterrupt, let event = try watch.next() {
          try printer.write(event, of: watch.snapshot)
          try hook?.run(for: event, printer: printer, in: watch.snapshot)
        }
        try invocation.output.flush()
        try replica?.report()
        if invocation.output.hasLostReader { break }
        if !Signals.hasInterrupt { store.waitForTransactions(timeout: .milliseconds(pause)) }
      }
    } catch let error as StoreError {
      throw ToolError(error)
    } catch let error as RequestError {
      throw ToolError(error)
    }
    return .done
  }

  /// Waits until a file exists.
  ///
  /// - Returns: False if the user ended the command, or the reader closed the output.
  private static func wait(forFile path: String, output: Output) -> Bool {
    let disk = SystemDisk()
    guard !disk.exists(path) else { return true }
    StandardError.write("\(path): there is no file of this name yet. The command waits for it.")
    while !disk.exists(path) {
      if Signals.hasInterrupt || output.hasLostReader { return false }
      SystemThread.sleep(seconds: fileCheckInterval)
    }
    return true
  }
}
