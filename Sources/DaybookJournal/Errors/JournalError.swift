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

extension JournalError: CustomStringConvertible {
  /// Where, what happened, what is safe, and what to do: each a sentence.
  public var description: String {
    let place = offset.map { "\(path): byte \($0): " } ?? "\(path): "
    return place + ([happened] + [safe, advice].filter { !$0.isEmpty }).joined(separator: " ")
  }

  package var happened: String {
    switch reason {
    case .missing: "there is no file of this name."
    case .exists: "a file of this name exists."
    case .linkLeadsNowhere: "the symbolic link leads to no file."
    case .notAFile(let kind): "a journal is a file, and this is \(JournalError.name(of: kind))."
    case .notAJournal(let why): JournalError.sentence(why)
    case .newerFormat(let version, let oldestReader):
      """
      the journal is of format \(version), which only builds that read format \(oldestReader) can \
      read; this one reads up to \(JournalHeader.version).
      """
    case .newerWriter(let version, let oldestWriter):
      """
      the journal is of format \(version), which only builds that write format \(oldestWriter) may \
      write; this one writes \(JournalHeader.version).
      """
    case .newerFrame(kind: 0):
      "a frame stands here with bits set that only a newer build knows."
    case .newerFrame(let kind):
      """
      a frame of kind \(kind) stands here, which a newer build wrote; this one knows kinds 1 to \
      \(FrameKind.baseEnd.rawValue).
      """
    case .damaged(let highest?):
      "transactions up to \(highest) were synced, and from here on they cannot be read."
    case .damaged(nil):
      "the marks that say how far the journal was synced cannot be read."
    case .damagedFrame: "a frame that was durable cannot be read."
    case .locked(let holder?): "\(holder) is writing to this journal."
    case .locked(nil): "another process is writing to this journal."
    case .replaced: "the file was replaced or removed after it was opened."
    case .cutShort: "someone else has cut the file short after it was opened."
    case .historyChanged: "the journal no longer goes on from what was read of it."
    case .belowBase(let base):
      "history up to transaction \(base) was dropped, and the transaction asked for is not after it."
    case .diskFull: "there is no space on the disk for it."
    case .stopped(let error):
      "writing stopped when a call failed (\(error.operation.rawValue): \(error.reasonPhrase))."
    case .writtenLost(let last):
      """
      transactions up to \(last) were written and not synced, and from here on they cannot be read.
      """
    case .precedingRefused: "the transaction before this one was refused."
    case .payloadEmpty: "a transaction has at least one byte, and this one has none."
    case .payloadTooLarge(let byteCount):
      "a transaction has at most \(Frame.payloadByteCountMax) bytes, and this one has \(byteCount)."
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
    case .diskFull: "Nothing of it was written, and what was there before is whole."
    case .precedingRefused, .payloadEmpty, .payloadTooLarge:
      "Nothing of it was written, and the journal goes on."
    case .stopped: "Every transaction acknowledged as durable is safe, and can be read."
    case .replaced: "Nothing was written to the file that is there now."
    case .cutShort: "Nothing was written to it."
    case .missing, .linkLeadsNowhere, .locked, .belowBase, .closed, .system: ""
    }
  }

  private var advice: String {
    switch reason {
    case .missing: "Check the path."
    case .exists: "Choose another name, or move the file away."
    case .linkLeadsNowhere: "Mend or remove the link."
    case .notAFile: "Name the journal's file."
    case .notAJournal(.emptied):
      "Restore it from a backup, or move the files beside it away to start anew."
    case .notAJournal(.headersDamaged), .notAJournal(.headersDisagree): "Restore it from a backup."
    case .notAJournal(.unwritten): "Open it for writing to make it a journal."
    case .notAJournal: "Check the path."
    case .newerFormat, .newerFrame: "Open it with a newer build."
    case .newerWriter: "Open it read-only, or with a newer build."
    case .damaged: "Salvage what is intact into a new journal, or restore a backup."
    case .damagedFrame: "Verify the journal to learn what else is affected."
    case .locked: "Open it read-only, or wait for the lock."
    case .replaced: "Open it again."
    case .cutShort: "Close it, and open it again to learn what is left."
    case .historyChanged: "Read it again from the start."
    case .belowBase: "Begin with the base."
    case .diskFull: "Free some space and try again."
    case .stopped(let error) where error.isDiskFull:
      "Free some space, then call recover() to go on."
    case .stopped: "Call recover() to go on."
    case .writtenLost: "Close it, and open it again to go on from there."
    case .precedingRefused: "Save again."
    case .payloadEmpty, .payloadTooLarge, .closed, .system: ""
    }
  }

  /// What can be read of a journal that begins with the state as of a base, or, if that is 0, with
  /// transaction 1.
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
      a journal has at least \(JournalLayout.firstFrameOffset) bytes, and this file has \(byteCount).
      """
    case .unwritten(byteCount: 0): "the file is empty, as an interrupted creation leaves it."
    case .unwritten(let byteCount):
      "the file holds \(byteCount) bytes of zeros, as an interrupted creation leaves it."
    case .foreign(let bytes) where bytes.first == UInt8(ascii: "{"):
      "the file begins with '{', as a text journal does, and not with a binary journal's eight bytes."
    case .foreign(let bytes):
      "the file begins with \(hexadecimal(bytes)), and a journal with \(hexadecimal(JournalHeader.magic))."
    case .headersDamaged:
      "the file begins like a journal, but neither copy of its header passes its check."
    case .headersDisagree:
      "the two copies of the header name different journals, and the frames fit neither."
    case .emptied(byteCount: 0):
      "the file is empty, and files beside it show that it was a journal."
    case .emptied(let byteCount):
      "the file holds \(byteCount) bytes of zeros, and files beside it show that it was a journal."
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
    case .other: "something else"
    }
  }
}
