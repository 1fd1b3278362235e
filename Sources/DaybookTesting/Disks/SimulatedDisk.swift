import DaybookJournal
import DaybookPlatform
import Synchronization

/// A disk in memory that fails, tears, lies and loses power where a test tells it to.
///
/// It does the same things every time: no clock, no thread, and no number that a seed does not
/// decide.
///
/// ```swift
/// let disk = SimulatedDisk()
/// disk.plan = .fail(call: 3, with: EIO, only: [.sync])
/// try runTheProgram(on: disk)
///
/// var generator = SplitMix64(seed: 7)
/// let afterwards = disk.powerLoss(using: &generator)
/// try checkWhatIsLeft(on: afterwards)
/// ```
///
/// ## What is durable
///
/// A write goes to the cache, where every read finds it. A sync of the file makes its bytes and its
/// size durable; its names become durable when their directory is synced, and not before. A power
/// loss leaves what is durable, and of the rest any part: each 512-byte sector as it was or as any
/// write since has made it (``SectorModel`` has the table), each file of its durable size or any it
/// has had since, and of the changes of names any, in their order, a rename always whole. The end
/// of a process loses nothing.
///
/// ## What a failed sync does
///
/// What Linux does: the sectors that could not be written are dropped. They are called clean, reads
/// find them still, and no later sync makes them durable until they are written again. A sync that
/// lies leaves everything as unsynced as it was. A directory's sync that fails drops nothing.
///
/// ## What it leaves out
///
/// Permissions are kept and not enforced. Directories and symbolic links are made by the test,
/// durable at once, and neither removed nor renamed by the program. Unless ``mapsFiles`` is set, `map` throws
/// `ENODEV`, as some file systems do, so that a journal here is read by copying. A watch waits for nothing, and
/// `lockWaiting` throws `EDEADLK` where it would have to. A relative path begins at
/// ``workingDirectory``.
public final class SimulatedDisk: Disk {
  // Shared state
  //
  // - `state`, everything: guarded by its mutex, for the length of one call.
  //
  // Handles know the disk, and the disk knows their numbers alone, so none is released in a call.
  let state: Mutex<SimulatedState>

  /// How many bytes a disk writes whole or not at all.
  public static let sectorByteCount = SimulatedInode.sectorByteCount

  /// The largest size of a file, as it lives in memory; a write beyond it throws `EFBIG`.
  public static let fileByteCountMax = 1 << 30

  /// The directory where relative paths begin. It is there from the start.
  public static let workingDirectory = SimulatedState.workingDirectory

  /// Creates an empty disk without limits or faults.
  ///
  /// - Parameter seed: The seed of ``random()``. Journals on disks of different seeds have different identities.
  public init(seed: UInt64 = 0) {
    var empty = SimulatedState()
    empty.generator = SplitMix64(seed: seed)
    state = Mutex(empty)
  }

  init(_ state: SimulatedState) {
    self.state = Mutex(state)
  }

  // MARK: What goes wrong

  /// What is to go wrong, and when.
  public var plan: FaultPlan {
    get { state.withLock { $0.plan } }
    set { state.withLock { $0.plan = newValue } }
  }

  /// How many bytes all files together may hold, or nil for any number.
  ///
  /// A write that would go beyond it is cut short, and throws `ENOSPC` if none of it fits; so does
  /// a truncation to a greater size, and, if no byte is free, the creation of a file. Holes count.
  /// The bytes of a removed file are free once nobody has it open.
  public var capacity: Int? {
    get { state.withLock { $0.capacity } }
    set { state.withLock { $0.capacity = newValue } }
  }

  /// Whether files can be mapped. What is written shows in mappings, as reads see it.
  public var mapsFiles: Bool {
    get { state.withLock { $0.mapsFiles } }
    set { state.withLock { $0.mapsFiles = newValue } }
  }

  /// How many calls the disk has heard, those that threw among them: all of `Disk` and `DiskFile`
  /// but `lockHolder()` and `unlock()`.
  public var callCount: Int { state.withLock { $0.callCount } }

  /// Whether calls are kept in ``log``.
  public var recordsCalls: Bool {
    get { state.withLock { $0.recordsCalls } }
    set { state.withLock { $0.recordsCalls = newValue } }
  }

  /// The calls heard while ``recordsCalls`` was true, oldest first.
  public var log: [DiskCall] { state.withLock { $0.log } }

  /// Counts calls from 1 again, and empties the log.
  public func forgetCalls() {
    state.withLock { $0.forgetCalls() }
  }

  /// Ends the program that uses the disk, as `SIGKILL` would: its open files throw `EBADF` from now
  /// on, its locks are free, and what it wrote is there, durable or not.
  public func killProcess() {
    state.withLock { $0.killProcess() }
  }

  /// Another disk in one of the states in which a power loss at this moment could leave this one.
  ///
  /// There, everything is durable, nothing is open, locked or planned to fail, and no call has been
  /// counted. The capacity is the same. This disk goes on as it was.
  ///
  /// - Complexity: O(*n*) in the unsynced sectors, and a copy of each file that has any.
  public func powerLoss(
    using generator: inout some RandomNumberGenerator,
    assuming model: SectorModel = .syncedBytesAreSafe
  ) -> SimulatedDisk {
    powerLoss(PowerLossFate(seed: generator.next(), model: model))
  }

  /// Another disk in a certain one of the states in which a power loss at this moment could leave
  /// this one. Otherwise as ``powerLoss(using:assuming:)``.
  public func powerLoss(
    _ outcome: PowerLossOutcome, assuming model: SectorModel = .syncedBytesAreSafe
  ) -> SimulatedDisk {
    powerLoss(PowerLossFate(outcome, model: model))
  }

  /// Hands out every disk that a power loss at this moment could leave, one after the other.
  ///
  /// All combinations of what each sector, size and name may be; where bytes may be garbage, one
  /// garbage stands for all. Their number is the product of the choices, so this is for moments at
  /// which little is unsynced.
  ///
  /// - Returns: Whether those were all. False says that there are more than the limit.
  public func everyPowerLoss(
    assuming model: SectorModel = .syncedBytesAreSafe, limit: Int,
    body: (SimulatedDisk) throws -> Void
  ) rethrows -> Bool {
    let before = state.withLock { $0 }
    var walk = ChoiceWalk()
    for _ in 0..<limit {
      var fate = PowerLossFate(walk, model: model)
      try body(SimulatedDisk(before.restarted(&fate)))
      guard let taken = fate.walk else { preconditionFailure("a walk was lost on its way") }
      walk = taken
      if !walk.goOn() { return true }
    }
    return false
  }

  private func powerLoss(_ fate: PowerLossFate) -> SimulatedDisk {
    var fate = fate
    // A copy shares the memory of every file, so the mutex is held for a moment only.
    let before = state.withLock { $0 }
    return SimulatedDisk(before.restarted(&fate))
  }

  /// Returns the next number of the disk's own generator: a source of identities and salts that is the same in every
  /// run. A copy of the disk goes on where this one is.
  public func random() -> UInt64 { state.withLock { $0.generator.next() } }

  /// Another disk with the same files and names, of which the same are durable.
  ///
  /// Nothing is open, locked or planned to fail there, and no call has been counted. The capacity
  /// is the same.
  public func copy() -> SimulatedDisk {
    SimulatedDisk(state.withLock { $0 }.untouched())
  }
}
