import DaybookPlatform

/// The options for opening a journal.
public struct JournalOptions: Sendable {
  /// The guarantee that a transaction has when its append returns.
  public var durability: Durability = .full
  /// The method for loading the bytes of the file into memory.
  public var reading: JournalReading = .mapped
  /// A Boolean value that indicates whether a missing journal is created.
  public var createsIfMissing = true
  /// A Boolean value that indicates whether opening waits until a different writer has closed the
  /// journal. If the value is false, opening throws `locked`.
  public var waitsForLock = false
  /// The POSIX permission bits of a new journal.
  public var permissions: UInt16 = 0o600
  /// A Boolean value that indicates whether a store writes checkpoints, which are files with its
  /// state, beside the journal. The next opening of the store then reads only the part of the
  /// journal after the last checkpoint.
  public var keepsCheckpoints = true
  /// The disk that contains the files.
  package var disk: any Disk = SystemDisk()
  /// The clock that times transactions and delays.
  public var clock: any JournalClock = MachineClock()
  /// The source of random identities and salts.
  package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// A Boolean value that indicates whether threads of Daybook do the background work. If the value
  /// is false, the owner of the journal calls `tend()`.
  package var worksInBackground = true
  /// A Boolean value that indicates whether a replica receives the hints of its log. They need a
  /// separate connection. A command that ends soon has no use for them.
  @_spi(Tools) public var receivesHints = true
  /// The threads that write the groups of tasks. The same threads write the groups that form while
  /// a thread without tasks writes its own group.
  package var workers = WorkerThreads.shared
  /// The beginning of a journal that opening creates; nil for a new header and no base.
  package var beginning: JournalBeginning?
  /// The rule for when a checkpoint is due.
  package var checkpointRule = CheckpointRule()
  /// The progress that long operations report; nil to report none. Long operations are opening for
  /// reading, verification, compaction, and creating a journal from text.
  public var progress: ReadingProgress?

  /// Creates options for a durable journal on this machine's disk. Opening creates the journal if
  /// it is missing.
  public init() {}

  /// Creates options for a journal on a disk that is not this machine's. Tests and programs that
  /// store files elsewhere use this.
  @_spi(Disk) public init(on disk: any Disk) { self.disk = disk }
}

/// The rule that decides when a checkpoint is due: after the journal has grown by enough bytes
/// since the last checkpoint. Enough means both of these:
///
/// - Reading the growth at the next opening would take noticeable time.
/// - The growth is large compared with the last checkpoint. At closing, it is at least an eighth of
///   the checkpoint's size; while the store is open, twice the size. A new checkpoint is about as
///   large as the last checkpoint. So this condition limits the bytes that checkpoints write for
///   each byte of growth.
package struct CheckpointRule: Hashable, Sendable {
  /// The smallest growth, in bytes, after which a checkpoint is due when the store is closed.
  package var closingByteCountMin = 256 << 10
  /// The growth for closing is at least the size of the last checkpoint divided by this number.
  package var closingDivisor = 8
  /// The smallest growth, in bytes, after which a checkpoint is due while the store stays open.
  package var openByteCountMin = 32 << 20
  /// The growth for an open store is at least the size of the last checkpoint multiplied by this
  /// number.
  package var openFactor = 2

  package init() {}

  /// Returns the growth in bytes after which a checkpoint is due: when the store is closed, and
  /// while it is open.
  package func growth(after lastByteCount: Int) -> (closing: UInt64, open: UInt64) {
    (
      UInt64(max(closingByteCountMin, lastByteCount / closingDivisor)),
      UInt64(max(openByteCountMin, lastByteCount * openFactor))
    )
  }
}

/// The guarantees that an append can give when it returns.
public enum Durability: Hashable, Sendable {
  /// The append returns after the transaction was synced. The transaction then survives a power
  /// loss.
  case full
  /// The append returns after the transaction was written. The transaction then survives a crash of
  /// the process. Daybook syncs the transaction in the background after the interval. Daybook syncs
  /// at the latest after one second, or when 16 MiB are not synced.
  case batched(interval: Duration)
  /// A shorthand for ``batched(interval:)`` with an interval of one second.
  case none

  /// The longest interval between the write and the sync of a transaction.
  package static let intervalMaxNanoseconds: Int64 = 1_000_000_000
  /// If this number of bytes is not synced, the leader syncs the next group.
  package static let unsyncedByteCountMax: UInt64 = 16 << 20

  package var syncsEachGroup: Bool { self == .full }

  package var intervalNanoseconds: Int64 {
    switch self {
    case .full: return 0
    case .batched(let interval):
      let (seconds, attoseconds) = min(max(.zero, interval), .seconds(1)).components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    case .none: return Durability.intervalMaxNanoseconds
    }
  }
}

/// The preallocation of space by zeros.
///
/// A write into space that already contains zeros does not change the file's size or its extents.
/// So its sync has less to make durable than the sync of a write that grows the file. Reserving
/// space without writing zeros was rejected, because it has no reliable benefit.
enum ZeroFill {
  /// The preallocated space is a quarter of the journal, within these bounds.
  static let aheadByteCountMin: UInt64 = 64 << 10
  static let aheadByteCountMax: UInt64 = 1 << 20

