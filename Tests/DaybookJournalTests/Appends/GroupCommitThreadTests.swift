import DaybookCLibrary
import DaybookSimulation
import Synchronization
import TestSupport
import Testing

@testable import DaybookJournal

/// Tests of concurrent appends, and of the queue of pending appends.
@Suite("Group commit") struct GroupCommitThreadTests {
  let disk = SimulatedDisk()

  func open() throws -> FileJournal { try FileJournal(at: "j", options: .simulated(disk)) }

  /// The outcomes of the appends of one or more tasks.
  struct Received: Sendable {
    var appended: [[UInt8]] = []
    var unknown: [[UInt8]] = []
    var refusals: [JournalError.Reason] = []
  }

  /// Appends payloads from concurrent tasks. A task ends when the journal has stopped.
  func append(tasks: Int, each: Int, to journal: FileJournal) async -> Received {
    await withTaskGroup(of: Received.self) { group in
      for saver in 0..<tasks {
        group.addTask {
          var received = Received()
          for number in 0..<each {
            let payload = [UInt8(saver), UInt8(number)]
            do throws(JournalError) {
              switch try await journal.append(payload) {
              case .appended: received.appended.append(payload)
              case .unknown: received.unknown.append(payload)
              case .conflict: break
              }
            } catch {
              received.refusals.append(error.reason)
              if case .stopped = error.reason { return received }
            }
          }
          return received
        }
      }
      return await group.reduce(into: Received()) { all, received in
        all.appended += received.appended
        all.unknown += received.unknown
        all.refusals += received.refusals
      }
    }
  }

  func payloads(of journal: FileJournal) throws -> [[UInt8]] {
    var reader = try journal.transactions(from: 1)
    var payloads: [[UInt8]] = []
    while let transaction = try reader.next() { payloads.append(transaction.payload.copy()) }
    return payloads
  }

  @Test(arguments: [1, 2, 5, 9])
  func `each append gets one outcome if a sync fails, and recovery continues`(
    failing: Int
  ) async throws {
    let journal = try open()
    _ = try await journal.append([255, 255])
    disk.clearLog()
    disk.plan = .fail(call: failing, with: EIO, only: [.sync])
    let received = await append(tasks: 24, each: 10, to: journal)
    let cause = DiskError(.sync, path: "/disk/j", code: EIO)
    #expect(!received.unknown.isEmpty)
    #expect(received.refusals.allSatisfy { $0 == .stopped(cause) })
    // Each task ends with its first error, or has saved everything.
    #expect(received.appended.count + received.unknown.count <= 240)

    disk.plan = .none
    _ = try await journal.recover()
    let there = try payloads(of: journal)
    #expect(Set(there).count == there.count)
    #expect(Set(received.appended).isSubset(of: there))
    #expect(Set(there.dropFirst()).isSubset(of: received.appended + received.unknown))
    let after = await append(tasks: 24, each: 2, to: journal)
    #expect(after.appended.count == 48)
    #expect(journal.head.sequence.rawValue == UInt64(there.count + 48))
    try await journal.close()
  }

  @Test func `each append gets one outcome if the disk is full, and recovery continues`()
    async throws
  {
    let journal = try open()
    _ = try await journal.append([255, 255])
    disk.clearLog()
    disk.plan = .fail(call: 3, with: ENOSPC, only: [.write])
    let received = await append(tasks: 24, each: 10, to: journal)
    disk.plan = .none
    _ = try await journal.recover()
    let there = try payloads(of: journal)
    #expect(Set(received.appended).isSubset(of: there))
    #expect(Set(there.dropFirst()).isSubset(of: received.appended + received.unknown))
    #expect(!received.unknown.isEmpty || !received.refusals.isEmpty)
    let after = await append(tasks: 24, each: 2, to: journal)
    #expect(after.appended.count == 48)
    try await journal.close()
  }

  @Test func `a journal released during a group commit releases its lock`() async throws {
    do {
      let journal = try open()
      _ = await append(tasks: 16, each: 5, to: journal)
    }
    // The thread of the leader may hold the last reference to the journal.
    var again: FileJournal?
    while again == nil {
      do { again = try open() } catch let error as JournalError {
        guard case .locked = error.reason else { throw error }
        await Task.yield()
      }
    }
    #expect(again?.head.sequence == 80)
  }

  // MARK: The queue

