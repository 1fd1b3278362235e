import DaybookJournal
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookTesting

@Suite("Conformance of stores that share a log") struct StoreConformanceTests {
  @Test func `eight stores over a log in memory keep their promises`() async throws {
    Audit.start()
    var options = ConformanceOptions(
      seed: 1, roundCount: FaultRow.count(20, full: 1000, least: 3))
    options.writerCount = 8
    try await checkStores(
      sharing: { MemorySharedLog() }, connecting: { $0.connect() }, restarting: { _ in },
      options: options)
  }

  @Test func `an error of a save that no fault explains is a problem`() async throws {
    let log = MemorySharedLog()
    let round = ConformanceRound(options: ConformanceOptions(seed: 1, roundCount: 1), number: 0)
    let machine = StoreMachine(
      number: 0, round: round, random: SplitMix64(seed: 1), connect: { log.connect() })
    let store = try await machine.openStore(sharing: log.connect())
    func found(_ marker: String, inserting id: Int) async throws -> String {
      let save = EntrySave(store: store, round: round, kind: 2, seed: 1, own: id, other: 9)
      do {
        switch try await save.outcome(marker: marker, recovers: true) {
        case .saved: return "saved"
        case .refused(let why): return why
        case .uncertain: return "uncertain"
        }
      } catch let problem as ConformanceProblem {
        #expect(problem.law == .reply)
        return problem.explanation
      }
    }
    #expect(try await found("a", inserting: 1) == "saved")
    // The record exists, which a rival can cause.
    #expect(try await found("b", inserting: 1).hasPrefix("shared.daybook: "))
    try await store.close()
    #expect(
      try await found("c", inserting: 2)
        == "The save c threw an error that neither a conflict nor an unavailable log explains: "
        + "shared.daybook: the journal is closed.")
  }
}
