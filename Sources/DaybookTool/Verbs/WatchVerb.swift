import Daybook
import DaybookPlatform

/// `daybook watch`: a list as another process changes it.
enum WatchVerb {
  static let verb = Verb(
    name: "watch", summary: "print a list, and then each difference as another process saves it",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, which another process may be writing"),
      ListArguments.arguments[1],
    ],
    flags: ListArguments.flags + [
      ListArguments.columns,
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "table, json or jsonl",
        choices: ["table", "json", "jsonl"]),
    ],
    notes: """
      First the list is printed as show prints it, and then a difference for each
      transaction that changes it, as replay prints differences: with json and jsonl
      an object in a line. Ends when it is interrupted, or when nobody reads any
      more what it prints.

      When the journal is compacted beyond what was told, the list is printed anew.
      """,
    example: "daybook watch games.daybook Game --sort name",
    run: run)

  /// How long nobody looks, where nothing tells of changes.
  private static let pause = 500

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let name = invocation["JOURNAL"]
    guard OpenJournal.text(name) == nil else {
      throw ToolError(
        .misunderstood,
        sentence: "'watch' follows a journal that somebody writes, and \(name) is a text.",
        advice: ShellText.command(["show", name, invocation["ENTITY"]]))
    }
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
