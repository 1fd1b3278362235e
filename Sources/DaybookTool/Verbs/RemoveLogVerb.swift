/// `daybook log remove`: removes a shared log from its database.
///
/// Its own name is `remove-log`, because the name of a command is one word.
enum RemoveLogVerb {
  static let verb = Verb(
    name: "remove-log", summary: "remove a shared log with all its transactions",
    arguments: [Verb.Argument(name: "URL", summary: "the URL of the log")],
    flags: Confirmation.flags,
    notes: """
      'daybook log remove URL' is the same command. The role of the URL needs the
      rights of a keeper. Replicas keep their transactions, and a repair of one of
      them would append these again. So stop the programs that share the log first,
      and remove the replicas.

      \(Confirmation.notes)
      Without a terminal, the command needs --yes.

      \(SharedLogs.notes)
      """,
    example: "daybook remove-log postgres://keeper@db.example.com/app/banks --yes",
    interruption: .perhapsDropped,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let url = invocation["URL"]
    let shown = try SharedLogs.withoutPassword(url, for: "remove-log")
    guard invocation.has("--yes") || Confirmation.needsPlan(invocation) else {
      throw ToolError(
        .usage,
        sentence: "remove-log removes all transactions, and it cannot ask without a terminal. Type "
          + "--yes to remove them. Nothing was changed.",
        advice: ShellText.command(["remove-log", "--dry-run"] + invocation.words))
    }
    if Confirmation.needsPlan(invocation) {
      let log = try SharedLogs.log(at: url, for: "remove-log")
      let last = try SharedLogs.last(in: log, at: shown)
      let plan = [
        "\(shown): remove-log removes the log with transactions up to \(last).",
        "Replicas keep them, and a repair of a replica would append them again.",
      ]
      guard try Confirmation.isGiven(for: plan, in: invocation) else { return .done }
    }
    let last = try SharedLogs.remove(url, for: "remove-log")
    try invocation.output.line("\(shown): removed the log with transactions up to \(last)")
    return .done
  }
}
