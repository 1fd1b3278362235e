import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Tests a disk that reports being full only at a write or sync of preallocated space, as
/// copy-on-write file systems do.
@Suite struct `A disk that becomes full at a write or a sync` {
  private static let operations: [DiskError.Operation] = [.write, .sync]

  @Test(arguments: operations, [ENOSPC, EDQUOT])
  func `a full disk leaves the append unknown until recovery, and the error names it`(
    operation: DiskError.Operation, code: Int32
  ) throws {
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1])
    disk.clearLog()
    disk.plan = .failAlways(from: 1, with: code, only: [operation])
    guard case .unknown(let unknown) = try journal.appendAndWait([2]),
      case .disk(let error) = unknown.cause
    else {
      Issue.record("the append is known")
      return
    }
    #expect(error.isDiskFull && error.operation == operation)
    let phrase = code == ENOSPC ? "No space left on device (28)" : "Disk quota exceeded (122)"
    #expect(
      sentence { try journal.mustAppend([3]) }
        == """
        a: writing stopped when a call failed (\(operation.rawValue): \(phrase)). Every transaction \
        acknowledged as durable is safe and can be read. Free some space, then call recover() to \
        continue.
        """)
    disk.plan = .none
    _ = try journal.recoverAndWait()
    let isIncluded = journal.isIncluded(unknown)
    try journal.mustAppend([4])
    #expect(try journal.payloads() == (isIncluded == true ? [[1], [2], [4]] : [[1], [4]]))
  }

  @Test func `only the codes of a full disk or quota count as full`() {
    for code in [EIO, EFBIG, EROFS, EACCES] {
      #expect(!DiskError(.sync, path: "a", code: code).isDiskFull)
    }
  }
}
