import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore
import DaybookTesting
@_spi(Tools) import DaybookText
import TestSupport
import Testing

@testable import DaybookTool

/// An append without an answer, whose log drops or loses its history before the append is repeated.
@Suite struct `Answers that a log no longer has` {
  /// What the log does before the append is repeated.
  enum Event: CaseIterable {
    case nothing, drops, loses
  }

  private struct Item: Record {
    var id = 0
    var amount = 0
    static let schema = RecordSchema<Item>("Item").attribute("amount", at: \.amount)
  }

  /// Saves a new record as `insert` does, and returns the transaction or the error.
  private func inserted(_ item: Item, in store: Store) -> String {
    let journal = OpenJournal(store.path, replica: store)
    do throws(StoreError) {
      let saved = try journal.saving { () throws(StoreError) in
        let context = store.makeContext(isolation: nil)
        try context.insert(item, isolation: nil)
        return try context.saveAndWait()
      }
      return "transaction \(saved?.sequence ?? .zero)"
    } catch { return text(journal.error(error)) }
  }

  /// Saves a line as `append` does, and returns the transaction or the error.
  private func appended(_ path: String, to store: Store) throws -> String {
    let journal = OpenJournal(store.path, replica: store)
    let lines = try FileDescriptor.open(path)
    var append = TextAppend(
      to: store, reading: lines.number, path: "standard input", saving: journal.saving)
    do throws(TextJournalError) {
      return "transaction \(try append.next()?.saved.sequence ?? .zero)"
    } catch {
      return text(AppendVerb.refusal(error, after: AppendVerb.Written(), of: journal))
    }
  }

  private func text(_ error: ToolError) -> String { "\(error.status.rawValue) \(error.sentence)" }

  @Test(arguments: Event.allCases, [false, true])
  func `a save without an answer is repeated, unless the log no longer shows the answer`(
    event: Event, appends: Bool
  ) async throws {
    try await TemporaryDirectory.with { scratch in
      let memory = MemorySharedLog(name: "list")
      let other = try await Store(
        at: scratch.path("other.daybook"), sharing: memory.connect(), records: Item.self)
      try await other.write { try $0.insert(Item(id: 1)) }
      let path = scratch.path("list.daybook")
      let log = FaultySharedLog(
        over: memory.connect(), plan: .fault(.answerLost, call: 1, only: [.append]))
      let dropping = DroppingLog(over: log) {
        switch event {
        case .nothing: break
        case .drops:
          _ = try? await other.pull()
          _ = try? await other.compactSharedLog(keeping: .nothing)
        case .loses: memory.replaceGroups(Array(memory.groups.prefix(1)))
        }
      }
      let store = try await Store(at: path, sharing: dropping, records: Item.self)
      let line = try scratch.write(
        Array(#"{"changes":[{"op":"insert","entity":"Item","id":2,"set":{"amount":1}}]}"#.utf8),
        to: "line")
      let found = try await WorkerThreads.shared.value {
        Result { appends ? try appended(line, to: store) : inserted(Item(id: 2), in: store) }
      }.get()
      let reason: String? =
        switch event {
        case .nothing: nil
        case .drops: "The log has dropped the history that would show it. Read the records"
        case .loses:
          "The log has lost transactions, and a repair can append it again. Repair the replica, and "
            + "then read the records"
        }
      let expected =
        reason.map {
          "3 \(path): transaction 2 was sent, and may or may not be in the log. \($0) before you "
            + "repeat the command."
            + (appends ? " The command had sent line 1 of standard input." : "")
        } ?? "transaction 2"
      #expect(found == expected)
      try await store.close()
      try await other.close()
    }
  }
}

/// A log that calls a closure after each append that has got no answer.
private final class DroppingLog: SharedLog {
  private let log: any SharedLog
  private let afterUnknown: @Sendable () async -> Void

  init(over log: any SharedLog, afterUnknown: @escaping @Sendable () async -> Void) {
    (self.log, self.afterUnknown) = (log, afterUnknown)
  }

  var name: String { log.name }
  func head() async throws(SharedLogError) -> SharedHead? { try await log.head() }
  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    do throws(SharedLogError) { return try await log.append(group) } catch {
      if case .unknown = error.reason { await afterUnknown() }
      throw error
    }
  }
  func read(from first: SequenceNumber, byteCount: Int) async throws(SharedLogError) -> [FrameGroup]
  {
    try await log.read(from: first, byteCount: byteCount)
  }
  func changes() -> AsyncStream<Void> { log.changes() }
  func close() async { await log.close() }
}
