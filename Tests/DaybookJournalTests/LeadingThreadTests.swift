import DaybookTesting
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DaybookJournal

/// How the lead goes from one to the next when there are many.
@Suite("Leading many") struct LeadingThreadTests {
  let disk = SimulatedDisk()

  func open(leadsOn: Bool = true) throws -> FileJournal {
    var options = JournalOptions.simulated(disk)
    options.leadsOn = leadsOn
    return try FileJournal(at: "j", options)
  }

  /// What one of many savers was told.
  struct Told: Sendable {
    var appended: [[UInt8]] = []
    var unknown: [[UInt8]] = []
    var refusals: [JournalError.Reason] = []
  }

  /// So many tasks append so often each; whoever hears that the journal has stopped ends.
  func append(tasks: Int, each: Int, to journal: FileJournal) async -> Told {
    await withTaskGroup(of: Told.self) { group in
      for saver in 0..<tasks {
        group.addTask {
          var told = Told()
          for number in 0..<each {
            let payload = [UInt8(saver), UInt8(number)]
            do throws(JournalError) {
              switch try await journal.append(payload) {
              case .appended: told.appended.append(payload)
              case .unknown: told.unknown.append(payload)
              case .conflict: break
              }
            } catch {
              told.refusals.append(error.reason)
              if case .stopped = error.reason { return told }
            }
          }
          return told
        }
      }
      return await group.reduce(into: Told()) { all, told in
        all.appended += told.appended
        all.unknown += told.unknown
        all.refusals += told.refusals
      }
    }
  }

  func payloads(of journal: FileJournal) throws -> [[UInt8]] {
    var reader = try journal.transactions(from: 1)
    var payloads: [[UInt8]] = []
    while let transaction = try reader.next() { payloads.append(transaction.payload.copy()) }
    return payloads
  }

  @Test(arguments: [true, false], [1, 2, 5, 9])
  func `when a sync fails each is told once, and goes on after recovery`(
    leadsOn: Bool, failing: Int
  ) async throws {
    let journal = try open(leadsOn: leadsOn)
    _ = try await journal.append([255, 255])
    disk.forgetCalls()
    disk.plan = .fail(call: failing, with: EIO, only: [.sync])
    let told = await append(tasks: 24, each: 10, to: journal)
    let cause = DiskError(.sync, path: "/disk/j", code: EIO)
    #expect(!told.unknown.isEmpty)
    #expect(told.refusals.allSatisfy { $0 == .stopped(cause) })
    // Each of them ends with the first bad news, or has saved all.
    #expect(told.appended.count + told.unknown.count <= 240)

    disk.plan = .none
    _ = try journal.recover()
    let there = try payloads(of: journal)
    #expect(Set(there).count == there.count)
    #expect(Set(told.appended).isSubset(of: there))
    #expect(Set(there.dropFirst()).isSubset(of: told.appended + told.unknown))
    let after = await append(tasks: 24, each: 2, to: journal)
    #expect(after.appended.count == 48)
    #expect(journal.head.sequence.rawValue == UInt64(there.count + 48))
    try await journal.close()
  }

  @Test(arguments: [true, false])
  func `when the disk is full each is told once, and the journal goes on`(
    leadsOn: Bool
  ) async throws {
    let journal = try open(leadsOn: leadsOn)
    _ = try await journal.append([255, 255])
    disk.forgetCalls()
    disk.plan = .fail(call: 3, with: ENOSPC, only: [.write])
    let told = await append(tasks: 24, each: 10, to: journal)
    disk.plan = .none
    _ = try journal.recover()
    let there = try payloads(of: journal)
    #expect(Set(told.appended).isSubset(of: there))
    #expect(Set(there.dropFirst()).isSubset(of: told.appended + told.unknown))
    #expect(!told.unknown.isEmpty || !told.refusals.isEmpty)
    let after = await append(tasks: 24, each: 2, to: journal)
    #expect(after.appended.count == 48)
    try await journal.close()
  }

  @Test func `a journal that is given up while it is led lets go of the lock`() async throws {
    do {
      let journal = try open()
      _ = await append(tasks: 16, each: 5, to: journal)
    }
    // The thread that led may be the last to have it.
    var again: FileJournal?
    while again == nil {
      do { again = try open() } catch let error as JournalError {
        guard case .locked = error.reason else { throw error }
        await Task.yield()
      }
    }
    #expect(again?.head.sequence == 80)
  }

  // MARK: Gathering

  /// A state that is led, with so many who wait for the forming group.
  func state(waiting count: Int) -> AppendState {
    let start = FramePosition(
      chain: FrameChain(part: .transactions, sequence: .zero, time: .distantPast, check: 1),
      endOffset: 4096)
    var state = AppendState(
      salt: 1, durability: .full, at: start, marked: .zero,
      index: FrameIndex())
    let first = state.leadOrWait(.latch(AppendLatch()))
    guard case .lead? = first else { preconditionFailure("nobody led") }
    add(count, to: &state)
    return state
  }

  func add(_ count: Int, to state: inout AppendState) {
    for _ in 0..<count {
      let verdict = state.leadOrWait(.latch(AppendLatch()))
      precondition(verdict == nil, "somebody leads already")
    }
  }

