import DaybookJournal
import DaybookPlatform

/// The calls of a ``SimulatedDisk`` that fail, and the kinds of their faults.
///
/// Every call of a throwing method of `Disk` and `DiskFile` has a number, starting at 1. A plan
/// selects calls by number. A test can therefore run a script once to count its calls, and then
/// once for each call:
///
/// ```swift
/// let calls = try run(on: disk.copy()).callCount
/// for call in 1...calls {
///   let failing = disk.copy()
///   failing.plan = .fail(call: call, with: EIO)
///   ...
/// }
/// ```
///
/// With `only:`, a plan counts only the given operations: `.fail(call: 3, with: EIO, only:
/// [.sync])` selects the third sync. The count starts when the disk is created, and again when
/// ``SimulatedDisk/clearLog()`` is called. Setting a plan does not change the count.
///
/// The method ``and(_:)`` combines two plans. If both plans select a call, the first plan applies.
public struct FaultPlan: Hashable, Sendable {
  /// The effect of a fault on a call. Each case belongs to one of the static functions below.
  private enum Effect: Hashable {
    case fail(Int32)
    case short
    case lie
    case tear(keeping: Int)
    case losePower(seed: UInt64)
  }

  /// An effect, and the calls that have it: the call with the number `first` or, if `isForEver` is
  /// true, also all later calls.
  private struct Fault: Hashable {
    var effect: Effect
    var first: Int
    var isForEver: Bool
    var operations: Set<DiskError.Operation>?

    func covers(_ number: Int) -> Bool { isForEver ? number >= first : number == first }
  }

  private var faults: [Fault] = []

  private init(
    _ effect: Effect, from first: Int, isForEver: Bool, only operations: Set<DiskError.Operation>?
  ) {
    precondition(first >= 1, "calls are numbered from 1, and this is call \(first)")
    faults = [Fault(effect: effect, first: first, isForEver: isForEver, operations: operations)]
  }

  private init() {}

  /// A plan without faults.
  public static let none = FaultPlan()

  /// Returns a plan for one call: the call does nothing and throws an error.
  ///
  /// If the call is a sync of a file, the data that it should have written is dropped; see
  /// ``SimulatedDisk``.
  public static func fail(
    call: Int, with code: Int32, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    FaultPlan(.fail(code), from: call, isForEver: false, only: operations)
  }

  /// Returns a plan for one call and all later calls: they do nothing and throw an error.
  public static func failAlways(
    from call: Int, with code: Int32, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    FaultPlan(.fail(code), from: call, isForEver: true, only: operations)
  }

  /// Returns a plan for one read or write: the call transfers at least one byte, but fewer bytes
  /// than requested. The plan has no effect if the call is not a read or a write, or if it requests
  /// only one byte.
  public static func short(
    call: Int, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    FaultPlan(.short, from: call, isForEver: false, only: operations)
  }

  /// Returns a plan for all reads and writes from one call on: each transfers at least one byte,
  /// but fewer bytes than requested. The plan has no effect on other calls, and on calls that
  /// request only one byte.
  public static func shortAlways(
    from call: Int = 1, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    FaultPlan(.short, from: call, isForEver: true, only: operations)
  }

  /// Returns a plan for one write: the call writes a part of its bytes and then throws `EIO`. The
  /// plan has no effect if the call is not a write.
  ///
  /// If the call has at most `byteCount` bytes, it writes all of them, and still throws the error.
  public static func tornWrite(
    call: Int, keeping byteCount: Int, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    precondition(byteCount >= 0, "a write that keeps \(byteCount) bytes")
    return FaultPlan(.tear(keeping: byteCount), from: call, isForEver: false, only: operations)
  }

  /// Returns a plan for one sync of a file or a directory, and for all later syncs: they return
  /// normally, but make no data durable.
  ///
  /// The data stays unsynced, so that a later sync without this fault would make it durable. The
  /// number counts only syncs.
  public static func ignoreSync(
    from sync: Int = 1, only operations: Set<DiskError.Operation> = [.sync, .syncDirectory]
  ) -> FaultPlan {
    FaultPlan(.lie, from: sync, isForEver: true, only: operations)
  }

  /// Returns a plan for a power loss during one call: this call and all later calls throw `EIO`.
  ///
  /// The seed decides which part of the call is performed. A write may write any of its sectors. A
  /// truncation or a change of names happens completely or not at all. None of these changes is
  /// durable. ``SimulatedDisk/powerLoss(using:assuming:)`` returns the disk as the program finds it
  /// at its next start.
  public static func losePower(at call: Int, seed: UInt64 = 0) -> FaultPlan {
    FaultPlan(.losePower(seed: seed), from: call, isForEver: true, only: nil)
  }

  /// Returns a plan with the faults of both plans. If both plans select a call, this plan applies.
  public func combined(with other: FaultPlan) -> FaultPlan {
    var both = self
    both.faults += other.faults
    return both
  }

  /// Returns the fault of a call; nil if the plan does not select the call. The counts already
  /// include the call.
  func fault(
    in operation: DiskError.Operation, _ counts: [DiskError.Operation: Int], callCount: Int
  ) -> InjectedFault? {
    for fault in faults {
      if let operations = fault.operations, !operations.contains(operation) { continue }
      let number = fault.operations?.reduce(0) { $0 + counts[$1, default: 0] } ?? callCount
      guard fault.covers(number) else { continue }
      switch (fault.effect, operation) {
      case (.fail(let code), _): return .fail(code)
      case (.short, .read), (.short, .write): return .short
      case (.lie, .sync), (.lie, .syncDirectory): return .lie
      case (.tear(let byteCount), .write): return .tear(keeping: byteCount)
      case (.losePower(let seed), _):
        return number == fault.first
          ? .losePower(SplitMix64(seed: seed)) : .fail(Errno.inputOutputError)
      case (.short, _), (.lie, _), (.tear, _): continue
      }
    }
    return nil
  }
}

/// The fault of one call.
enum InjectedFault {
  case fail(Int32)
  case short
  case lie
  case tear(keeping: Int)
  case losePower(SplitMix64)
}
