import DaybookPlatform

/// An error of opening, reading, or appending to a journal.
///
/// A call that throws a `JournalError` has lost no durable transaction. Programs switch on
/// ``reason``. ``description`` is for people, and its wording may change in any release.
public struct JournalError: Error, Hashable, Sendable {
  /// The reasons for an error, for programs.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// No file of this name exists.
    case missing
    /// A file of this name exists, so a new file cannot be created.
    case exists
    /// The path is a symbolic link to a missing file, or symbolic links form a cycle.
    case linkLeadsNowhere
    /// The path is the path of a directory or of a special file.
    case notAFile(FileStatus.Kind)
    /// The file is not a journal, or its first pages are not readable.
    case notAJournal(NotAJournal)
    /// Reading the journal needs a newer build.
    case newerFormat(version: UInt16, oldestReader: UInt16)
    /// Writing the journal needs a newer build. This build can only read the journal.
    case newerWriter(version: UInt16, oldestWriter: UInt16)
    /// The journal contains a frame of a kind that only a newer build can read. For kind 0, the
    /// frame has bits set that only a newer build recognizes.
    case newerFrame(kind: UInt8)
    /// Transactions that were reported as durable, up to `highestSynced`, are not readable. If
    /// `highestSynced` is nil, the durability marks are not readable.
    case damaged(highestSynced: SequenceNumber?)
    /// A frame that was read earlier, or that is known to be durable, is not readable.
    case damagedFrame
    /// A different process is writing to the journal, or this process has already opened it for
    /// writing.
    case locked(by: LockHolder?)
    /// The file was replaced or removed after it was opened.
    case replaced
    /// Another program truncated the file after it was opened.
    case cutShort
    /// The journal does not continue the history that was read from it. For example, an older copy
    /// has replaced the file.
    case historyChanged
    /// Compaction has dropped the requested transaction. The associated value is the last dropped
    /// transaction; the journal starts with the state after it.
    case belowBase(SequenceNumber)
    /// The disk has no space for the bytes to write. None of them was written.
    case diskFull
    /// A write or a sync failed earlier. The journal writes nothing before a call of `recover()`.
    case stopped(DiskError)
    /// Transactions up to `through` were reported as written. After a failed write or sync, the
    /// last of these transactions are not readable.
    case writtenLost(through: SequenceNumber)
    /// The transaction before this one was not appended, so this transaction was not appended
    /// either.
    case precedingRefused
    /// Other machines have appended to the shared log first, so this transaction was not appended.
    case outpaced
    /// The shared log could not be used, and this transaction was not appended.
    case sharedLog(SharedLogError)
    /// The shared log does not contain all transactions of the replica, so nothing is appended.
    case diverged(LogDivergence)
    /// The shared log with this name has changed after a plan to repair it was made.
    case planOutdated(log: String)
    /// The shared log with this name contains a rewritten journal: the same journal with a new
    /// salt, for example after a compaction. No frame of the replica continues it.
    case rewritten(log: String)
    /// The file is a replica of the shared log with this name, and it was opened for writing
    /// without the log.
    case replica(of: String)
    /// The file is a journal that is not a replica of the shared log with this name.
    case notReplica(of: String)
    /// The file is a replica of a different journal than the shared log with this name contains.
    case otherLog(String, expected: JournalIdentity, found: JournalIdentity)
    /// The payload has no bytes.
    case payloadEmpty
    /// The payload has more than 1 GiB.
    case payloadTooLarge(Int)
    /// The journal was closed.
    case closed
    /// The operating system refused a call.
    case system(DiskError)
  }

  /// The reason for the error, for programs.
  public let reason: Reason
  /// The path of the file, as the caller passed it.
  public let path: String
  /// The start of the problem in the file; nil if the problem has no offset.
  public let offset: UInt64?
  /// The last transaction that is still readable; 0 if none is readable. The value is nil if it is
  /// unknown, or if the reason is not related to damage.
  public let lastReadable: SequenceNumber?
  /// The last transaction that compaction dropped; 0 for a journal with its whole history.
  package let base: SequenceNumber

  package init(
    _ reason: Reason, path: String, offset: UInt64? = nil, lastReadable: SequenceNumber? = nil,
    base: SequenceNumber = .zero
  ) {
    self.reason = reason
    self.path = path
    self.offset = offset
    self.lastReadable = lastReadable
    self.base = base
  }

  /// Creates the error for a failed call of the disk, with the most specific reason.
  package init(_ error: DiskError, path: String) {
    let reason: Reason =
      switch (error.operation, error.code) {
      case (.open, Errno.noSuchFile), (.status, Errno.noSuchFile): .missing
      case (.resolve, Errno.noSuchFile) where error.path == path, (.resolve, Errno.tooManyLinks):
        .linkLeadsNowhere
      case (.open, Errno.isDirectory): .notAFile(.directory)
      case (.create, Errno.fileExists), (.link, Errno.fileExists): .exists
      case (_, _) where error.isDiskFull: .diskFull
      case (_, Errno.badFileDescriptor): .closed
      default: .system(error)
      }
    self.init(reason, path: path)
  }

  /// Performs calls of the disk, and converts an error of the disk into an error of the journal.
  package static func translating<Result>(
    _ path: String, perform calls: () throws(DiskError) -> Result
  ) throws(JournalError) -> Result {
    do { return try calls() } catch { throw JournalError(error, path: path) }
  }
}

