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
  /// Where the files are.
  public var disk: any Disk = SystemDisk()
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
}
