import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Each test causes an error and compares its whole message. The errors of paths without a journal
/// are tested with row 15 of the fault matrix.
@Suite struct `The messages of journal errors` {
  private let disk = SimulatedDisk()

  private func journal(_ payloads: [UInt8]...) throws -> FileJournal {
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    for payload in payloads { try journal.mustAppend(payload) }
    return journal
  }

  @Test func `the error of a backup to an existing name leaves the file unchanged`() throws {
    let journal = try journal([1])
    disk.setContents([1], at: "b")
    #expect(
      sentence { try journal.backup(to: "b") }
        == "b: a file of this name exists. Nothing was changed. Choose another name, or move the file away."
    )
    #expect(disk.contents(of: "b") == [1])
  }

  @Test func `the error of a locked journal names the writing process`() throws {
    let journal = try journal()
    #expect(
      sentence { _ = try FileJournal(at: "a", options: .simulated(disk)) } == """
        a: process 1 (simulated) is writing to this journal. Open it read-only, or wait for the lock.
        """)
    var passing = PassingDisk(disk)
    passing.tellsHolders = false
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    #expect(
      sentence { _ = try FileJournal(at: "a", options: options) } == """
        a: another process is writing to this journal. Open it read-only, or wait for the lock.
        """)
    try journal.closeAndWait()
    _ = try FileJournal(at: "a", options: options)
  }

  @Test func `the error of a file removed while open says to open it again`() throws {
    let journal = try journal([1])
    try disk.remove("a")
    #expect(
      sentence { try journal.mustAppend([2]) } == """
        a: the file was replaced or removed after it was opened. Nothing was written to the new \
        file. Open it again.
        """)
    #expect(try journal.payloads() == [[1]])
  }

  @Test func `the error of a replaced history says to read it again`() throws {
    let journal = try journal([1], [2])
    let head = journal.head
    try journal.closeAndWait()
    try disk.remove("a")
    try self.journal([3], [4], [5]).closeAndWait()
    #expect(
      sentence { _ = try FileFollower(at: "a", after: head, on: disk) } == """
        a: the journal no longer continues what was read from it. The file was not changed. Read it \
        again from the start.
        """)
  }

  @Test func `the error of a dropped transaction refers to the base`() throws {
    try journal([1], [2], [3]).compact(through: 2, state: [[7]])
    let expected = """
      a: history up to transaction 2 was dropped, and the requested transaction is not after it. \
      Start at the base.
      """
    #expect(sentence { _ = try journal().transactions(from: 2) } == expected)
    #expect(sentence { _ = try JournalReader(at: "a", on: disk).transactions(from: 1) } == expected)
  }

  @Test func `the error of a full disk says that nothing was written`() throws {
    let journal = try journal([1])
    disk.capacity = 0
    let expected = """
      the disk is full. Nothing was written, and the existing contents are intact. Free some space \
      and try again.
      """
    #expect(
      sentence { try journal.mustAppend([UInt8](repeating: 1, count: 100_000)) } == "a: " + expected
    )
    #expect(sentence { try journal.backup(to: "b") } == "b: " + expected)
    #expect(
      sentence { _ = try FileJournal(at: "c", options: .simulated(disk)) } == "c: " + expected)
  }

  @Test func `the error of stopped writing names the failed call`() throws {
    let journal = try journal([1])
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    disk.clearLog()
    guard case .unknown(let unknown) = try journal.appendAndWait([2]) else {
      Issue.record("the append is known")
      return
    }
    #expect("\(unknown.cause)" == "/disk/a: sync: Input/output error (5).")
    let expected = """
      a: writing stopped when a call failed (sync: Input/output error (5)). Every transaction \
      acknowledged as durable is safe and can be read. Call recover() to continue.
      """
    #expect(sentence { try journal.mustAppend([3]) } == expected)
    #expect(sentence { try journal.syncAndWait() } == expected)
  }

  @Test func `the error of a transaction after a refused one says to save again`() throws {
    let gate = Gate()
    var passing = PassingDisk(disk)
    passing.beforeWrite = { _, _ in gate.pass() }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let journal = try FileJournal(at: "a", options: options)
    disk.capacity = 0
    gate.shut()
    let large = [UInt8](repeating: 1, count: 100_000)
    let first = TestThread { sentence { try journal.mustAppend(large) } }
    until { gate.arrivedCount == 1 }
    let second = TestThread { sentence { try journal.mustAppend([2]) } }
    until { journal.acceptedHead.sequence == 2 }
    gate.open()
    #expect(first.value().hasPrefix("a: the disk is full."))
    #expect(
      second.value() == """
        a: the transaction before this one was refused. Nothing of it was written, and the journal \
        remains usable. Save again.
        """)
    disk.capacity = nil
    #expect(try journal.mustAppend([3]).sequence == 1)
  }

  @Test func `the error of an empty or too long payload states the limit`() throws {
    let journal = try journal()
    #expect(
      sentence { try journal.mustAppend([]) } == """
        a: a transaction needs at least one byte, but this one is empty. Nothing of it was written, \
        and the journal remains usable.
        """)
    // The bytes are allocated but never touched, so they cost only addresses.
    let large = [UInt8](unsafeUninitializedCapacity: 1 << 30 + 1) { $1 = 1 << 30 + 1 }
    let expected = """
      a transaction has at most 1073741824 bytes, but this one has 1073741825. Nothing of it was \
      written, and the journal remains usable.
      """
    #expect(sentence { try journal.mustAppend(large) } == "a: " + expected)
    #expect(
      sentence { _ = try MemoryJournal().appendAndWait(large) } == "journal in memory: " + expected)
    #expect(journal.acceptedHead.sequence == 0)
  }

  @Test func `the error of a closed journal says that it is closed`() throws {
    let journal = try journal([1])
    try journal.closeAndWait()
    #expect(sentence { try journal.mustAppend([2]) } == "a: the journal is closed.")
    #expect(sentence { try journal.syncAndWait() } == "a: the journal is closed.")
    let memory = MemoryJournal()
    memory.close()
    #expect(
      sentence { _ = try memory.appendAndWait([2]) } == "journal in memory: the journal is closed.")
  }

  @Test func `the error of a failed system call names the call`() throws {
    try journal([1]).closeAndWait()
    disk.plan = .failAlways(from: 1, with: EIO, only: [.read])
    #expect(
      sentence { _ = try journal() } == "a: read of /disk/a: Input/output error (5).")
    disk.plan = .failAlways(from: 1, with: ENOLCK, only: [.lock])
    #expect(
      sentence { _ = try journal() } == "a: lock of /disk/a: No locks available (37).")
  }

  @Test func `the error of damaged transactions names the byte and the intact ones`() throws {
    var crafted = CraftedJournal()
    for byte in 1...3 as ClosedRange<UInt8> { crafted.append([byte]) }
    var bytes = crafted.bytes()
    bytes[crafted.offsets[1] + 48] ^= 1
    disk.setContents(bytes, at: "a")
    #expect(
      sentence { _ = try journal() } == """
        a: byte 16448: transactions up to 3 were saved, but from here on they can no longer be \
        read. Transaction 1 is intact. The file was not changed. Salvage what is intact into a new \
        journal, or restore a backup.
        """)
    bytes[crafted.offsets[0] + 48] ^= 1
    disk.setContents(bytes, at: "a")
    #expect(
      sentence { _ = try journal() } == """
        a: byte 16384: transactions up to 3 were saved, but from here on they can no longer be \
        read. No transaction before it can be read. The file was not changed. Salvage what is \
        intact into a new journal, or restore a backup.
        """)
    #expect(disk.contents(of: "a") == bytes)
  }

  @Test func `the error of a journal without marks names the intact transactions`() throws {
    var crafted = CraftedJournal()
    for byte in 1...3 as ClosedRange<UInt8> { crafted.append([byte]) }
    var bytes = crafted.bytes()
    bytes[8192] ^= 1
    bytes[12288] ^= 1
    disk.setContents(bytes, at: "a")
    #expect(
      sentence { _ = try journal() } == """
        a: the durability marks, which record how far the journal was saved, cannot be read. \
        Transactions 1 through 3 are intact. The file was not changed. Salvage what is intact into \
        a new journal, or restore a backup.
        """)
  }

  @Test func `the error of an unreadable base names its byte`() throws {
    try journal([1], [2], [3]).compact(through: 2, state: [[7], [8]])
    disk.corrupt("a", at: 16384 + 48, xor: 1)
    #expect(
      sentence { _ = try journal() } == """
        a: byte 16384: transactions up to 2 were saved, but from here on they can no longer be \
        read. No transaction before it can be read. The file was not changed. Salvage what is \
        intact into a new journal, or restore a backup.
        """)
    let reader = try JournalReader(at: "a", on: disk)
    #expect(
      "\(reader.report)" == """
        a: byte 16384: transactions up to 2 were saved, but from here on they can no longer be \
        read. No transaction before it can be read.
        """)
    let expected = """
      a: byte 16384: a saved frame can no longer be read. No transaction before it can be read. The \
      file was not changed. Verify the journal to find out what else is affected.
      """
    #expect(sentence { _ = try reader.base() } == expected)
    #expect(sentence { _ = try reader.payloads(from: 3) } == expected)
    #expect(sentence { _ = try FileFollower(at: "a", on: disk) } == expected)
  }

  @Test func `the error of a frame damaged after opening names its byte`() throws {
    let journal = try journal([1], [2], [3])
    disk.corrupt("a", at: 16384 + 64 + 48, xor: 1)
    let expected = """
      byte 16448: a saved frame can no longer be read. Transaction 1 is intact. The file was not \
      changed. Verify the journal to find out what else is affected.
      """
    #expect(sentence { _ = try journal.payloads() } == "a: " + expected)
    #expect(sentence { try journal.backup(to: "b") } == "a: " + expected)
    #expect(disk.contents(of: "b") == nil)
    #expect(sentence { try journal.compact(through: 3, state: [[7]]) } == "a: " + expected)
    #expect(disk.paths == ["/disk/a", "/disk/a-end"])
  }
}
