import DaybookJournal
import Testing

@testable import DaybookTool

/// The comparison of a replica's last time with the clock of its log's server.
@Suite struct `The clock of a replica` {
  @Test(arguments: [(300, false), (301, true), (-301, false)])
  func `a time that is more than five minutes ahead of the server is shown`(
    seconds: Int64, isShown: Bool
  ) {
    let server = JournalTime(nanoseconds: 1_800_000_000_000_000_000)
    let time = JournalTime(nanoseconds: server.nanoseconds + seconds * 1_000_000_000)
    #expect(
      ReplicaStatus.serverTime(server, ifEarlierThan: time) == (isShown ? server : nil))
    #expect(ReplicaStatus.serverTime(nil, ifEarlierThan: time) == nil)
  }
}