  private static let piece = [UInt8](repeating: 0, count: 64 << 10)

  static func aheadByteCount(endOffset: UInt64) -> UInt64 {
    min(max(endOffset / 4, aheadByteCountMin), aheadByteCountMax)
  }

  /// Writes zeros over a range.
  static func fill(_ file: any DiskFile, in range: Range<UInt64>) throws(DiskError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = min(UInt64(piece.count), range.upperBound - offset)
      try file.writeAll(piece.span.bytes.extracting(0..<Int(count)), at: offset)
      offset += count
    }
  }
}

/// A position in a journal that follows only frames that were verified earlier. A checkpoint stores
/// the position, so that opening need not read these frames.
package struct JournalStart: Hashable, Sendable {
  /// The position after the last verified frame.
  package var end: FramePosition
  /// The start offset of the last verified frame.
  package var lastFrameOffset: UInt64
  /// The positions of some frames before the end, at most one in 64 KiB.
  package var index: FrameIndex

  package init(end: FramePosition, lastFrameOffset: UInt64, index: FrameIndex) {
    self.end = end
    self.lastFrameOffset = lastFrameOffset
    self.index = index
  }

  /// A closure that searches the checkpoints beside a journal for a position. All frames before the
  /// position were verified earlier. The parameter `fits` tests whether the journal still contains
  /// the last frame before a position.
  package typealias Search = (
    _ files: DerivedFiles, _ header: JournalHeader, _ fits: (JournalStart) -> Bool
  ) -> JournalStart?

  /// Returns the position that a search finds, if it fits the journal; otherwise nil.
  static func found(
    by search: Search, in file: JournalFile, of header: JournalHeader, beside files: DerivedFiles
  ) -> JournalStart? {
    func fits(_ start: JournalStart) -> Bool { (try? start.fits(file, of: header)) == true }
    return search(files, header, fits).flatMap { fits($0) ? $0 : nil }
  }

  /// Returns a Boolean value that indicates whether a journal contains the last verified frame at
  /// its recorded position.
  ///
  /// The checksum of this frame depends on all frames before it, so the journal is the same one.
  /// ``LateChecks`` finds damage in the earlier frames when they are first read.
  package func fits(_ image: any JournalImage, of header: JournalHeader) throws(DiskError) -> Bool {
    guard end.chain.isPastBase, lastFrameOffset >= JournalLayout.firstFrameOffset,
      end.endOffset > lastFrameOffset, end.endOffset <= image.byteCount,
      end.endOffset - lastFrameOffset
        <= UInt64(Frame.byteCount(payload: Frame.payloadByteCountMax)),
      index.count > 0, index.offset(0) == JournalLayout.firstFrameOffset
    else { return false }
    let byteCount = Int(end.endOffset - lastFrameOffset)
    let view = try image.view(at: lastFrameOffset, atLeast: byteCount)
    guard view.count >= byteCount, byteCount >= Frame.headerByteCount else { return false }
    return view.withSpan { bytes in
      let frame = FrameReader.frame(in: bytes, at: 0, salt: header.salt)
      return frame.defect == nil && frame.checksum == end.chain.point.checksum
        && frame.header.frameByteCount == byteCount && frame.header.kind == .transaction
        && frame.header.sequence == end.sequence && frame.header.time == end.chain.point.time
    }
  }
}

/// The progress of a long read, for display to a user.
public struct ReadingProgress: Sendable {
  /// A part of the work. Each part counts its bytes from zero.
  public enum Phase: Hashable, Sendable, CaseIterable {
    /// Bytes are compared with their checksums, or a text is checked for its form.
    case checking
    /// The contents are read, or written to a new file.
    case reading
  }

  private let body: @Sendable (_ phase: Phase, _ done: UInt64, _ all: UInt64) -> Void

  /// Creates a progress that calls a closure.
  ///
  /// - Parameter body: A closure that is called with the phase, the number of bytes that are done,
  ///   and the total number of bytes. In each phase, the number of bytes that are done increases.
  public init(
    _ body: @escaping @Sendable (_ phase: Phase, _ done: UInt64, _ all: UInt64) -> Void
  ) {
    self.body = body
  }

  /// The number of bytes between two reports.
  package static let stepByteCount: UInt64 = 1 << 20

  /// Returns the reports of one pass over bytes.
  package func steps(_ phase: Phase, of all: UInt64) -> Steps {
    // The number is limited to the total, because a rewritten file may be longer than its source.
    Steps(body: { [body] in body(phase, min($0, all), all) })
  }

  /// The reports of one pass over bytes, at most one for each ``stepByteCount`` bytes. The other
  /// calls of ``pass(_:)`` only compare two numbers.
  package struct Steps {
    fileprivate let body: (UInt64) -> Void
    private var next = ReadingProgress.stepByteCount

    fileprivate init(body: @escaping (UInt64) -> Void) { self.body = body }

    package mutating func pass(_ done: UInt64) {
      guard done >= next else { return }
      next = done + ReadingProgress.stepByteCount
      body(done)
    }
  }
}
