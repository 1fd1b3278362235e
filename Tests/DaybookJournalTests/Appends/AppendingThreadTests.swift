import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import Synchronization
import TestSupport
import Testing

@Suite("Appending to a journal") struct AppendingThreadTests {
  let disk = SimulatedDisk()
  let clock = TestClock()

  func open(
    _ durability: Durability = .full, on disk: (any Disk)? = nil,
    workers: WorkerThreads = .shared
  ) throws -> FileJournal {
    var options = JournalOptions.simulated(self.disk)
    options.workers = workers
    options.disk = disk ?? self.disk
    options.durability = durability
    options.clock = clock
    return try FileJournal(at: "j", options: options)
  }

  /// A journal whose syncs wait at a gate, which is open at first.
  func openBehindGate() throws -> (journal: FileJournal, gate: SyncGate) {
    let gate = SyncGate()
    var passing = PassingDisk(disk)
    passing.beforeSync = { _ in gate.pass() }
    return (try open(on: passing), gate)
  }

  /// Returns the disk calls of a closure.
  func calls(_ body: () throws -> Void) rethrows -> [String] {
    disk.clearLog()
    disk.recordsCalls = true
    try body()
    disk.recordsCalls = false
    return disk.log.map { "\($0.operation) \($0.path)" }
  }

  // MARK: Groups

