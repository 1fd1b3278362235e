@_spi(Tools) import DaybookJournal
import DaybookPlatform
import DaybookStore

/// `daybook sync`: reads what other machines have saved into a replica.
enum SyncVerb {
  static let verb = Verb(
    name: "sync", summary: "read what other machines have saved into a replica",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the replica of a shared log"),
      Verb.Argument(
        name: "URL", summary: "the URL of the log, if it has moved; it is kept", isOptional: true),
    ],
    flags: [
      Verb.Flag(
        name: "--follow", value: nil,
        summary: "continue to read until Ctrl-C, so that other commands show each change")
    ],
    notes: """
      With --follow, the command has the replica open for writing until it ends, so a
      program that opens the replica meanwhile fails. Start the program first, which
      then reads the log itself. If the log has lost transactions of the replica, the
      command ends with the exit status 1.

      \(SharedLogs.notes)
      """,
    example: "daybook sync banks.daybook",
    interruption: .partlyRead,
    run: run)

  /// The time between two looks at the state of the store, in seconds.
  private static let pause = 0.1

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    let log = ProgressLog(try invocation.sharedLog())
    let before: SequenceNumber
    do throws(JournalError) {
      before = try JournalReader(at: name, options: .tool(reading: name)).head.sequence
    } catch { throw ToolError(StoreError(.journal(error), path: name)) }
    let store: Store
    var options = JournalOptions.tool(reading: name)
    options.receivesHints = invocation.has("--follow")
    do throws(StoreError) {
      store = try OpenJournal.store(at: name, sharing: log, options: options)
    } catch { throw invocation.sharingError(error) }
    let journal = OpenJournal(name, replica: store)
    return try journal.closing {
      if invocation.has("--follow") {
        try follow(store, from: before, for: invocation)
        return .done
      }
      do throws(StoreError) { try store.pullAndWait() } catch {
        throw invocation.sharingError(error)
      }
      if let url = invocation.value(of: "URL") {
        try SharedLogs.warnAboutPassword(in: url, for: "sync")
      }
      try invocation.output.line(
        "\(name): \(phrase(from: max(before, store.base), to: store.snapshot.sequence))")
      return try invocation.end(with: journal)
    }
  }

  /// Prints what is read until the user ends the command.
  private static func follow(
    _ store: Store, from first: SequenceNumber, for invocation: Invocation
  ) throws {
    Signals.catchInterrupts()
    let name = invocation["JOURNAL"]
    var last = first
    var status: SharingStatus?
    while !Signals.hasInterrupt, !invocation.output.hasLostReader {
      if case .diverged? = store.sharingStatus {
        do throws(StoreError) { try store.pullAndWait() } catch {
          throw invocation.sharingError(error)
        }
      }
      if let now = store.sharingStatus, now != status {
        if status != nil || now != .connected { StandardError.write("\(name): \(now)") }
        status = now
      }
      let head = store.snapshot.sequence
      if head > last {
        try invocation.output.line("\(name): \(phrase(from: last, to: head))")
        try invocation.output.flush()
        last = head
      }
      SystemThread.sleep(seconds: pause)
    }
  }

  private static func phrase(from before: SequenceNumber, to last: SequenceNumber) -> String {
    if last <= before {
      return last == .zero ? "the log has no transactions" : "nothing new after transaction \(last)"
    }
    let first = before.next
    return first == last
      ? "transaction \(first) is new" : "transactions \(first) to \(last) are new"
  }
}

extension Invocation {
  /// The argument for the URL of a log that has moved.
  static let movedURL = Verb.Argument(
    name: "URL", summary: "the URL of the log, if it has moved", isOptional: true)

  /// Returns the log of the replica JOURNAL: that of URL, or that whose address the replica keeps.
  func sharedLog() throws -> any SharedLog {
    let address = try replicaAddress()
    return try SharedLogs.log(at: value(of: "URL") ?? address, for: verb.name)
  }

  /// Returns the command that repairs JOURNAL with the log of this command.
  func repairCommand(_ flags: [String]) -> String {
    let url = value(of: "URL").flatMap { try? SharedLogs.withoutPassword($0, for: verb.name) }
    return ShellText.command(["repair", self["JOURNAL"]] + (url.map { [$0] } ?? []) + flags)
  }

  /// Returns the error of the store that shares the log of this command.
  func sharingError(_ error: StoreError) -> ToolError {
    let name = self["JOURNAL"]
    var result = ToolError(error, sharing: name)
    guard case .journal(let cause) = error.reason else { return result }
    switch cause.reason {
    case .diverged: result.advice = repairCommand(["--dry-run"])
    case .locked(let holder) where verb.name == "sync":
      result.sentence =
        "\(name): \(holder.map { "\($0)" } ?? "another process") has the replica open, and reads "
        + "the log. The command has nothing to do."
    default: break
    }
    return result
  }

  /// Returns the address of the log whose replica JOURNAL is.
  ///
  /// - Throws: ``ToolError`` with `usage` if it is no replica
  func replicaAddress() throws -> String {
    try refuseJSONLines()
    let name = self["JOURNAL"]
    if let address = try OpenJournal.sharedLogAddress(of: name) { return address }
    // A file that is missing, or no journal, has an error of its own.
    _ = try OpenJournal(name, usesCheckpoint: true)
    throw ToolError(
      .usage,
      sentence: "\(name): the journal is not a replica of a shared log. Publish it first.",
      advice: ShellText.command(["publish", name, "postgres://HOST/DATABASE/LOG"]))
  }
}
