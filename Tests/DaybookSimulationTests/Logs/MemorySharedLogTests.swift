import DaybookJournal
import DaybookSimulation
import Testing

/// The rules of `SharedLog`, for the log in memory.
@Suite struct `Shared log in memory` {
  /// Returns a group of frames whose bytes are not interpreted by the log.
  private func group(
    _ first: UInt64, next: UInt64, after previousChecksum: UInt64, checksum: UInt64,
    byte: UInt8 = 0,
    nonce: UInt64 = 0
  ) -> FrameGroup {
    FrameGroup(
      first: SequenceNumber(first), next: SequenceNumber(next), previousChecksum: previousChecksum,
      checksum: checksum, bytes: [byte], nonce: nonce)
  }

  @Test func `one of two groups with the same first number is appended`() async throws {
    let log = MemorySharedLog(name: "banks")
    let other = log.connect()
    #expect(try await log.head() == nil)
    #expect(
      try await log.append(group(0, next: 1, after: 0, checksum: 7)) == .appended(serverCount: 1))
    #expect(
      try await other.append(group(1, next: 4, after: 7, checksum: 8)) == .appended(serverCount: 1))
    #expect(try await log.append(group(1, next: 2, after: 7, checksum: 9, byte: 1)) == .conflict)
    #expect(try await log.head() == SharedHead(next: 4, checksum: 8))
    #expect(log.groups == other.groups && log.groups.count == 2)
  }

  @Test func `appending a group again changes nothing`() async throws {
    let log = MemorySharedLog()
    let header = group(0, next: 1, after: 0, checksum: 7)
    for _ in 0..<3 { #expect(try await log.append(header) == .appended(serverCount: 1)) }
    #expect(log.groups == [header])
  }

  @Test func `of two machines with equal bytes, one gets a conflict`() async throws {
    let log = MemorySharedLog()
    _ = try await log.append(group(0, next: 1, after: 0, checksum: 7))
    let mine = group(1, next: 2, after: 7, checksum: 8, nonce: 1)
    let other = group(1, next: 2, after: 7, checksum: 8, nonce: 2)
    #expect(try await log.append(mine) == .appended(serverCount: 1))
    #expect(try await log.append(other) == .conflict)
    #expect(try await log.append(mine) == .appended(serverCount: 1))
    #expect(log.groups.last == mine)
  }

  @Test func `a group without its predecessor is not appended`() async throws {
    let log = MemorySharedLog()
    #expect(try await log.append(group(1, next: 2, after: 7, checksum: 8)) == .missingPredecessor)
    _ = try await log.append(group(0, next: 1, after: 0, checksum: 7))
    #expect(try await log.append(group(2, next: 3, after: 8, checksum: 9)) == .missingPredecessor)
    #expect(try await log.append(group(1, next: 2, after: 6, checksum: 9)) == .missingPredecessor)
    #expect(log.groups.count == 1)
  }

  @Test func `reading starts with the group that contains the number`() async throws {
    let log = MemorySharedLog()
    let groups = [
      group(0, next: 1, after: 0, checksum: 7), group(1, next: 4, after: 7, checksum: 8),
      group(4, next: 5, after: 8, checksum: 9),
    ]
    for group in groups { _ = try await log.append(group) }
    #expect(try await log.read(from: 0, byteCount: 100) == groups)
    #expect(try await log.read(from: 0, byteCount: 2) == Array(groups[..<2]))
    #expect(try await log.read(from: 3, byteCount: 0) == [groups[1]])
    #expect(try await log.read(from: 4, byteCount: 100) == [groups[2]])
    #expect(try await log.read(from: 5, byteCount: 100).isEmpty)
  }

  @Test func `each connection closes alone, and a hint follows an append`() async throws {
    let log = MemorySharedLog(name: "banks")
    let other = log.connect()
    let changes = other.changes()
    _ = try await log.append(group(0, next: 1, after: 0, checksum: 7))
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    await log.close()
    #expect(try await other.head() == SharedHead(next: 1, checksum: 7))
    do {
      _ = try await log.head()
      Issue.record("a closed log has returned a head")
    } catch {
      #expect("\(error)" == "The log banks is closed.")
    }
  }
}