  @Test(arguments: [(4, 0, 1), (8, 1, 3), (40, 8, 12), (63, 1, 16), (5, 1, 2)])
  func `a leader waits until a quarter of all who save have come`(
    lastCount: Int, waiting: Int, wanted: Int
  ) {
    var state = state(waiting: waiting)
    let bell = Signal()
    let gathers = state.gather(after: lastCount, bell)
    #expect(gathers)
    add(wanted - waiting - 1, to: &state)
    #expect(bell.count == 0)
    add(1, to: &state)
    #expect(bell.count == 1)
    // Once.
    add(1, to: &state)
    #expect(bell.count == 1)
    let goesOn = state.endGathering()
    #expect(goesOn)
  }

  @Test(arguments: [(3, 0), (0, 0), (8, 8), (8, 20), (8, 4), (4, 2), (5, 4)])
  func `a leader waits for nobody where few have waited, or enough wait`(
    lastCount: Int, waiting: Int
  ) {
    var state = state(waiting: waiting)
    let bell = Signal()
    let gathers = state.gather(after: lastCount, bell)
    #expect(!gathers)
    add(9, to: &state)
    #expect(bell.count == 0)
  }

  /// An append that is never begun.
  private final class Unbegun: EnlistedAppend {
    let number: Int

    init(_ number: Int) { self.number = number }

    func begin() -> BegunAppend? { nil }
  }

  /// Enlists so many, with numbers from zero on, and answers for each whether it was taken.
  private func enlist(_ count: Int, to state: inout AppendState) async -> [Bool] {
    var answers: [Bool] = []
    for number in 0..<count {
      // Nobody is resumed by what is never begun: the one who waits is resumed here.
      _ = await withUnsafeContinuation { continuation in
        answers.append(
          state.enlist(Enlistment(append: Unbegun(number), waiter: continuation)))
        continuation.resume(returning: true)
      }
    }
    return answers
  }

  private func numbers(_ enlisted: [Enlistment]) -> [Int] {
    enlisted.compactMap { ($0.append as? Unbegun)?.number }
  }

  @Test func `appends are left to the thread that leads, and to nobody else`() async {
    var state = state(waiting: 2)
    let before = await enlist(2, to: &state)
    #expect(before == [false, false])
    state.leadByThread()
    let meanwhile = await enlist(2, to: &state)
    #expect(meanwhile == [true, true])
    #expect(state.takeEnlisted().count == 2)
    #expect(state.takeEnlisted().isEmpty)
  }

  @Test func `nothing is left to a thread that sleeps until the disk is done`() async {
    var state = state(waiting: 2)
    state.leadByThread()
    let group = state.take(at: 0).group
    let written = await enlist(1, to: &state)
    state.sleepThread()
    let asleep = await enlist(2, to: &state)
    #expect(!state.takesIn)
    #expect(state.pendingAppendCount == 1)
    state.noteSynced(group.end)
    let synced = await enlist(1, to: &state)
    #expect((written, asleep, synced) == ([true], [false, false], [true]))
    #expect(state.takeEnlisted().count == 2)
    // Nor to one that is told to sleep when it has just been woken.
    state.sleepThread()
    let again = await enlist(1, to: &state)
    #expect(again == [false])
  }

  @Test func `a group that fails returns the enlisted appends, and recovery can begin at once`()
    async
  {
    var state = state(waiting: 2)
    state.leadByThread()
    let group = state.take(at: 0).group
    _ = await enlist(3, to: &state)
    let announcement = state.settle(
      group, .failed(DiskError(.sync, path: "j", code: EIO)),
      AppendState.WriterStatus(marked: .zero, wantsFill: false, unpublishedEndCount: 0),
      isKept: true)
    #expect(numbers(announcement.returned) == [0, 1, 2])
    #expect(!announcement.isLedOn && !state.isLed)
    let begins = state.beginRecovery()
    #expect(begins)
  }

  @Test func `enlisted appends that are put back are taken next, in their order`() async {
    var state = state(waiting: 2)
    state.leadByThread()
    _ = await enlist(4, to: &state)
    let taken = state.takeEnlisted()
    #expect(numbers(taken) == [0, 1, 2, 3])
    _ = await enlist(1, to: &state)
    // There was no time for the last two.
    state.putBack(taken[2...])
    #expect(state.pendingAppendCount == 5)
    #expect(numbers(state.takeEnlisted()) == [2, 3, 0])
    #expect(state.pendingAppendCount == 2)
  }

  @Test func `whoever enlists has come back, and is waited for no longer`() async {
    var state = state(waiting: 0)
    state.leadByThread()
    let bell = Signal()
    let gathers = state.gather(after: 16, bell)
    #expect(gathers)
    _ = await enlist(3, to: &state)
    #expect(bell.count == 0)
    _ = await enlist(1, to: &state)
    #expect(bell.count == 1)
    // Nobody waits for the forming group, and yet there is something to lead for.
    let goesOn = state.endGathering()
    #expect(goesOn)
    _ = state.takeEnlisted()
    let stillGoesOn = state.endGathering()
    #expect(!stillGoesOn)
    let after = await enlist(1, to: &state)
    #expect(after == [false])
  }

  @Test func `when nobody comes back the lead is given up, and the next who comes has it`() {
    var state = state(waiting: 0)
    let bell = Signal()
    let gathers = state.gather(after: 8, bell)
    #expect(gathers)
    let goesOn = state.endGathering()
    #expect(!goesOn)
    guard case .lead? = state.leadOrWait(.latch(AppendLatch())) else {
      Issue.record("nobody leads")
      return
    }
    add(9, to: &state)
    #expect(bell.count == 0)
  }
}
