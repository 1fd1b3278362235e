import DaybookPlatform

/// Why a journal could not be opened, read, or appended to.
///
/// Throwing leaves the journal as it was: no call that throws a `JournalError` has changed a
/// committed byte. ``reason`` is for programs to switch on; ``description`` is for people, and its
/// wording may change in any release.
public struct JournalError: Error, Hashable, Sendable {
  /// What happened, for programs.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// There is no file of this name.
    case missing
    /// A file of this name exists where a new one was to be made.
    case exists
    /// The path leads through a symbolic link to no file.
    case linkLeadsNowhere
    /// Something other than a file stands there.
    case notAFile(FileStatus.Kind)
    /// The file holds something other than a journal, or a journal whose beginning cannot be read.
    case notAJournal(NotAJournal)
    /// The journal needs a newer build to be read.
    case newerFormat(version: UInt16, oldestReader: UInt16)
    /// The journal needs a newer build to be written, and can be read by this one.
    case newerWriter(version: UInt16, oldestWriter: UInt16)
    /// The journal holds a frame of a kind that only a newer build knows; of kind 0, one with bits
    /// set that only a newer build knows.
    case newerFrame(kind: UInt8)
    /// Transactions that were acknowledged as durable cannot be read.
    case damaged(highestSynced: SequenceNumber?)
    /// A frame that was read before, or that is known to be durable, cannot be read now.
    case damagedFrame
    /// Another process, or another opening in this one, is the writer.
    case locked(by: LockHolder?)
    /// The file was replaced or removed since it was opened.
    case replaced
    /// The file was cut short by someone else since it was opened.
    case cutShort
    /// The journal goes on differently than when it was read: what was read is no longer its past.
    case historyChanged
    /// The transaction was dropped by compaction; the journal begins with the state as of this one.
    case belowBase(SequenceNumber)
    /// There is no room for what was to be written. Nothing of it was.
    case diskFull
    /// A write or sync failed earlier, and nothing more is written before `recover()`.
    case stopped(DiskError)
    /// Transactions up to this one were acknowledged as written, and the last of them cannot be read after a
    /// write or sync failed.
    case writtenLost(through: SequenceNumber)
    /// The transaction came behind one that was not appended, and so was not either.
    case precedingRefused
    /// A payload has no bytes.
    case payloadEmpty
    /// A payload has more than 1 GiB.
    case payloadTooLarge(Int)
    /// The journal was closed.
    case closed
    /// The operating system refused a call.
    case system(DiskError)
  }

  /// What happened, for programs.
  public let reason: Reason
  /// The file, as the caller named it.
  public let path: String
  /// Where in the file the trouble begins, if it is at a place.
  public let offset: UInt64?
  /// The last transaction that can still be read, if there is one and it is known.
  public let lastReadable: SequenceNumber?
  /// The transaction with whose state the journal begins, if it was compacted; else 0.
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

  /// The error for a call that the disk refused, with a reason of its own where there is one.
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

  /// Makes calls of the disk, and of what the disk refuses a journal's error.
  package static func translating<Result>(
    _ path: String, perform calls: () throws(DiskError) -> Result
  ) throws(JournalError) -> Result {
    do { return try calls() } catch { throw JournalError(error, path: path) }
  }
}

/// Why a file is not taken for a journal.
@nonexhaustive
public enum NotAJournal: Hashable, Sendable {
  /// It is too short to hold a header.
  case short(byteCount: UInt64)
  /// It is empty or zeros, as an interrupted creation leaves it; opening it for writing makes a
  /// journal of it.
  case unwritten(byteCount: UInt64)
  /// It begins with other bytes than a journal does.
  case foreign(firstBytes: [UInt8])
  /// It begins like a journal, but neither copy of the header can be read.
  case headersDamaged
  /// Both copies can be read and name different journals, and the frames favour neither.
  case headersDisagree
  /// It is empty or zeros, while files beside it show that it was not always.
  case emptied(byteCount: UInt64)
}
