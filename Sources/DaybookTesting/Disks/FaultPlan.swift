import DaybookJournal
import DaybookPlatform

/// Which calls of a ``SimulatedDisk`` go wrong, and how.
///
/// Every call of `Disk` and `DiskFile` has a number, from 1, and a plan names calls by number. So a
/// script is run once to count its calls, and then once for each of them:
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
/// A plan restricted by `only:` counts those operations and no others: `.fail(call: 3, with: EIO,
/// only: [.sync])` is the third sync. Numbers count from when the disk was made or
/// ``SimulatedDisk/forgetCalls()`` was called, not from when the plan was set.
///
/// Plans are joined with ``and(_:)``; where two have something to say about a call, the first does.
public struct FaultPlan: Hashable, Sendable {
  private enum Effect: Hashable {
    case fail(Int32)
    case short
    case lie
    case tear(keeping: Int)
    case losePower(seed: UInt64)
  }

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

  /// Nothing goes wrong.
  public static let none = FaultPlan()

  /// One call throws, and has done nothing.
  ///
  /// A sync that throws has dropped what it was to write: see ``SimulatedDisk``.
  public static func fail(
    call: Int, with code: Int32, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    FaultPlan(.fail(code), from: call, isForEver: false, only: operations)
  }

  /// One call and all after it throw, and have done nothing.
  public static func failForEver(
    from call: Int, with code: Int32, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    FaultPlan(.fail(code), from: call, isForEver: true, only: operations)
  }

  /// One call, if it is a read or a write of more than one byte, transfers at least one byte and
  /// fewer than it was asked to.
  public static func short(
    call: Int, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    FaultPlan(.short, from: call, isForEver: false, only: operations)
  }

  /// One call and all after it, as far as they are reads and writes of more than one byte, transfer
  /// at least one byte and fewer than they were asked to.
  public static func shortForEver(
    from call: Int = 1, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    FaultPlan(.short, from: call, isForEver: true, only: operations)
  }

  /// One call, if it is a write, throws `EIO` after some bytes have been written.
  ///
  /// If the call has fewer bytes than that, all of them are written, and it throws all the same.
  public static func tornWrite(
    call: Int, keeping byteCount: Int, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan {
    precondition(byteCount >= 0, "a write that keeps \(byteCount) bytes")
    return FaultPlan(.tear(keeping: byteCount), from: call, isForEver: false, only: operations)
  }

  /// One sync, of a file or of a directory, and all after it return as if they had worked and make
  /// nothing durable: it all stays as unsynced as it was, and an honest sync would still save it.
  ///
  /// The number counts syncs alone.
  public static func lieOnSync(
    from sync: Int = 1, only operations: Set<DiskError.Operation> = [.sync, .syncDirectory]
  ) -> FaultPlan {
    FaultPlan(.lie, from: sync, isForEver: true, only: operations)
  }

  /// One call and all after it throw `EIO`, for the power is gone.
  ///
  /// What the call was to do may have been done in part, and the seed says which: of a write any of
  /// its sectors, of a truncation or a change of names all or nothing. None of it is durable. Ask
  /// ``SimulatedDisk/powerLoss(using:assuming:)`` what the next start finds.
  public static func losePower(at call: Int, seed: UInt64 = 0) -> FaultPlan {
    FaultPlan(.losePower(seed: seed), from: call, isForEver: true, only: nil)
  }

  /// Both plans; where both have something to say about a call, this one does.
  public func and(_ other: FaultPlan) -> FaultPlan {
    var both = self
    both.faults += other.faults
    return both
  }

  /// What goes wrong in a call, which is the last of those counted.
  func mischief(
    in operation: DiskError.Operation, _ counts: [DiskError.Operation: Int], callCount: Int
  ) -> Mischief? {
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

/// What goes wrong in one call.
enum Mischief {
  case fail(Int32)
  case short
  case lie
  case tear(keeping: Int)
  case losePower(SplitMix64)
}
