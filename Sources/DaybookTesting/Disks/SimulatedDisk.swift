import DaybookJournal
import DaybookPlatform
import Synchronization

/// A disk in memory that fails, writes partially, ignores syncs and loses power when a test
/// requests it.
///
/// Its behavior is deterministic. It uses no clock and no thread, and all random numbers follow
/// from a seed.
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
/// ## Durability
///
/// A write changes the cache, and every read sees it. A sync of a file makes its bytes and its size
/// durable. The name of a file becomes durable only when its directory is synced. A power loss
/// keeps all durable data, and an arbitrary part of the rest:
///
/// - each 512-byte sector as it was, or as any later write left it (see the table of
///   ``SectorModel``),
/// - each file with its durable size, or with any size it has had since,
/// - any of the changes of names, in their order; a rename is always atomic.
///
/// The end of a process loses nothing.
///
/// ## Failed syncs
///
/// A failed sync behaves as on Linux: the sectors that could not be written are dropped. The system
/// marks them as clean, and reads still see them. No later sync makes them durable until they are
/// written again. A sync that is ignored leaves all data as unsynced as before. A failed sync of a
/// directory drops nothing.
///
/// ## Omissions
///
/// - Permissions are stored, but not enforced.
/// - Only the test creates directories and symbolic links. They are durable at once, and the
///   program can neither remove nor rename them.
/// - Unless ``mapsFiles`` is set, `map` throws `ENODEV`, as on some file systems. A journal is then
///   read by copying.
/// - A watch never waits, and `lockWaiting` throws `EDEADLK` where it would have to wait.
/// - A relative path starts at ``workingDirectory``.
public final class SimulatedDisk: Disk {
  // Shared state
  //
  // - `state`, everything: guarded by its mutex, for the length of one call.
  //
  // A handle has a reference to the disk; the disk has only the numbers of handles. So no handle is
  // released within a call.
  let state: Mutex<SimulatedState>

  /// The number of bytes that a disk writes completely or not at all.
  public static let sectorByteCount = SimulatedInode.sectorByteCount

  /// The largest size of a file, which is stored in memory. A write beyond it throws `EFBIG`.
  public static let fileByteCountMax = 1 << 30

  /// The directory that relative paths start at. It exists from the start.
  public static let workingDirectory = SimulatedState.workingDirectory

  /// Creates an empty disk without limits or faults.
  ///
  /// - Parameter seed: The seed of ``random()``. Journals on disks with different seeds have
  ///   different identities.
  public init(seed: UInt64 = 0) {
    var empty = SimulatedState()
    empty.generator = SplitMix64(seed: seed)
    state = Mutex(empty)
  }

  init(_ state: SimulatedState) {
    self.state = Mutex(state)
  }

  // MARK: Faults

  /// The faults that the disk will produce.
  public var plan: FaultPlan {
    get { state.withLock { $0.plan } }
    set { state.withLock { $0.plan = newValue } }
  }

  /// The largest total size of all files; nil for no limit.
  ///
  /// A write beyond it is cut short, and throws `ENOSPC` if no byte fits. A truncation to a greater
  /// size throws it as well, and so does the creation of a file if no byte is free. Holes count.
  /// The bytes of a removed file are free when the file is no longer open.
  public var capacity: Int? {
    get { state.withLock { $0.capacity } }
    set { state.withLock { $0.capacity = newValue } }
  }

  /// A Boolean value that indicates whether files can be mapped. Mappings show the same bytes as
  /// reads.
  public var mapsFiles: Bool {
    get { state.withLock { $0.mapsFiles } }
    set { state.withLock { $0.mapsFiles = newValue } }
  }

  /// The number of calls that the disk received, including those that threw. All calls of `Disk`
  /// and `DiskFile` count, except `lockHolder()` and `unlock()`.
  public var callCount: Int { state.withLock { $0.callCount } }

  /// A Boolean value that indicates whether calls are recorded in ``log``.
  public var recordsCalls: Bool {
    get { state.withLock { $0.recordsCalls } }
    set { state.withLock { $0.recordsCalls = newValue } }
  }

  /// The calls received while ``recordsCalls`` was true, oldest first.
  public var log: [DiskCall] { state.withLock { $0.log } }

  /// Resets the call count to 0, and empties the log.
  public func forgetCalls() {
    state.withLock { $0.forgetCalls() }
  }

  /// Ends the program that uses the disk, as `SIGKILL` would. Its open files throw `EBADF`
  /// afterwards, and its locks are released. All its writes are kept, durable or not.
  public func killProcess() {
    state.withLock { $0.killProcess() }
  }

  /// Returns a new disk in one of the states that a power loss at this moment could leave.
  ///
  /// On the new disk all data is durable; nothing is open or locked; the plan is empty, and no call
  /// has been counted. The capacity is the same. This disk does not change.
  ///
  /// - Complexity: O(*n*) in the unsynced sectors, and a copy of each file that has any.
  public func powerLoss(
    using generator: inout some RandomNumberGenerator,
    assuming model: SectorModel = .syncedBytesAreSafe
  ) -> SimulatedDisk {
    powerLoss(PowerLossFate(seed: generator.next(), model: model))
  }

  /// Returns a new disk in the state that a given outcome of a power loss at this moment would
  /// leave.
  ///
  /// The new disk has the properties that ``powerLoss(using:assuming:)`` documents.
  public func powerLoss(
    _ outcome: PowerLossOutcome, assuming model: SectorModel = .syncedBytesAreSafe
  ) -> SimulatedDisk {
    powerLoss(PowerLossFate(outcome, model: model))
  }

  /// Calls a closure with every disk that a power loss at this moment could leave.
  ///
  /// It enumerates all combinations of sectors, sizes and names. Where bytes may be garbage, one
  /// garbage value represents all. The number of combinations is the product of the choices, so the
  /// method is suitable only for moments with little unsynced data.
  ///
  /// - Returns: True if the closure was called with all combinations; false if there are more than
  ///   the limit.
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
      if !walk.advance() { return true }
    }
    return false
  }

  private func powerLoss(_ fate: PowerLossFate) -> SimulatedDisk {
    var fate = fate
    // A copy shares the memory of all files, so the mutex is locked only briefly.
    let before = state.withLock { $0 }
    return SimulatedDisk(before.restarted(&fate))
  }

  /// Returns the next number of the disk's own generator. It is a source of identities and salts
  /// that is the same in every run. A copy of the disk continues at the same point.
  public func random() -> UInt64 { state.withLock { $0.generator.next() } }

  /// Returns a new disk with the same files and names, in the same state of durability.
  ///
  /// Otherwise the new disk has the properties that ``powerLoss(using:assuming:)`` documents.
  public func copy() -> SimulatedDisk {
    SimulatedDisk(state.withLock { $0 }.untouched())
  }
}
