import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import Synchronization
import TestSupport
import Testing

@Suite("Following a journal") struct FollowingThreadTests {
  /// Returns one word per event of a follower: `3` for transaction 3, `reset 5 [7]` for a base.
  private func received(_ follower: any JournalFollower) throws -> [String] {
    var words: [String] = []
    while let event = try follower.next() {
      switch event {
      case .transaction(let transaction): words.append("\(transaction.sequence)")
      case .reset(let head, let base):
        words.append("reset \(head.sequence) \(base.map { $0.copy() })")
      }
    }
    return words
  }

  /// An open journal on a simulated disk, with transactions of one byte.
  private func journal(
    _ disk: SimulatedDisk, _ bytes: ClosedRange<UInt8>? = nil, durability: Durability = .full
  ) throws -> FileJournal {
    var options = JournalOptions.simulated(disk)
    options.durability = durability
    let journal = try FileJournal(at: "a", options: options)
    for byte in bytes.map(Array.init) ?? [] { try journal.mustAppend([byte]) }
    return journal
  }

  // MARK: Tailing

  @Test func `a follower in the same process reads each transaction once and in order`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("a")
      let journal = try FileJournal(at: path)
      let count = 3000
      let follower = try journal.follow(after: nil)
      let late = Mutex<(any JournalFollower)?>(nil)
      let reading = TestThread { try? FollowingTests.follow(follower, to: count) }
      for number in 0..<UInt32(count) {
        try journal.mustAppend(SeededPayload(submitter: 0, number: number).bytes(seed: 1))
        if number == 1000 { try late.withLock { $0 = try journal.follow(after: journal.head) } }
      }
      #expect(reading.value() == [])
      let rest = try late.withLock { try $0.map(received) }
      #expect(rest == (1002...count).map(String.init))
      try journal.closeAndWait()
    }
  }

  @Test func `a follower in another process reads each transaction once and in order`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("a")
      let journal = try FileJournal(at: path)
      let count = 2000
      let child = try TestProcess("follow", path, "\(count)")
      #expect(child.line() == "ready")
      let writing = TestThread {
        for number in 0..<UInt32(count) {
          let payload = SeededPayload(submitter: 0, number: number).bytes(seed: 1)
          guard (try? journal.mustAppend(payload)) != nil else { return false }
          // The committed end is derived: deleting it stops no follower.
          if number % 500 == 250 { unlink(directory.path("a-end")) }
        }
        return (try? journal.closeAndWait()) != nil
      }
      for number in 0..<UInt32(count) {
        let payload = SeededPayload(submitter: 0, number: number)
        let size = payload.bytes(seed: 1).count
        let line = child.line()
        guard line == "\(number + 1) \(payload.word) \(size)" else {
          Issue.record("\(line ?? "the end") where \(number + 1) should be")
          break
        }
      }
      child.closeInput()
      #expect(writing.value())
      #expect(child.wait() == 0)
    }
  }

  @Test func `a follower of a killed writer reads the transactions that recovery keeps`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("a")
      try FileJournal(at: path).closeAndWait()
      let follower = try FileFollower(at: path, on: SystemDisk(), reading: .copied)
      var words: [String] = []
      for seed in 0..<FaultRow.count(20, full: 200) {
        let child = try TestProcess("append", path, "none", "\(seed)", "2", "100000")
        for _ in 0..<20 { #expect(child.bytes(16) != nil) }
        words += try received(follower)
        child.end()
        words += try received(follower)
      }
      let journal = try FileJournal(at: path)
      #expect(words == (0..<words.count).map { "\($0 + 1)" })
      #expect(journal.head.sequence.rawValue == UInt64(words.count))
      try journal.closeAndWait()
    }
  }

  @Test func `a follower does not read transactions that are not durable`() throws {
    let disk = SimulatedDisk()
    let journal = try journal(disk, 1...3, durability: .batched(interval: .milliseconds(1000)))
    let follower = try FileFollower(at: "a", on: disk)
    // The third transaction was written after the second without a sync, so it proves nothing.
    #expect(try received(follower) == [])
    try journal.syncAndWait()
    #expect(try received(follower) == ["1", "2", "3"])
    try journal.mustAppend([4])
    #expect(try received(follower) == [])
    disk.killProcess()
    let after = try FileFollower(at: "a", on: disk)
    #expect(try received(after) == ["1", "2", "3", "4"])
  }

  @Test func `a follower without the committed end reads only proven transactions`() throws {
    let disk = SimulatedDisk()
    // A file that is no committed end is neither read nor written.
    disk.setContents([1, 2, 3], at: "a-end")
    let journal = try journal(disk, 1...3)
    let follower = try FileFollower(at: "a", on: disk)
    #expect(try received(follower) == ["1", "2"])
    try journal.mustAppend([4])
    #expect(try received(follower) == ["3"])
    try disk.remove("a-end")
    try journal.mustAppend([5])
    #expect(try received(follower) == ["4", "5"])
    try journal.closeAndWait()
    #expect(try received(follower) == [])
  }

  @Test func `a committed end beside an older copy of the journal is ignored`() throws {
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: "j", options: .simulated(disk))
    try journal.mustAppend([1])
    try journal.backup(to: "copy")
    try journal.mustAppend([2])
    try journal.closeAndWait()
    disk.setContents(try #require(disk.contents(of: "copy")), at: "j")

    let follower = try FileFollower(at: "j", on: disk)
    #expect(try follower.next()?.payload == [1])
    #expect(try follower.next() == nil)
    let again = try FileJournal(at: "j", options: .simulated(disk))
    try again.mustAppend([3])
    #expect(try follower.next()?.payload == [3])
  }

  @Test func `an unreadable transaction before the committed end is damage`() throws {
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: "j", options: .simulated(disk))
    let follower = try FileFollower(at: "j", on: disk)
    try journal.mustAppend([1])
    disk.corrupt("j", at: 16384 + 48, xor: 1)
    #expect(throws: JournalError.self) { try follower.next() }
    disk.corrupt("j", at: 16384 + 48, xor: 1)
    #expect(try follower.next()?.payload == [1])
  }

  @Test func `a follower reads a journal with one damaged header copy`() throws {
    for page in [0, 4096] {
      let disk = SimulatedDisk()
      let journal = try journal(disk)
      for offset in page..<page + 4096 where disk.contents(of: "a")?[offset] != 0 {
        disk.corrupt("a", at: offset, xor: disk.contents(of: "a")?[offset] ?? 0)
      }
      let follower = try FileFollower(at: "a", on: disk)
      #expect(try received(follower) == [])
      try journal.mustAppend([1])
      try journal.mustAppend([2])
      #expect(try received(follower) == ["1", "2"])
    }
  }

  // MARK: Waiting

  @Test func `waking a follower ends its next wait`() throws {
    try TemporaryDirectory.with { directory in
      let journal = try FileJournal(at: directory.path("a"))
      let follower = try journal.follow(after: nil)
      for _ in 0..<3 {
        follower.wake()
        follower.wait(milliseconds: 600_000)
      }
      let waiting = TestThread { follower.wait(milliseconds: 600_000) }
      follower.wake()
      waiting.value()
      try journal.closeAndWait()
    }
    let follower = try MemoryJournal().follow(after: nil)
    follower.wake()
    follower.wait(milliseconds: 600_000)
  }

  @Test func `a transaction appended before the first wait ends it`() throws {
    try TemporaryDirectory.with { directory in
      // Without background work, only the append can end the wait.
      var options = JournalOptions()
      options.worksInBackground = false
      let journal = try FileJournal(at: directory.path("a"), options: options)
      let follower = try journal.follow(after: nil)
      #expect(try follower.next() == nil)
      try journal.mustAppend([1])
      follower.wait(milliseconds: 600_000)
      #expect(try received(follower) == ["1"])
      try journal.mustAppend([2])
      follower.wait(milliseconds: 600_000)
      #expect(try received(follower) == ["2"])
      try journal.closeAndWait()
    }
    let journal = MemoryJournal()
    let follower = try journal.follow(after: nil)
    #expect(try follower.next() == nil)
    _ = try journal.appendAndWait([1])
    follower.wait(milliseconds: 600_000)
    #expect(try received(follower) == ["1"])
  }

  // MARK: A compacted journal

  @Test func `a follower continues after a compaction with the next transaction`() throws {
    for last in 1...5 as ClosedRange<UInt64> {
      let disk = SimulatedDisk()
      let first = try journal(disk, 1...5)
      let follower = try first.follow(after: nil)
      #expect(try received(follower) == ["1", "2", "3", "4", "5"])
      try first.compact(through: SequenceNumber(last), state: [[7]])
      #expect(try received(follower) == [])
      let second = try journal(disk, 6...8)
      #expect(try received(follower) == ["6", "7", "8"], "through \(last)")
      try second.compact(through: 8, state: [[8]])
      _ = try journal(disk, 9...9)
      #expect(try received(follower) == ["9"])
    }
  }

  @Test func `a follower reads the old file to its end before the new one`() throws {
    let disk = SimulatedDisk()
    let first = try journal(disk, 1...2)
    let follower = try first.follow(after: nil)
    #expect(try received(follower) == ["1", "2"])
    for byte in 3...5 as ClosedRange<UInt8> { try first.mustAppend([byte]) }
    try first.compact(through: 5, state: [[7]])
    _ = try journal(disk, 6...6)
    #expect(try received(follower) == ["3", "4", "5", "6"])
  }

  @Test func `a follower reads the old file to its end while its writer exists`() throws {
    let disk = SimulatedDisk()
    let journal = try journal(disk, 1...3)
    try journal.backup(to: "b")
    try FileJournal(at: "b", options: .simulated(disk, seed: 2)).compact(through: 3, state: [[9]])
    // Only the file itself proves the third transaction, which is the last.
    disk.setContents([1, 2, 3], at: "a-end")
    let follower = try FileFollower(at: "a", on: disk)
    #expect(try received(follower) == ["1", "2"])
    try disk.rename("b", to: "a")
    #expect(try received(follower) == ["3"])
    try withExtendedLifetime(journal) {
      try FileJournal(at: "a", options: .simulated(disk)).mustAppend([4])
      #expect(try received(follower) == ["4"])
    }
  }

  @Test func `a follower behind the base receives the base`() throws {
    let disk = SimulatedDisk()
    try journal(disk, 1...5).compact(through: 3, state: [[7, 7], [8]])
    let second = try journal(disk)
    let fresh = try second.follow(after: nil)
    #expect(try received(fresh) == ["reset 3 [[7, 7], [8]]", "4", "5"])

    // A follower that missed two compactions never sees the file between them.
    let away = try second.follow(after: nil)
    try second.compact(through: 4, state: [[9]])
    try journal(disk, 6...9).compact(through: 8, state: [[1], [2]])
    let third = try journal(disk, 10...10)
    #expect(
      try received(away) == ["reset 3 [[7, 7], [8]]", "4", "5", "reset 8 [[1], [2]]", "9", "10"])
    #expect(try received(fresh) == ["reset 8 [[1], [2]]", "9", "10"])
    #expect(try received(third.follow(after: third.head)) == [])
  }

  // MARK: Another history

  @Test func `an earlier version of the file is a different history`() throws {
    let disk = SimulatedDisk()
    let journal = try journal(disk, 1...3)
    let earlier = try #require(disk.contents(of: "a"))
    for byte in 4...6 as ClosedRange<UInt8> { try journal.mustAppend([byte]) }
    let follower = try FileFollower(at: "a", on: disk)
    let notYet = try FileFollower(at: "a", on: disk)
    #expect(try received(follower) == ["1", "2", "3", "4", "5", "6"])
    try journal.closeAndWait()
    disk.setContents(earlier, at: "a")
    try disk.remove("a-end")
    let lost = """
      a: byte 16768: the journal no longer continues what was read from it. The file was not \
      changed. Read it again from the start.
      """
    #expect(sentence { _ = try follower.next() } == lost)
    // The transactions that this follower has read are still in the journal.
    #expect(try received(notYet) == ["1", "2", "3"])

    // The journal stays a different history after it has grown past the position.
    let second = try self.journal(disk, 14...19)
    #expect(sentence { _ = try follower.next() } == lost)
    #expect(sentence { _ = try follower.next() } == lost)
    #expect(try received(notYet) == ["4", "5", "6", "7", "8", "9"])
    try second.closeAndWait()
  }

  @Test func `a journal that replaces the followed one is a different history`() throws {
    let disk = SimulatedDisk()
    let journal = try journal(disk, 1...2)
    for hasRead in [false, true] {
      let follower = try FileFollower(at: "a", on: disk)
      if hasRead { #expect(try received(follower) == ["1", "2"]) }
      var other = CraftedJournal(salt: 99)
      for byte in 1...9 as ClosedRange<UInt8> { other.append([byte]) }
      let before = try #require(disk.contents(of: "a"))
      // The other journal is written to the same file, and later renamed to the path.
      disk.setContents(other.bytes(), at: "a")
      let sentence = sentence { _ = try follower.next() }
      #expect(sentence.contains(": the journal no longer continues what was read from it."))
      disk.setContents(before, at: "a")
    }
    let follower = try FileFollower(at: "a", on: disk)
    #expect(try received(follower) == ["1", "2"])
    try journal.closeAndWait()
    disk.setContents(CraftedJournal(salt: 99).bytes(), at: "b")
    try disk.rename("b", to: "a")
    for _ in 0..<2 {
      #expect(
        sentence { _ = try follower.next() }.contains(
          ": the journal no longer continues what was read from it."))
    }
  }

  @Test func `a follower reads a removed file to its end`() throws {
    let disk = SimulatedDisk()
    let journal = try journal(disk, 1...2)
    let follower = try FileFollower(at: "a", on: disk)
    try disk.remove("a")
    #expect(try received(follower) == ["1", "2"])
    #expect(try received(follower) == [])
    try journal.closeAndWait()
  }

  @Test func `following after a transaction unknown to the journal is refused`() throws {
    let disk = SimulatedDisk()
    let journal = try journal(disk, 1...3)
    var head = journal.head
    #expect(try received(journal.follow(after: head)) == [])
    head.checksum ^= 1
    #expect(sentence { _ = try journal.follow(after: head) }.contains("no longer continues"))
    head = journal.head
    head.sequence = 4
    #expect(sentence { _ = try journal.follow(after: head) }.contains("no longer continues"))
  }

  @Test func `a follower of a journal in memory reads each transaction once`() throws {
    let journal = MemoryJournal()
    let count = 2000
    let follower = try journal.follow(after: nil)
    let reading = TestThread { try? FollowingTests.follow(follower, to: count) }
    for number in 0..<UInt32(count) {
      _ = try journal.appendAndWait(SeededPayload(submitter: 0, number: number).bytes(seed: 1))
    }
    #expect(reading.value() == [])
    #expect(try received(journal.follow(after: journal.head)) == [])
    var head = journal.head
    head.checksum ^= 1
    #expect(
      sentence { _ = try journal.follow(after: head) } == """
        journal in memory: the journal no longer continues what was read from it. The file was not \
        changed. Read it again from the start.
        """)
  }
}

/// The work of the threads of these tests.
private enum FollowingTests {
  /// Follows a journal up to a transaction, and returns the differences from the appended ones.
  static func follow(_ follower: any JournalFollower, to count: Int) throws -> [String] {
    var problems: [String] = []
    var seen: UInt32 = 0
    while seen < count {
      guard case .transaction(let transaction)? = try follower.next() else {
        follower.wait(milliseconds: 1000)
        continue
      }
      let payload = SeededPayload(submitter: 0, number: seen)
      seen += 1
      if transaction.sequence.rawValue != UInt64(seen)
        || transaction.payload.copy() != payload.bytes(seed: 1)
      {
        problems.append("\(transaction.sequence) where \(seen) should be")
      }
    }
    return problems
  }
}

extension FollowerEvent {
  /// The bytes of a transaction.
  fileprivate var payload: [UInt8]? {
    if case .transaction(let transaction) = self { transaction.payload.copy() } else { nil }
  }
}
