import DaybookTesting
import TestSupport
import Testing

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
}