  /// A commit queue and a model of its state: the pending appends and their expected outcomes.
  private struct History {
    var queue = CommitQueue(
      salt: 1, durability: .full,
      at: FramePosition(
        chain: FrameChain(
          part: .transactions, point: ChainPoint(sequence: .zero, time: .distantPast, checksum: 1)),
        endOffset: 4096),
      marked: .zero, index: FrameIndex())
    var generator: SplitMix64
    /// The group that is being written, and its appends.
    var taken: (group: CommitGroup, appends: [PendingAppend])?
    var forming: [PendingAppend] = []
    var failures: [String] = []

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func expect(_ isTrue: Bool, _ what: String) {
      if !isTrue { failures.append(what) }
    }

    mutating func step() {
      switch generator.next() % 8 {
      case 0...3: enqueue()
      case 4 where taken == nil && queue.refusal != nil: recover()
      case 4: _ = queue.enqueue(.sync)
      default: if taken == nil { take() } else { complete() }
      }
      expect(
        queue.durable.endOffset <= queue.written.endOffset
          && queue.written.endOffset <= queue.accepted.endOffset, "a position is ahead of the next")
      expect(queue.isLed == (taken != nil), "there is a leader, and nothing is written")
    }

    private mutating func enqueue() {
      let last = queue.accepted.sequence
      switch queue.enqueue([1, 2, 3], at: .distantPast, expecting: last) {
      case .accepted(let append):
        expect(append.sequence == last.next, "\(append.sequence) follows \(last)")
        expect(append.isTogether == !forming.isEmpty, "\(append.sequence) is in another group")
        forming.append(append)
      case .conflict: failures.append("a conflict with the accepted head")
      case .refused: expect(queue.phase != .open, "an open queue refuses an append")
      }
    }

    private mutating func take() {
      guard queue.lead() else { return expect(forming.isEmpty, "a pending group has no leader") }
      expect(!queue.lead(), "there are two leaders")
      taken = (queue.takeGroup(at: 0).group, forming)
      forming = []
    }

    private mutating func complete() {
      guard let (group, appends) = taken.take() else { return }
      let effect: CommitQueue.Effect
      switch generator.next() % 6 {
      case 0: effect = .refused(.diskFull)
      case 1: effect = .failed(DiskError(.sync, path: "j", code: EIO))
      default:
        queue.recordSync(group.end)
        effect = .synced(at: 1)
      }
      let before = appends.count { $0.group.known != nil }
      expect(before == 0, "an outcome is known before its group is completed")
      let completion = queue.complete(
        group, effect: effect,
        status: CommitQueue.WriterStatus(marked: .zero, wantsFill: false, unpublishedEndCount: 0))
      completion.announce()
      for append in appends {
        switch (append.group.known, effect) {
        case (.done(.durable), .synced):
          expect(append.sequence <= queue.durable.sequence, "\(append.sequence) is not durable")
        case (.refused(.diskFull), .refused), (.unknown, .failed): break
        case (let known, _): failures.append("\(append.sequence): \(known as Any), \(effect)")
        }
      }
      if case .synced = effect {
        expect(forming.allSatisfy { $0.group.known == nil }, "the next group has an outcome")
      } else {
        for append in forming {
          if case .refused = append.group.known { continue }
          failures.append("\(append.sequence) is not refused, and follows what is not there")
        }
        forming = []
        expect(queue.accepted == queue.durable, "what was refused is still accepted")
      }
      guard completion.isLedOn else { return }
      taken = (queue.takeGroup(at: 0).group, forming)
      forming = []
    }

    private mutating func recover() {
      expect(queue.startRecovery(), "a queue that has stopped cannot recover")
      queue.moveRecovery(to: queue.durable, index: FrameIndex())
      queue.endRecovery(isComplete: true, includedThrough: 0)
      expect(queue.phase == .open, "a recovered queue is not open")
    }
  }

  @Test func `a commit queue completes each append once and numbers it consecutively`() {
    for seed in 0..<UInt64(300) {
      var history = History(seed: seed)
      for _ in 0..<200 { history.step() }
      #expect(history.failures == [], "seed \(seed)")
    }
  }

  @Test func `an empty queue needs no leader, and the last group ends leadership`() {
    var queue = History(seed: 0).queue
    let leadsNothing = queue.lead()
    let outcome = queue.enqueue(.sync)
    let leads = (queue.lead(), queue.lead())
    #expect(!leadsNothing && leads == (true, false))
    let (group, syncs) = queue.takeGroup(at: 0)
    // Nothing was written since the last sync.
    #expect(!syncs)
    let completion = queue.complete(
      group, effect: .written(at: 0),
      status: CommitQueue.WriterStatus(marked: .zero, wantsFill: false, unpublishedEndCount: 0))
    #expect(!completion.isLedOn && !queue.isLed && outcome?.known == nil)
    completion.announce()
    #expect(outcome?.known != nil)
  }
}