/// The reasons why a file is not a journal.
@nonexhaustive
public enum NotAJournal: Hashable, Sendable {
  /// The file is too short for a header.
  case short(byteCount: UInt64)
  /// The file is empty or contains only zeros, as after an interrupted creation. Opening it for
  /// writing creates a journal.
  case unwritten(byteCount: UInt64)
  /// The first bytes of the file are not those of a journal.
  case foreign(firstBytes: [UInt8])
  /// The file starts as a journal does, but neither copy of the header is readable.
  case headersDamaged
  /// Both copies of the header are readable, and they contradict each other. The marks and the
  /// first frame do not show which copy is right.
  case headersDisagree
  /// The file is empty or contains only zeros, but the files beside it prove that it was a journal.
  case emptied(byteCount: UInt64)
}

extension JournalError.Reason {
  /// A Boolean value that indicates whether the shared log cannot be used at present. Appends that
  /// follow a refused one are then refused with the same reason.
  var isOfSharedLog: Bool {
    switch self {
    case .sharedLog, .diverged, .rewritten: true
    default: false
    }
  }
}

extension JournalError: CustomStringConvertible {
  /// The position of the problem, its description, the data that is safe, and advice: at most one
  /// sentence for each.
  public var description: String {
    let location = offset.map { "\(path): byte \($0): " } ?? "\(path): "
    return location + ([happened] + [safe, advice].filter { !$0.isEmpty }).joined(separator: " ")
  }

  package var happened: String {
    switch reason {
    case .missing: "there is no file of this name."
    case .exists: "a file of this name exists."
    case .linkLeadsNowhere: "the target of the symbolic link does not exist."
    case .notAFile(let kind): "expected a journal file, found \(JournalError.name(of: kind))."
    case .notAJournal(let why): JournalError.sentence(why)
    case .newerFormat(let version, let oldestReader):
      """
      the journal has format \(version), which needs a build that reads format \(oldestReader); this \
      build reads up to format \(JournalHeader.version).
      """
    case .newerWriter(let version, let oldestWriter):
      """
      the journal has format \(version), and writing it needs a build that writes format \
      \(oldestWriter); this build writes format \(JournalHeader.version).
      """
    case .newerFrame(kind: 0):
      "the frame here has bits set that only a newer build understands."
    case .newerFrame(let kind):
      """
      the frame here is of kind \(kind), which a newer build wrote; this build understands kinds 1 to \
      \(FrameKind.sharedBaseEnd.rawValue).
      """
    case .damaged(let highest?):
      "transactions up to \(highest) were saved, but from here on they can no longer be read."
    case .damaged(nil):
      "the durability marks, which record how far the journal was saved, cannot be read."
    case .damagedFrame: "a saved frame can no longer be read."
    case .locked(let holder?): "\(holder) is writing to this journal."
    case .locked(nil): "another process is writing to this journal."
    case .replaced: "the file was replaced or removed after it was opened."
    case .cutShort: "another process truncated the file after it was opened."
    case .historyChanged: "the journal no longer continues what was read from it."
    case .belowBase(let base):
      "history up to transaction \(base) was dropped, and the requested transaction is not after it."
    case .diskFull: "the disk is full."
    case .stopped(let error):
      "writing stopped when a call failed (\(error.operation.rawValue): \(error.reasonPhrase))."
    case .writtenLost(let last):
      """
      transactions up to \(last) were written but not synced, and from here on they can no longer be \
      read.
      """
    case .precedingRefused: "the transaction before this one was refused."
    case .outpaced: "another machine appended to the shared log first."
    case .sharedLog(let error):
      "the transaction is not saved, because of its shared log. \(error)"
    case .diverged(let divergence): "\(divergence)."
    case .planOutdated(let log):
      "the log \(log) has changed after the plan of the repair was made."
    case .rewritten(let log):
      "the log \(log) contains a rewritten journal, which this replica cannot continue."
    case .replica(let log):
      "the file is a replica of the log \(log), and only a program that shares the log may write to it."
    case .notReplica(let log):
      "the file is a journal of its own, and not a replica of the log \(log)."
    case .otherLog(let log, let expected, let found):
      "the file is a replica of the journal \(expected), but the log \(log) contains the journal \(found)."
    case .payloadEmpty: "a transaction needs at least one byte, but this one is empty."
    case .payloadTooLarge(let byteCount):
      "a transaction has at most \(Frame.payloadByteCountMax) bytes, but this one has \(byteCount)."
    case .closed: "the journal is closed."
    case .system(let error) where error.operation == .resolve && error.code == Errno.noSuchFile:
      "there is no directory \(error.path)."
    case .system(let error) where error.path == path:
      "\(error.operation.rawValue): \(error.reasonPhrase)."
    case .system(let error): "\(error.operation.rawValue) of \(error.path): \(error.reasonPhrase)."
    }
  }