  @Test func `an append into preallocated space is one write and one sync`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    #expect(
      try calls { try journal.mustAppend([2]) } == [
        "status /disk/j", "write /disk/j", "status /disk/j-end", "sync /disk/j",
        "write /disk/j-end",
      ])
  }

  @Test func `transactions appended together are one write and one sync`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    let received = try calls {
      let outcomes = try journal.appendAndWait(together: (2...100).map { [UInt8($0)] })
      #expect(outcomes.count == 99)
    }
    #expect(
      received == [
        "status /disk/j", "write /disk/j", "status /disk/j-end", "sync /disk/j",
        "write /disk/j-end",
      ])
    #expect(journal.head.sequence == 100)
  }

  @Test func `an append during a group's sync joins the next group`() throws {
    let (journal, gate) = try openBehindGate()
    gate.shut()
    let first = TestThread { _ = try? journal.appendAndWait([1]) }
    gate.awaitArrival()
    let others = (2...4).map { n in TestThread { _ = try? journal.appendAndWait([UInt8(n)]) } }
    while journal.acceptedHead.sequence < 4 { sched_yield() }
    #expect(journal.head.sequence == 0)

    gate.letOneGo()
    first.value()
    gate.awaitArrival()
    #expect(journal.head.sequence == 1)
    #expect(others.allSatisfy { !$0.isDone })

    gate.letOneGo()
    for thread in others { thread.value() }
    #expect(journal.head.sequence == 4)
  }

  @Test(arguments: [true, false])
  func `sixty-four tasks get consecutive numbers, ascending for each task`(
    hasThreads: Bool
  ) async throws {
    let journal = try open(workers: hasThreads ? .shared : WorkerThreads { _ in false })
    let receipts = try await withThrowingTaskGroup(of: [Receipt].self) { group in
      for saver in 0..<64 {
        group.addTask {
          var receipts: [Receipt] = []
          for number in 0..<20 {
            let payload = [UInt8(saver), UInt8(number)]
            if case .appended(let receipt) = try await journal.append(payload) {
              receipts.append(receipt)
            }
          }
          return receipts
        }
      }
      return try await group.reduce(into: [[Receipt]]()) { $0.append($1) }
    }
    let numbers = receipts.flatMap { $0 }.map(\.sequence.rawValue)
    #expect(numbers.sorted() == Array(1...1280))
    #expect(receipts.allSatisfy { $0.map(\.sequence) == $0.map(\.sequence).sorted() })

    var reader = try journal.transactions(from: 1)
    var next = [UInt8](repeating: 0, count: 64)
    while let transaction = try reader.next() {
      let payload = transaction.payload.copy()
      #expect(payload[1] == next[Int(payload[0])])
      next[Int(payload[0])] += 1
    }
    #expect(next.allSatisfy { $0 == 20 })
  }

  @Test(arguments: [true, false])
  func `tasks that sync and close do not block appending tasks`(
    hasThreads: Bool
  ) async throws {
    let journal = try open(.none, workers: hasThreads ? .shared : WorkerThreads { _ in false })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for saver in 0..<32 {
        group.addTask {
          for number in 0..<20 {
            _ = try await journal.append([UInt8(saver), UInt8(number)])
            if number % 5 == 0 { try await journal.sync() }
          }
        }
      }
      try await group.waitForAll()
    }
    async let one: Void = journal.close()
    async let other: Void = journal.close()
    _ = try await (one, other)
    #expect(journal.head.sequence == 640)
    #expect(try marks() == [640, 640])
  }

  @Test func `one of several appends that expect the same head succeeds`() async throws {
    let journal = try open()
    for round in 0..<20 as Range<UInt64> {
      let outcomes = try await withThrowingTaskGroup(of: AppendOutcome.self) { group in
        for saver in 0..<8 {
          group.addTask {
            try await journal.append([UInt8(saver)], expecting: SequenceNumber(round))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let winners = outcomes.filter { if case .appended = $0 { true } else { false } }
      #expect(winners.count == 1)
      for case .conflict(let head) in outcomes { #expect(head.sequence.rawValue == round + 1) }
    }
  }

  // MARK: Durability

  @Test func `readers do not see transactions that are written but not synced`() throws {
    let journal = try open(.none)
    guard case .appended(let receipt) = try journal.appendAndWait([1]) else {
      Issue.record("not appended")
      return
    }
    #expect(receipt.safety == .written)
    #expect(journal.head.sequence == 0)
    #expect(journal.acceptedHead.sequence == 1)
    var reader = try journal.transactions(from: 1)
    #expect(try reader.next() == nil)
    let follower = try journal.follow()
    #expect(try follower.next() == nil)
    #expect(try JournalReader(at: "j", on: disk, reading: .copied).head.sequence == 0)

    try journal.syncAndWait()
    #expect(journal.head.sequence == 1)
    #expect(try follower.next() != nil)
    #expect(try JournalReader(at: "j", on: disk, reading: .copied).head.sequence == 1)
  }

  @Test func `written transactions are synced after the interval`() throws {
    let journal = try open(.batched(interval: .milliseconds(200)))
    _ = try journal.appendAndWait([1])
    clock.advance(milliseconds: 199)
    journal.tend()
    #expect(journal.head.sequence == 0)
    clock.advance(milliseconds: 1)
    journal.tend()
    #expect(journal.head.sequence == 1)
  }

  @Test func `the longest sync interval is one second`() throws {
    let journal = try open(.batched(interval: .milliseconds(60_000)))
    _ = try journal.appendAndWait([1])
    clock.advance(milliseconds: 1000)
    journal.tend()
    #expect(journal.head.sequence == 1)
  }

  @Test func `at most 16 MiB stay unsynced`() throws {
    let journal = try open(.none)
    let megabyte = [UInt8](repeating: 1, count: 1 << 20)
    for _ in 0..<15 { _ = try journal.appendAndWait(megabyte) }
    #expect(journal.head.sequence == 0)
    _ = try journal.appendAndWait(megabyte)
    #expect(journal.head.sequence == 16)
  }

  @Test func `the next append after the interval syncs`() throws {
    let journal = try open(.batched(interval: .milliseconds(100)))
    _ = try journal.appendAndWait([1])
    clock.advance(milliseconds: 100)
    guard case .appended(let receipt) = try journal.appendAndWait([2]) else {
      Issue.record("not appended")
      return
    }
    #expect(receipt.safety == .durable)
    #expect(journal.head.sequence == 2)
  }

  @Test func `the head contains synced transactions before their end is published`() throws {
    var passing = PassingDisk(disk)
    let heads = Mutex<[SequenceNumber]>([])
    let written = Mutex<FileJournal?>(nil)
    passing.beforeWrite = { path, _ in
      guard path.hasSuffix("j-end") else { return }
      let journal = written.withLock { $0 }
      if let journal { heads.withLock { $0.append(journal.head.sequence) } }
    }
    let journal = try open(on: passing)
    written.withLock { $0 = journal }
    defer { written.withLock { $0 = nil } }
    try journal.mustAppend([1])
    try journal.mustAppend([2])
    #expect(heads.withLock { $0 } == [1, 2])
  }

  // MARK: In two steps

  @Test func `an enqueued append has its number and offset, and waiting writes it`()
    throws
  {
    let journal = try open()
    let first = try journal.enqueue([1]).get()
    let second = try journal.enqueue([2, 2]).get()
    #expect([first.sequence, second.sequence] == [1, 2])
    #expect([first.isTogether, second.isTogether] == [false, true])
    #expect(first.payloadOffset == 16384 + 48 && second.payloadOffset == 16384 + 64 + 48)
    #expect(throws: AppendConflict.self) { try journal.enqueue([3], expecting: 1).get() }
    #expect(journal.head.sequence == 0 && journal.acceptedHead.sequence == 2)
    // The first thread that waits writes both.
    let received = try calls { _ = try journal.wait(for: first) }
    #expect(received.filter { $0 == "sync /disk/j" }.count == 1)
    #expect(journal.head.sequence == 2)
    guard case .appended(let receipt) = try journal.wait(for: second) else {
      Issue.record("not appended")
      return
    }
    #expect(receipt.sequence == 2 && receipt.safety == .durable)
  }

  @Test func `threads and tasks can wait for one group in any order`() async throws {
    let journal = try open()
    let appends = try (1...3).map { try journal.enqueue([$0]).get() }
    async let third = journal.value(of: appends[2])
    let thread = TestThread { try? journal.wait(for: appends[1]) }
    guard case .appended = try await journal.value(of: appends[0]) else {
      Issue.record("not appended")
      return
    }
    #expect(thread.value() != nil)
    guard case .appended(let receipt) = try await third else {
      Issue.record("not appended")
      return
    }
    #expect(receipt.sequence == 3 && journal.head.sequence == 3)
    #expect(journal.statistics.groupCount == 1)
  }

  @Test func `appends enqueued during a sync form one group`() throws {
    let (journal, gate) = try openBehindGate()
    gate.shut()
    let first = TestThread { try? journal.appendAndWait([1]) }
    gate.awaitArrival()
    let appends = try (2...4).map { try journal.enqueue([$0]).get() }
    #expect(appends.map(\.isTogether) == [false, true, true])
    gate.open()
    gate.letOneGo()
    #expect(first.value() != nil)
    // The thread that wrote the first group starts another thread for the next group.
    until { journal.head.sequence == 4 }
    for append in appends { _ = try journal.wait(for: append) }
    #expect(journal.statistics.groupCount == 2)
  }

  @Test func `without a worker thread the writer of a group writes the next`() throws {
    let gate = SyncGate()
    var passing = PassingDisk(disk)
    passing.beforeSync = { _ in gate.pass() }
    let journal = try open(on: passing, workers: WorkerThreads { _ in false })
    gate.shut()
    let first = TestThread { try? journal.appendAndWait([1]) }
    gate.awaitArrival()
    let second = try journal.enqueue([2]).get()
    gate.open()
    gate.letOneGo()
    #expect(first.value() != nil)
    #expect(journal.head.sequence == 2)
    _ = try journal.wait(for: second)
  }

  @Test func `the appends of a failed group are unknown, each with its number`() throws {
    let journal = try open()
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    for append in try (1...2).map({ try journal.enqueue([$0]).get() }) {
      guard case .unknown(let unknown) = try journal.wait(for: append) else {
        Issue.record("not unknown")
        return
      }
      #expect(unknown.sequence == append.sequence)
    }
    #expect(throws: JournalError.self) { try journal.enqueue([2]).get() }
  }

  @Test func `threads that run tasks make no disk calls for appends`() async throws {
    let calls = Mutex<(all: Int, byTasks: [String])>((0, []))
    @Sendable func note(_ call: String) {
      let isTask = withUnsafeCurrentTask { $0 != nil }
      calls.withLock { calls in
        calls.all += 1
        if isTask { calls.byTasks.append(call) }
      }
    }
    var passing = PassingDisk(disk)
    let isOpen = Mutex(false)
    passing.beforeWrite = { path, _ in if isOpen.withLock({ $0 }) { note("write \(path)") } }
    passing.beforeSync = { path in if isOpen.withLock({ $0 }) { note("sync \(path)") } }
    let journal = try open(on: passing)
    isOpen.withLock { $0 = true }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for saver in 0..<16 {
        group.addTask {
          for number in 0..<10 {
            _ = try await journal.append([UInt8(saver), UInt8(number)])
            if number == 5 { try await journal.sync() }
          }
        }
      }
      try await group.waitForAll()
    }
    try await journal.close()
    #expect(calls.withLock { $0.byTasks } == [])
    #expect(calls.withLock { $0.all } > 4)
  }

  // MARK: Marks and space

  @Test func `a mark follows a sync after 50 ms, and closing writes both marks`()
    throws
  {
    let journal = try open()
    try journal.mustAppend([1])
    try journal.mustAppend([2])
    clock.advance(milliseconds: 49)
    journal.tend()
    #expect(try marks() == [0, 0])
    clock.advance(milliseconds: 1)
    journal.tend()
    #expect(try marks() == [0, 2])
    journal.tend()
    #expect(try marks() == [0, 2])
    try journal.mustAppend([3])
    try journal.closeAndWait()
    #expect(try marks() == [3, 3])
  }

  @Test func `the first group marks the journal as in use, and closing clears this`()
    throws
  {
    let journal = try open()
    #expect(try newestMark().isInUse == false)
    let first = try calls { try journal.mustAppend([1]) }
    let second = try calls { try journal.mustAppend([2]) }
    #expect(first.filter { $0 == "sync /disk/j" }.count == 1)
    #expect(second.filter { $0 == "write /disk/j" }.count == 1)
    #expect(try newestMark().isInUse && newestMark().sequence == 0)
    clock.advance(milliseconds: 50)
    journal.tend()
    #expect(try newestMark().isInUse && newestMark().sequence == 2)
    try journal.closeAndWait()
    #expect(try newestMark().isInUse == false)
    let next = try open()
    #expect(try calls { try next.closeAndWait() }.filter { $0.hasPrefix("write") }.isEmpty)
  }

  /// The sequence numbers of the two marks.
  func marks() throws -> [SequenceNumber?] { try readMarks().map { $0?.sequence } }

  private func newestMark() throws -> DurableMark {
    try #require(DurableMark.newest(of: try readMarks().compactMap(\.self)))
  }

  private func readMarks() throws -> [DurableMark?] {
    let image = MappedImage(try #require(disk.contents(of: "j")))
    let header = try RecoveryDecision.chooseHeader(image).get().header
    return JournalLayout.markOffsets.map {
      DurableMark(image.view(at: $0, atLeast: DurableMark.byteCount), salt: header.salt)
    }
  }

  @Test func `idle time preallocates space before it is needed`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    let size = try #require(disk.contents(of: "j")).count
    #expect(size >= 16384 + 65536)
    try journal.mustAppend([UInt8](repeating: 1, count: 40_000))
    journal.tend()
    #expect(try #require(disk.contents(of: "j")).count > size)
    let received = try calls { try journal.mustAppend([UInt8](repeating: 1, count: 40_000)) }
    #expect(received.filter { $0 == "write /disk/j" }.count == 1)
  }

  // MARK: Failures

  @Test func `a failed sync leaves the append unknown until recovery`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    guard case .unknown(let unknown) = try journal.appendAndWait([2]),
      case .disk(let error) = unknown.cause
    else {
      Issue.record("not unknown")
      return
    }
    #expect(unknown.sequence == 2 && error.code == EIO)
    #expect(journal.acceptedHead.sequence == 1)
    #expect(journal.isIncluded(unknown) == nil)
    #expect(throws: JournalError.self) { try journal.appendAndWait([3]) }
    var reader = try journal.transactions(from: 1)
    #expect(try reader.next()?.payload.copy() == [1])

    let report = try journal.recoverAndWait()
    #expect(report.lastTransaction == 2 && report.rewrittenByteCount == 64)
    #expect(journal.isIncluded(unknown) == true)
    try journal.mustAppend([3])
    // Recovery wrote it again and synced it, so it survives the loss of all unsynced bytes.
    let lost = disk.powerLoss(.everythingLost)
    Oracle(submitted: [[1], [2], [3]], acknowledgedCount: 3).check(lost, at: "j", "after recovery")
  }

  @Test func `a torn write leaves the append unknown, and recovery moves its bytes aside`()
    throws
  {
    let journal = try open()
    try journal.mustAppend([1])
    disk.clearLog()
    disk.plan = .tornWrite(call: 1, keeping: 60, only: [.write])
    guard case .unknown(let unknown) = try journal.appendAndWait([UInt8](repeating: 9, count: 99))
    else {
      Issue.record("not unknown")
      return
    }
    let report = try journal.recoverAndWait()
    #expect(journal.isIncluded(unknown) == false)
    #expect(report.outcome == .torn(byteCount: 60, copiedTo: "/disk/j-torn-2"))
    #expect(disk.contents(of: "j-torn-2")?.count == 60)
    // The cut bytes are saved before the cut, so they survive a power loss.
    #expect(disk.powerLoss(.everythingLost).contents(of: "j-torn-2")?.count == 60)
    #expect(try journal.mustAppend([2]).sequence == 2)
  }

  @Test func `an append after a failed group is refused`() throws {
    let (journal, gate) = try openBehindGate()
    gate.shut()
    let first = TestThread { _ = try? journal.appendAndWait([1]) }
    gate.awaitArrival()
    let received = Mutex<JournalError?>(nil)
    let second = TestThread {
      do throws(JournalError) {
        _ = try journal.appendAndWait([2])
      } catch {
        received.withLock { $0 = error }
      }
    }
    while journal.acceptedHead.sequence < 2 { sched_yield() }
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    gate.letOneGo()
    first.value()
    second.value()
    let reason = try #require(received.withLock { $0 }).reason
    #expect(reason == .stopped(DiskError(.sync, path: "/disk/j", code: EIO)))
    #expect(journal.acceptedHead.sequence == 0)
  }

  @Test func `a failed recovery can be tried again`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    disk.clearLog()
    disk.plan = .failAlways(from: 1, with: EIO, only: [.sync])
    guard case .unknown(let unknown) = try journal.appendAndWait([2]) else {
      Issue.record("not unknown")
      return
    }
    #expect(throws: JournalError.self) { try journal.recoverAndWait() }
    #expect(throws: JournalError.self) { try journal.appendAndWait([3]) }
    #expect(journal.isIncluded(unknown) == nil)
    disk.plan = .none
    try journal.recoverAndWait()
    #expect(journal.isIncluded(unknown) == true)
    try journal.mustAppend([3])
  }

  @Test func `recovering a running journal does nothing`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    let received = try calls {
      let report = try journal.recoverAndWait()
      #expect(report.isUneventful)
    }
    #expect(received == [])
  }

  @Test func `closing twice is no error, and payloads already read stay valid`() throws {
    let journal = try open()
    // The first payload is longer than a read window.
    let first = [UInt8](repeating: 1, count: 300 << 10)
    try journal.mustAppend(first)
    try journal.mustAppend([2])
    var reader = try journal.transactions(from: 1)
    let read = try reader.next()?.payload
    try journal.closeAndWait()
    try journal.closeAndWait()
    #expect(read?.copy() == first)
    #expect(sentence { _ = try reader.next() } == "j: the journal is closed.")
    #expect(throws: JournalError.self) { try journal.appendAndWait([2]) }
    // The lock is free although a reader exists.
    try open().mustAppend([3])
  }

  @Test func `a reader of a mapped journal continues after the journal is closed`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("j")
      let journal = try FileJournal(at: path)
      for byte in 1...3 as ClosedRange<UInt8> {
        try journal.mustAppend([UInt8](repeating: byte, count: 2 << 20))
      }
      var reader = try journal.transactions(from: 1)
      try journal.closeAndWait()
      #expect(OpenFiles.paths(beginningWith: path) == [])
      for byte in 1...3 as ClosedRange<UInt8> {
        #expect(try reader.next()?.payload[0] == byte)
      }
      #expect(try reader.next() == nil)
    }
  }

  @Test func `a released journal releases its lock, although a reader exists`() throws {
    var journal: FileJournal? = try open()
    try journal?.mustAppend([1])
    var reader = try #require(try journal?.transactions(from: 1))
    journal = nil
    try open().mustAppend([2])
    #expect(try reader.next()?.payload.copy() == [1])
  }

  @Test func `the next opening removes a name that creation left beside the journal`() throws {
    let journal = try open()
    try disk.link("j", to: ".j.new-0000000000000000")
    try journal.closeAndWait()
    _ = try open()
    #expect(disk.contents(of: ".j.new-0000000000000000") == nil)
    #expect(disk.contents(of: "j") != nil)
  }

  @Test func `the append statistics count transactions, groups, syncs and failures`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    _ = try journal.appendAndWait(together: [[2], [3], [4]])
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    _ = try journal.appendAndWait([5])
    try journal.recoverAndWait()
    disk.capacity = 0
    #expect(throws: JournalError.self) {
      try journal.appendAndWait([UInt8](repeating: 1, count: 1 << 20))
    }
    disk.capacity = nil
    disk.clearLog()
    // The first append after a recovery writes a mark, its frame, and the committed end.
    disk.plan = .failAlways(from: 3, with: EIO, only: [.write])
    try journal.mustAppend([6])
    var expected = AppendStatistics()
    expected.transactionCount = 5
    expected.groupCount = 3
    expected.syncCount = 3
    expected.refusedGroupCount = 1
    expected.stopCount = 1
    expected.unpublishedEndCount = 1
    #expect(journal.statistics == expected)
  }

  // MARK: Other people's files

  @Test func `a foreign file with the name of the committed end is not changed`() throws {
    let text = "what I did at the week's end, and with whom, in more than 64 bytes"
    // The second file has the size of a committed end.
    for other in [[UInt8](text.utf8), [UInt8](text.utf8.prefix(64))] {
      disk.setContents(other, at: "j-end")
      let journal = try open()
      try journal.mustAppend([1])
      try journal.closeAndWait()
      #expect(disk.contents(of: "j-end") == other)
      #expect(journal.statistics.unpublishedEndCount > 0)
    }
  }

  @Test func `a damaged committed end is replaced`() throws {
    var damaged = CommittedEnd(
      salt: 1, end: FrameEnd(sequence: 1, offset: 2, checksum: 3)
    ).bytes()
    damaged[56] ^= 1
    for other in [[], [UInt8](repeating: 0, count: 64), damaged] {
      disk.setContents(other, at: "j-end")
      let journal = try open()
      try journal.mustAppend([1])
      let end = CommittedEnd(ByteView(try #require(disk.contents(of: "j-end"))))
      #expect(end?.end.sequence == journal.head.sequence)
      try journal.closeAndWait()
    }
  }

  @Test func `a link at the path of the committed end is replaced, not followed`() throws {
    let other = [UInt8](repeating: 0, count: 64)
    disk.setContents(other, at: "victim")
    disk.makeLink(at: "j-end", to: "victim")
    let journal = try open()
    try journal.mustAppend([1])
    #expect(disk.contents(of: "victim") == other)
    #expect(journal.statistics.unpublishedEndCount == 0)
  }

  @Test func `a deleted committed end is published again`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    try disk.remove("j-end")
    try journal.mustAppend([2])
    #expect(CommittedEnd(ByteView(try #require(disk.contents(of: "j-end"))))?.end.sequence == 2)
  }

  @Test func `only files with names of the creation are removed as abandoned`() throws {
    let names = [".j.new-ideas.txt", ".j.new-york", ".j.new-00000000000000zz"]
    for name in names { disk.setContents([1], at: name) }
    disk.setContents([1], at: "j-statement.txt")
    disk.setContents([], at: "j")
    let journal = try open()
    #expect(journal.report.outcome == .creationInterrupted)
    #expect(names.allSatisfy { disk.contents(of: $0) == [1] })
  }

  @Test func `a file that another program truncated receives no more frames`() throws {
    let journal = try open()
    try journal.mustAppend([1])
    try disk.open("j", for: .readingAndWriting).truncate(to: 20_000)
    do throws(JournalError) {
      _ = try journal.appendAndWait([2])
      Issue.record("appended")
    } catch {
      #expect(
        "\(error)" == """
          j: another process truncated the file after it was opened. Nothing was written to it. \
          Close it, and open it again to find out what is left.
          """)
    }
  }

  @Test func `a path with a zero byte is refused`() throws {
    #expect(throws: JournalError.self) { try FileJournal(at: "j\0.x", options: .simulated(disk)) }
    #expect(disk.paths == [])
  }

  // MARK: Closing and recovering at once

  @Test func `a failed sync during closing still closes the journal`() throws {
    let (journal, gate) = try openBehindGate()
    gate.shut()
    let saver = TestThread { _ = try? journal.appendAndWait([1]) }
    gate.awaitArrival()
    let closer = TestThread { () -> JournalError? in
      do throws(JournalError) { try journal.closeAndWait() } catch { return error }
      return nil
    }
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    gate.open()
    gate.letOneGo()
    saver.value()
    _ = closer.value()
    #expect(throws: JournalError.self) { try journal.recoverAndWait() }
    // The lock is free.
    disk.plan = .none
    #expect(try open().head.sequence <= 1)
  }

  @Test func `one of several concurrent recoveries does the work`() throws {
    let journal = try open()
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    _ = try journal.appendAndWait([1])
    let all = (0..<8).map { _ in TestThread { (try? journal.recoverAndWait()) != nil } }
    #expect(all.allSatisfy { $0.value() })
    #expect(journal.head.sequence == 1)
  }

  // MARK: Background work

  @Test func `a journal on a real disk does its background work`() throws {
    var template = Array("/tmp/daybook-XXXXXX".utf8CString)
    let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
    let path = directory + "/j"
    defer { for name in [path, path + "-end"] { unlink(name) }; rmdir(directory) }
    var options = JournalOptions()
    options.durability = .batched(interval: .milliseconds(1))
    let journal = try FileJournal(at: path, options: options)
    _ = try journal.appendAndWait([1])
    let follower = try journal.follow()
    var event = try follower.next()
    while event == nil {
      follower.wait(milliseconds: 1000)
      event = try follower.next()
    }
    #expect(journal.head.sequence == 1)
    try journal.closeAndWait()
  }
}
