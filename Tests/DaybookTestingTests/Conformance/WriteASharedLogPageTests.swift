import TestSupport
import Testing

// The table begins.
import DaybookJournal
import DaybookTesting
import Synchronization

/// The table of one log, which all connections share.
final class GroupTable: Sendable {
  private let rows = Mutex<[FrameGroup]>([])

  var all: [FrameGroup] { rows.withLock { $0 } }

  /// Inserts a row, if its key is free and the table contains the row before it.
  func insert(_ group: FrameGroup) -> SharedAppendOutcome {
    rows.withLock { rows in
      if let row = rows.first(where: { $0.first == group.first }) {
        return row == group ? .appended(serverCount: 1) : .conflict
      }
      let end = rows.last?.end ?? SharedHead(next: 0, checksum: 0)
      guard group.first == end.next, group.previousChecksum == end.checksum else {
        return .missingPredecessor
      }
      rows.append(group)
      return .appended(serverCount: 1)
    }
  }
}
// The table ends.

// The connection begins.
final class TableLog: SharedLog {
  let name = "table"
  private let table: GroupTable
  private let isClosed = Mutex(false)

  init(_ table: GroupTable = GroupTable()) { self.table = table }

  func connect() -> TableLog { TableLog(table) }

  func head() async throws(SharedLogError) -> SharedHead? { try open().all.last?.end }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try open().insert(group)
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    var readByteCount = 0
    return try open().all.drop { $0.next <= first }.prefix { group in
      defer { readByteCount += group.bytes.count }
      return readByteCount == 0 || readByteCount < byteCount
    }
  }

  // A log without hints: its users call `read` from time to time.
  func changes() -> AsyncStream<Void> { AsyncStream { _ in } }

  func close() async { isClosed.withLock { $0 = true } }

  private func open() throws(SharedLogError) -> GroupTable {
    if isClosed.withLock({ $0 }) { throw SharedLogError(.closed, log: name) }
    return table
  }
}
// The connection ends.

@Suite struct `The page on shared logs` {
  // The check begins.
  @Test func `the table obeys the laws of a shared log`() async throws {
    try await checkConformance(of: { TableLog() }, connecting: { $0.connect() })
  }
  // The check ends.

  // The stores begin.
  @Test func `stores over the table keep their promises`() async throws {
    var options = ConformanceOptions(seed: 1, roundCount: 2)
    options.writerCount = 8
    try await checkStores(sharing: { TableLog() }, connecting: { $0.connect() }, options: options)
  }
  // The stores end.

  @Test func `the example of faults resolves an unknown append`() async throws {
    var random = SplitMix64(seed: 1)
    let header = GroupMaker(using: &random).header
    // The faults begin.
    let log = FaultySharedLog(
      over: TableLog(), plan: .fault(.answerLost, call: 1, only: [.append]))
    do {
      _ = try await log.append(header)
    } catch {
      // The group is in the log, but the caller cannot know this.
      #expect(error.reason == .unknown("the answer was lost"))
    }
    #expect(try await log.append(header) == .appended(serverCount: 1))
    #expect(try await log.read(from: 0, byteCount: 1) == [header])
    // The faults end.
    #expect(log.faultCount == 1)
  }

  @Test(arguments: [
    ("## The table", "table"), ("## The connection", "connection"), ("## The check", "check"),
    ("## Faults", "faults"), ("## Stores over the log", "stores"),
  ]) func `the page shows the code of these tests`(heading: String, part: String) throws {
    let page = try ProjectFiles.lines(
      "Sources/DaybookSimulation/DaybookSimulation.docc/WriteASharedLog.md")
    let source = try ProjectFiles.lines(
      "Tests/DaybookTestingTests/Conformance/WriteASharedLogPageTests.swift")
    let block = try DocumentationPage.block(
      "```swift", in: page, following: heading, from: "# Write a shared log")
    #expect(try block == DocumentationPage.part(part, of: source))
  }
}
