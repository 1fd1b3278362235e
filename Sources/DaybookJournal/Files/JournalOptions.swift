import DaybookPlatform

/// How a journal is opened.
public struct JournalOptions: Sendable {
  /// When an append returns.
  public var durability: Durability = .full
  /// How bytes are brought into memory.
  public var reading: JournalReading = .mapped
  /// Whether a journal that is not there is made.
  public var createsIfMissing = true
  /// Whether to wait for a writer that has the journal, rather than to refuse.
  public var waitsForLock = false
  /// The permissions of a new journal.
  public var permissions: UInt16 = 0o600
  /// Whether the state is kept beside the journal now and then, so that the next opening reads no further back.
  public var keepsCheckpoints = true
  /// The disk that has the files.
  package var disk: any Disk = SystemDisk()
  /// Where the time comes from.
  public var clock: any JournalClock = MachineClock()
  /// Where identities and salts come from.
  package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// Whether a thread does what is due in the background; if not, whoever opened the journal calls
  /// `tend()`.
  package var tendsItself = true
  /// The threads that write what tasks append, and what follows an append that its own thread has written.
  package var workers = WorkerThreads.shared
  /// When a checkpoint is due.
  package var checkpointRule = CheckpointRule()
  /// The progress that a long operation reports: the opening of a journal for reading, a verification, a compaction,
  /// or the making of a journal from a text.
  public var progress: ReadingProgress?

  /// A durable journal on this machine's disk, made if it is missing.
  public init() {}

  /// Creates options for a journal on another disk than this machine's: for tests, and for programs that
  /// keep files elsewhere.
  @_spi(Disk) public init(on disk: any Disk) { self.disk = disk }
}

/// When a checkpoint is due: when the journal has grown by so much since the last one that to read that again
/// takes longer than people like, and no sooner than that the checkpoint costs less to write than what was
/// written meanwhile.
///
/// The last checkpoint's size stands for what the next one costs.
package struct CheckpointRule: Hashable, Sendable {
  /// By how many bytes a journal grows at least until one is due when the store is closed,
  package var closingByteCountMin = 256 << 10
  /// and as which part of the last checkpoint.
  package var closingDivisor = 8
  /// The same until one is due while others go on saving,
  package var openByteCountMin = 32 << 20
  /// and how many times the last checkpoint.
  package var openFactor = 2

  package init() {}

  /// How much is due when the store is closed, and how much before that.
  package func growth(after lastByteCount: Int) -> (closing: UInt64, open: UInt64) {
    (
      UInt64(max(closingByteCountMin, lastByteCount / closingDivisor)),
      UInt64(max(openByteCountMin, lastByteCount * openFactor))
    )
  }
}

/// When an append returns, and so what it can promise.
public enum Durability: Hashable, Sendable {
  /// Once the transaction is on disk. It survives a power loss.
  case full
  /// Once it is written. It survives the end of the process; it is synced in the background at the
  /// latest after the interval, a second, or 16 MiB, whichever comes first.
  case batched(milliseconds: Int)
  /// As ``batched(milliseconds:)``, with a second.
  case none

  /// The longest that a transaction may stay unsynced.
  package static let intervalMaxNanoseconds: Int64 = 1_000_000_000
  /// The most bytes that may stay unsynced.
  package static let unsyncedByteCountMax: UInt64 = 16 << 20

  package var syncsEachGroup: Bool { self == .full }

  package var intervalNanoseconds: Int64 {
    switch self {
    case .full: 0
    case .batched(let milliseconds):
      Int64(min(max(0, milliseconds), 1000)) * 1_000_000
    case .none: Durability.intervalMaxNanoseconds
    }
  }
}

/// Space filled with zeros before it is needed.
///
/// A durable append into space that was written before does not change the file's size or extents,
/// so its sync has less to make durable: about 1.4 times as fast as one that grows the file.
/// Reserving space without writing it gains nothing reliable.
enum ZeroFill {
  /// The space ahead is a quarter of the journal, within these bounds.
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

/// A place in a journal up to which somebody has gone through the frames before, and found them to be right.
package struct JournalStart: Hashable, Sendable {
  /// Behind the last of these frames.
  package var end: FramePosition
  /// Where that frame begins.
  package var lastFrameOffset: UInt64
  /// Where frames begin, one entry each 64 KiB.
  package var index: FrameIndex

  package init(end: FramePosition, lastFrameOffset: UInt64, index: FrameIndex) {
    self.end = end
    self.lastFrameOffset = lastFrameOffset
    self.index = index
  }

  /// Whether the last of the frames stands in a journal as it is said to. It tells of all before it, by the
  /// chain of checks; whether their bytes are still those that it tells of is seen when they are read.
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
      return frame.misfit == nil && frame.check == end.chain.point.check
        && frame.header.frameByteCount == byteCount && frame.header.kind == .transaction
        && frame.header.sequence == end.sequence && frame.header.time == end.chain.point.time
    }
  }
}

/// How far the reading of something large is, for whoever tells a person who waits.
public struct ReadingProgress: Sendable {
  /// A part of the work that counts its bytes from zero.
  public enum Phase: Hashable, Sendable, CaseIterable {
    /// Bytes are compared with their checks, or a text is checked for its form.
    case checking
    /// The contents are read, or written again.
    case reading
  }

  private let body: @Sendable (_ phase: Phase, _ done: UInt64, _ all: UInt64) -> Void

  /// Creates a progress that calls a closure.
  ///
  /// - Parameter body: A closure that is called with the number of bytes that are done, in ascending order in each
  ///   phase, and the number of all.
  public init(
    _ body: @escaping @Sendable (_ phase: Phase, _ done: UInt64, _ all: UInt64) -> Void
  ) {
    self.body = body
  }

  /// After how many bytes somebody is told.
  package static let stepByteCount: UInt64 = 1 << 20

  /// Those of one pass.
  package func steps(_ phase: Phase, of all: UInt64) -> Steps {
    // What is written again may come out longer than it was.
    Steps(body: { [body] in body(phase, min($0, all), all) })
  }

  /// One pass over the bytes: to say where it is costs nothing but a comparison.
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
