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
      ListArguments.columns,
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
      list is printed again.

      Filters are described in 'daybook show --help'.
      """,
    example: "daybook watch games.daybook Game --sort name",
    run: run)

  /// The longest time between two checks for new transactions, in milliseconds. The tool waits this
  /// long only if the system does not notify it of changes of the file.
  private static let pause = 500

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let name = invocation["JOURNAL"]
    guard OpenJournal.text(name) == nil else {
      throw ToolError(
        .misunderstood,
        sentence:
          "watch follows journal files; \(name == "-" ? "standard input" : name) is a text journal.",
        advice: ShellText.command(["show", name, invocation["ENTITY"]]))
    }
    _ = try invocation.includesValues(for: ["json", "jsonl"])
    Signals.catchInterrupts()
    do {
      let store = try Store(following: name, catchingUp: .whenCalled)
      let watch = try ListWatch(store, request: request)
      let printer = WatchPrinter(invocation, request: request)
      try printer.write(watch.objects, of: watch.snapshot)
      while !Signals.hasInterrupt {
        while !Signals.hasInterrupt, let event = try watch.next() {
          try printer.write(event, of: watch.snapshot)
        }
        try invocation.output.flush()
        if invocation.output.hasLostReader { break }
        if !Signals.hasInterrupt { store.waitForMore(milliseconds: pause) }
      }
    } catch let error as StoreError {
      throw ToolError(error)
    } catch let error as RequestError {
      throw ToolError(error)
    }
    return .done
  }
}
