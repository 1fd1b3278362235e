import DaybookJournal
@_spi(Tools) import DaybookStore

extension CompactVerb {
  /// Removes history from the shared log of a replica.
  static func compactLog(
    keeping retention: HistoryRetention, for invocation: Invocation
  ) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    let log = try SharedLogs.log(at: try invocation.replicaAddress(), for: "compact")
    let store: Store
    do throws(StoreError) {
      store = try OpenJournal.store(at: name, sharing: log, options: .tool(reading: name))
    } catch { throw ToolError(error, sharing: name) }
    return try OpenJournal(name, replica: store).closing {
      if Confirmation.needsPlan(invocation) {
        let last = try store.lastDropped(keeping: retention)
        guard last > store.base else {
          try invocation.output.line("\(name): \(nothing)")
          return .done
        }
        let plan = [
          "\(name): compact removes the history of the log \(log.name) up to transaction \(last). If "
            + "\(last) is inside a group, it removes the groups before that one.",
          "Replicas that end before the kept history keep their old files, and restart from there.",
        ]
        guard try Confirmation.isGiven(for: plan, in: invocation) else { return .done }
      }
      let report: SharedCompactionReport
      do throws(StoreError) {
        report = try Waiting.value { () async throws(StoreError) in
          try await store.compactSharedLog(keeping: retention)
        }
      } catch { throw ToolError(error, sharing: name) }
      try invocation.output.line("\(name): \(sentence(report))")
      return .done
    }
  }

  private static let nothing = "the log has no history to remove; nothing was changed in it"

  private static func sentence(_ report: SharedCompactionReport) -> String {
    guard report.droppedTransactionCount > 0 else { return nothing }
    let dropped = Counted.phrase(
      report.droppedTransactionCount, one: "transaction", several: "transactions")
    return "removed \(dropped) from the log; its history starts after transaction \(report.base)"
  }
}
