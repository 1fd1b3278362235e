import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

@Suite("A journal in memory") struct MemoryJournalThreadTests {
  private func generator(_ seed: UInt64) -> @Sendable () -> UInt64 {
    let generator = SharedGenerator(seed: seed)
    return { generator.next() }
  }

  /// Performs one step of a script, and returns all visible results.
  private func perform(
    _ step: UInt64, _ number: Int, _ clock: TestClock, on journal: any Journal
  ) throws -> String {
    let payload = SeededPayload(submitter: 0, number: UInt32(number)).bytes(seed: step)
    let head = journal.acceptedHead
    switch step % 12 {
    case 0: return sentence { _ = try journal.appendAndWait([], at: nil, expecting: nil) }.suffix
    case 1:
      let other = SequenceNumber(head.sequence.rawValue + 1 + step % 3)
      return "\(try journal.appendAndWait(payload, at: nil, expecting: other))"
    case 2:
      return "\(try journal.appendAndWait(payload, at: nil, expecting: head.sequence))"
    case 3:
      let time = JournalTime(nanoseconds: clock.now.nanoseconds + Int64(step % 1000) - 500)
      return "\(try journal.appendAndWait(payload, at: time, expecting: nil))"
    case 4:
      let first = SequenceNumber(step % (head.sequence.rawValue + 3))
      var reader = try journal.transactions(from: first)
      var text = "\(first)"
      while let next = try reader.next() { text += " \(next.head) \(next.payload.copy().count)" }
      return text
    case 5:
      let follower = try journal.follow(after: head.sequence == 0 ? nil : head)
      return try follower.next() == nil ? "nothing follows" : "something follows"
    default: return "\(try journal.appendAndWait(payload, at: nil, expecting: nil))"
    }
  }

  @Test func `a journal in memory gives the results of one on disk`() throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 5_000)) {
      let clock = TestClock()
      let disk = SimulatedDisk()
      var options = JournalOptions.simulated(disk)
      options.clock = clock
      options.random = generator(seed)
      let file = try FileJournal(at: "a", options: options)
      let memory = MemoryJournal(clock: clock, random: generator(seed))
      #expect(memory.identity == file.identity && memory.head == file.head, "seed \(seed)")
      var script = SplitMix64(seed: seed)
      for number in 0..<60 {
        let step = script.next()
        clock.set(clock.now.nanoseconds + Int64(step >> 40 % 1000) - 300)
        let received = (
          try perform(step, number, clock, on: memory), try perform(step, number, clock, on: file)
        )
        #expect(received.0 == received.1, "seed \(seed), step \(number)")
        #expect(memory.head == file.head && memory.acceptedHead == file.acceptedHead)
      }
      try file.closeAndWait()
      memory.close()
      let closed = (
        sentence { _ = try memory.appendAndWait([1]) }.suffix,
        sentence { _ = try file.appendAndWait([1]) }.suffix
      )
      #expect(closed.0 == closed.1)

      let image = memory.image()
      disk.setContents(image, at: "b")
      let opened = try FileJournal(at: "b", options: .simulated(disk))
      #expect(opened.report.isUneventful, "seed \(seed): \(opened.report)")
      #expect(opened.identity == memory.identity && opened.head == memory.head, "seed \(seed)")
      #expect(try opened.payloads() == JournalReader(at: "a", on: disk).payloads())
      try opened.mustAppend([1])
      #expect(memory.image() == image)
    }
  }

  @Test func `a journal in memory can be read after closing and closed twice`() throws {
    let journal = MemoryJournal()
    _ = try journal.appendAndWait([1, 2])
    journal.close()
    journal.close()
    var reader = journal.transactions(from: 1)
    #expect(try reader.next()?.payload.copy() == [1, 2])
    #expect(try reader.next() == nil)
  }

  @Test func `a journal in memory accepts appends from concurrent tasks`() async throws {
    let journal = MemoryJournal()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 as Range<UInt8> {
        group.addTask { for _ in 0..<100 { _ = try await journal.append([task]) } }
      }
      try await group.waitForAll()
    }
    #expect(journal.head.sequence == 800)
    let disk = SimulatedDisk()
    disk.setContents(journal.image(), at: "a")
    #expect(try FileJournal(at: "a", options: .simulated(disk)).payloads().count == 800)
  }
}

extension String {
  /// The message of an error without its path.
  fileprivate var suffix: String {
    firstRange(of: ": ").map { String(self[$0.upperBound...]) } ?? self
  }
}
