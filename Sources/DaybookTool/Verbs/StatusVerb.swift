@_spi(Tools) import DaybookJournal
@_spi(Tools) import DaybookStore

/// `daybook status`: compares a replica with its shared log.
enum StatusVerb {
  static let verb = Verb(
    name: "status", summary: "compare a replica with its shared log",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the replica; it is not changed"),
      Invocation.movedURL,
    ],
    flags: [
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text or json", choices: ["text", "json"])
    ],
    notes: """
      Prints the log, the last transaction of the replica with its author, and the
      number of transactions that only the log has. The exit status is 0 if the log
      continues the replica, 3 if it cannot be reached, and 1 if it has diverged: it
      does not contain what it had acknowledged.

      \(SharedLogs.notes)
      """,
    example: "daybook status banks.daybook",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    let log = try invocation.sharedLog()
    let head: ChainPoint
    let acknowledged: SharedHead?
    do throws(JournalError) {
      acknowledged = try JournalReader.acknowledgedEnd(at: name)
      head = try JournalReader(at: name, options: .tool(reading: name)).head
    } catch { throw ToolError(StoreError(.journal(error), path: name)) }
    let journal = try invocation.openJournal()
    let metadata = try journal.reading { () -> TransactionMetadata in
      guard head.sequence > journal.store.base else { return TransactionMetadata() }
      var transactions = try journal.store.transactions(from: head.sequence)
      return try transactions.next()?.metadata ?? TransactionMetadata()
    }
    let status = ReplicaStatus(of: head, acknowledged: acknowledged, address: log.address, log: log)
    if invocation.value("--format") == "json" {
      try writeJSON(status, of: head, metadata: metadata, for: invocation)
    } else {
      try writeLines(status, of: head, metadata: metadata, for: invocation)
    }
    _ = try invocation.end(with: journal)
    return journal.status == .done ? status.exitStatus : journal.status
  }

  private static func writeLines(
    _ status: ReplicaStatus, of head: ChainPoint, metadata: TransactionMetadata,
    for invocation: Invocation
  ) throws {
    var replica = "no transactions"
    if head.sequence > .zero {
      let parts = ["transaction \(head.sequence)", head.time.shownString, metadata.shownString]
      replica = parts.compactMap { $0 }.joined(separator: "  ")
    }
    var lines = [("log", status.address), ("replica", replica)]
    if let last = status.logLast {
      lines.append(("log's end", last == .zero ? "no transactions" : "transaction \(last)"))
    }
    if let time = status.earlierServerTime {
      lines.append(
        (
          "clock",
          "the server's clock shows \(time.shownString); until then, each new transaction has the "
            + "time of the last one"
        ))
    }
    switch status.relation {
    case .connected:
      let lag = status.lag ?? 0
      let count = Counted.phrase(Int(lag), one: "transaction", several: "transactions")
      lines.append(("lag", lag == 0 ? "none" : "\(count), which 'daybook sync' reads"))
      if let base = status.restartBase {
        lines.append(
          ("base", "transaction \(base), where 'daybook sync' restarts the replica"))
      }
      lines.append(("status", "connected"))
    case .unavailable(let why): lines.append(("status", "unavailable. \(why)"))
    case .diverged(let why):
      lines.append(("status", "diverged: \(why)"))
      lines.append(
        ("to repair", invocation.repairCommand(["--dry-run"])))
    }
    for (label, value) in lines {
      let padding = String(repeating: " ", count: 11 - label.count)
      try invocation.output.line(label + padding + value)
    }
  }

  private static func writeJSON(
    _ status: ReplicaStatus, of head: ChainPoint, metadata: TransactionMetadata,
    for invocation: Invocation
  ) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("log")
    writer.write(status.address)
    writer.key("tx")
    writer.write(head.sequence.rawValue)
    writer.key("author")
    if let author = metadata.author { writer.write(author) } else { writer.writeNull() }
    writer.key("logTx")
    if let last = status.logLast { writer.write(last.rawValue) } else { writer.writeNull() }
    writer.key("lag")
    if let lag = status.lag { writer.write(lag) } else { writer.writeNull() }
    let (word, why): (String, String?) =
      switch status.relation {
      case .connected: ("connected", nil)
      case .unavailable(let why): ("unavailable", why)
      case .diverged(let why): ("diverged", why)
      }
    writer.key("status")
    writer.write(word)
    writer.key("reason")
    if let why { writer.write(why) } else { writer.writeNull() }
    writer.endObject()
    try invocation.output.line(String(decoding: writer.bytes, as: UTF8.self))
  }
}