  private var safe: String {
    switch reason {
    case .damaged, .damagedFrame, .newerFrame, .writtenLost:
      JournalError.intact(through: lastReadable, base: base) + " The file was not changed."
    case .historyChanged: "The file was not changed."
    case .notAJournal, .newerFormat, .newerWriter, .notAFile, .exists: "Nothing was changed."
    case .diskFull: "Nothing was written, and the existing contents are intact."
    case .precedingRefused, .outpaced, .payloadEmpty, .payloadTooLarge:
      "Nothing of it was written, and the journal remains usable."
    case .stopped: "Every transaction acknowledged as durable is safe and can be read."
    case .diverged, .rewritten: "The replica can be read, and nothing is written."
    case .replica, .notReplica, .otherLog: "Nothing was changed."
    case .planOutdated: "The replica was not changed."
    case .sharedLog: "The replica can be read."
    case .replaced: "Nothing was written to the new file."
    case .cutShort: "Nothing was written to it."
    case .missing, .linkLeadsNowhere, .locked, .belowBase, .closed, .system: ""
    }
  }

  private var advice: String {
    switch reason {
    case .missing: "Check the path."
    case .exists: "Choose another name, or move the file away."
    case .linkLeadsNowhere: "Repair or remove the link."
    case .notAFile: "Name the journal's file."
    case .notAJournal(.emptied):
      "Restore it from a backup, or move the files beside it away to start again."
    case .notAJournal(.headersDamaged), .notAJournal(.headersDisagree): "Restore it from a backup."
    case .notAJournal(.unwritten): "Open it for writing to make it a journal."
    case .notAJournal: "Check the path."
    case .newerFormat, .newerFrame: "Open it with a newer build."
    case .newerWriter: "Open it read-only, or with a newer build."
    case .damaged: "Salvage what is intact into a new journal, or restore a backup."
    case .damagedFrame: "Verify the journal to find out what else is affected."
    case .locked: "Open it read-only, or wait for the lock."
    case .replaced: "Open it again."
    case .cutShort: "Close it, and open it again to find out what is left."
    case .historyChanged: "Read it again from the start."
    case .belowBase: "Start at the base."
    case .diskFull: "Free some space and try again."
    case .stopped(let error) where error.isDiskFull:
      "Free some space, then call recover() to continue."
    case .stopped: "Call recover() to continue."
    case .writtenLost: "Close it, and open it again to continue from there."
    case .precedingRefused, .outpaced: "Save again."
    case .replica: "Open it with sharing:, or open it for reading."
    case .notReplica, .otherLog: "Choose another path, or another log."
    case .diverged: "Repair it."
    case .planOutdated: "Make a new plan."
    case .rewritten: "Open the log with a new path."
    case .sharedLog: ""
    case .payloadEmpty, .payloadTooLarge, .closed, .system: ""
    }
  }

  /// Returns a sentence about the readable part of a journal. The journal starts with the state as
  /// of a base, or with transaction 1 if the base is 0.
  package static func intact(
    through last: SequenceNumber?, base: SequenceNumber = .zero
  ) -> String {
    let state = "state as of transaction \(base)"
    switch last {
    case nil, SequenceNumber.zero?: return "No transaction before it can be read."
    case base?: return "The \(state) is intact."
    case base.next? where base > .zero:
      return "The \(state) and transaction \(base.next) are intact."
    case let last? where base > .zero:
      return "The \(state) and transactions \(base.next) through \(last) are intact."
    case 1?: return "Transaction 1 is intact."
    case let last?: return "Transactions 1 through \(last) are intact."
    }
  }

  private static func sentence(_ why: NotAJournal) -> String {
    switch why {
    case .short(let byteCount):
      """
      a journal has at least \(JournalLayout.firstFrameOffset) bytes, but this file has \(byteCount).
      """
    case .unwritten(byteCount: 0): "the file is empty because its creation was interrupted."
    case .unwritten(let byteCount):
      "the file contains only zeros (\(byteCount) bytes) because its creation was interrupted."
    case .foreign(let bytes) where bytes.first == UInt8(ascii: "{"):
      "the file starts with '{', like a text journal, not with the eight bytes of a binary journal."
    case .foreign(let bytes):
      "the file starts with \(hexadecimal(bytes)), but a journal with \(hexadecimal(JournalHeader.magic))."
    case .headersDamaged:
      "the file starts like a journal, but both copies of its header have wrong checksums."
    case .headersDisagree:
      "the two copies of the header differ, and the frames do not show which of them is right."
    case .emptied(byteCount: 0):
      "the file is empty, but files beside it show that it was a journal."
    case .emptied(let byteCount):
      "the file contains only zeros (\(byteCount) bytes), but files beside it show that it was a journal."
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }

  private static func name(of kind: FileStatus.Kind) -> String {
    switch kind {
    case .file: "a file"
    case .directory: "a directory"
    case .fifo: "a FIFO"
    case .socket: "a socket"
    case .device: "a device"
    case .other: "a special file"
    }
  }
}
