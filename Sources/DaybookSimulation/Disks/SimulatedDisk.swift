import DaybookJournal
import DaybookPlatform
import Synchronization

/// A disk in memory for tests. On request, its calls fail, it writes only a part of the bytes, it
/// ignores syncs, or it loses power.
///
/// The behavior is deterministic: the disk uses no clock and no thread, and all its random numbers
/// follow from a seed.
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
/// A write changes the cache of the simulated system, and later reads return the new bytes. A sync
/// of a file makes its bytes and its size durable. The name of a file becomes durable only when its
/// directory is synced. A power loss keeps all durable data, and an arbitrary part of the unsynced
/// data:
///
/// - each 512-byte sector has its durable content, or the content after any later write (the table
///   of ``SectorModel`` has the exact rules),
/// - each file has its durable size, or any size that it had after the last sync,
/// - any of the unsynced changes of names are kept, in their order; a rename is always atomic.
///
/// If only the process ends, all data is kept.
///
/// ## Failed syncs
///
/// A sync of a file that fails behaves as on Linux: the system drops the unsynced sectors. It marks
/// them as clean, so that no later sync writes them unless the program writes them again. Reads
/// still return their bytes. A sync that the disk ignores leaves the data unsynced, and a later
/// sync can make it durable. A failed sync of a directory drops nothing.
///
/// ## Omissions
///
/// - The disk stores permissions, but does not enforce them.
/// - Only the test creates directories and symbolic links. They are durable at once, and the
///   program can neither remove nor rename them.
/// - If ``mapsFiles`` is false, which is the default, `map` throws `ENODEV`, as on some file
///   systems. A journal is then read by copying.
/// - A watch never waits. `lockWaiting` throws `EDEADLK` if the file is locked, because no call can
///   release the lock during a wait.
/// - A relative path starts at ``workingDirectory``.
public final class SimulatedDisk: Disk {
  // Shared state
  //
  // - `state`, which contains everything: guarded by its mutex, which is locked during each call.
  //
  // A file has a reference to the disk, but the disk has only the numbers of open files. Therefore
  // no file is released while the mutex is locked. Its deinitializer would lock the mutex again.
  let state: Mutex<SimulatedState>

  /// The number of bytes that a disk writes completely or not at all.
  public static let sectorByteCount = SimulatedInode.sectorByteCount

  /// The largest size of a file: 1 GiB, because files are in memory. A write after this size throws
  /// `EFBIG`.
  public static let fileByteCountMax = 1 << 30

  /// The directory for relative paths. It exists on every disk.
  public static let workingDirectory = SimulatedState.workingDirectory

  /// Creates an empty disk without limits or faults.
  ///
  /// - Parameter seed: The seed of ``random()``, which provides the identities of journals.
  ///   Journals on disks with different seeds have different identities.
  public init(seed: UInt64 = 0) {
    var empty = SimulatedState()
    empty.generator = SplitMix64(seed: seed)
    state = Mutex(empty)
  }

  init(_ state: SimulatedState) {
    self.state = Mutex(state)
  }

  // MARK: Faults

  /// The plan that selects calls and their faults.
  public var plan: FaultPlan {
    get { state.withLock { $0.plan } }
    set { state.withLock { $0.plan = newValue } }
  }

  /// The largest total size of all files; nil for no limit.
  ///
  /// A write of more bytes than the disk has free writes only a part, and throws `ENOSPC` if no
  /// byte is free. If a truncation to a greater size needs more bytes than the disk has free, it
  /// throws `ENOSPC` too. The creation of a file throws `ENOSPC` if no byte is free. Bytes that
  /// were never written count as well. The bytes of a removed file are free when the file is not
  /// open any more.
  public var capacity: Int? {
    get { state.withLock { $0.capacity } }
    set { state.withLock { $0.capacity = newValue } }
  }

  /// A Boolean value that indicates whether files can be mapped. A mapping always has the same
  /// bytes as reads return.
  public var mapsFiles: Bool {
    get { state.withLock { $0.mapsFiles } }
    set { state.withLock { $0.mapsFiles = newValue } }
  }

  /// The number of calls that the disk received, including calls that threw an error. Only methods
  /// of `Disk` and `DiskFile` that can throw are counted, so `unlock()` and `lockHolder()` are not.
  public var callCount: Int { state.withLock { $0.callCount } }

  /// A Boolean value that indicates whether the disk adds its calls to ``log``.
  public var recordsCalls: Bool {
    get { state.withLock { $0.recordsCalls } }
    set { state.withLock { $0.recordsCalls = newValue } }
  }

  /// The calls that the disk received while ``recordsCalls`` was true, the oldest first.
  public var log: [DiskCall] { state.withLock { $0.log } }

  /// Resets the call count to 0, and empties the log.
  public func clearLog() {
    state.withLock { $0.clearLog() }
  }

  /// Simulates the end of the program that uses the disk, as by `SIGKILL`. Calls of its open files
  /// throw `EBADF` after that, and its locks are released. All its writes are kept, also the
  /// unsynced ones.
  public func killProcess() {
    state.withLock { $0.killProcess() }
  }

  /// Returns a new disk in a random one of the states that a power loss at this moment can leave.
  ///
  /// On the new disk, all data is durable, and nothing is open or locked. Its plan is empty, its
  /// call count is 0, and its capacity is the same. This disk does not change.
  ///
  /// - Complexity: O(*n*) in the number of unsynced sectors, and a copy of each file with unsynced
  ///   data
  public func powerLoss(
    using generator: inout some RandomNumberGenerator,
    assuming model: SectorModel = .syncedBytesAreSafe
  ) -> SimulatedDisk {
    powerLoss(PowerLossFate(seed: generator.next(), model: model))
  }

  /// Returns a new disk in the state that a power loss at this moment leaves with a given outcome.
  ///
  /// The new disk has the properties that ``powerLoss(using:assuming:)`` documents.
  public func powerLoss(
    _ outcome: PowerLossOutcome, assuming model: SectorModel = .syncedBytesAreSafe
  ) -> SimulatedDisk {
    powerLoss(PowerLossFate(outcome, model: model))
  }

  /// Calls a closure with every disk that a power loss at this moment can leave.
  ///
  /// The method enumerates all combinations of sectors, sizes and names. For bytes that may be
  /// garbage, it uses only one garbage value. The number of combinations is the product of the
  /// numbers of all choices, so the method is suitable only for moments with little unsynced data.
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

  /// Returns the next number of the disk's own generator. Journals on a simulated disk use it for
  /// identities and salts, so that these are the same in every run. A copy of the disk continues
  /// with the same number.
  public func random() -> UInt64 { state.withLock { $0.generator.next() } }

  /// Returns a new disk with the same files and names. Unsynced data is also unsynced on the new
  /// disk.
  ///
  /// On the new disk, nothing is open or locked. Its plan is empty, its call count is 0, and its
  /// capacity is the same. This disk does not change.
  public func copy() -> SimulatedDisk {
    SimulatedDisk(state.withLock { $0 }.untouched())
  }
}
