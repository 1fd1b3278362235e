import DaybookJournal
import DaybookSimulation
import TestSupport

/// Work on a journal, and a record of its outcomes, for checks after a fault.
///
/// The record has two parts: the transactions acknowledged as durable, and after them those that
/// may exist, because they were written without a sync or their outcome is `unknown`.
struct JournalWork {
  private(set) var acknowledged: [[UInt8]] = []
  private(set) var uncertain: [[UInt8]] = []
  /// The errors that occurred.
  private(set) var errors: [JournalError] = []
  private var generator: SplitMix64
  private let durability: Durability

  init(seed: UInt64, durability: Durability = .full) {
    generator = SplitMix64(seed: seed)
    self.durability = durability
  }

  /// The conditions that must be true afterwards.
  var oracle: Oracle {
    Oracle(submitted: acknowledged + uncertain, acknowledgedCount: acknowledged.count)
  }

  /// One step of the work.
  enum Step: CaseIterable {
    case open, append, group, sync, tend, close, backup, compact
  }

  /// The run whose calls fail in turn: creation, appends within preallocated space and beyond it,
  /// marks, groups, closing, a second opening, a backup, a compaction, and an opening after it.
  static let script: [Step] =
    [.open, .append, .append, .tend, .append, .group, .close, .open, .append, .tend, .group]
    + [.sync, .close, .open, .append, .backup, .append, .compact, .open, .append, .close]

  static let groupCount = 3
  static let scriptAppendCount = script.reduce(0) {
    $0 + ($1 == .append ? 1 : $1 == .group ? groupCount : 0)
  }

  /// Performs the steps in order.
  ///
  /// When a call fails, it acts like a careful program. It recovers if writing has stopped, opens
  /// again if opening failed, and continues. If that fails too, it gives up.
  mutating func run(_ steps: [Step], on disk: SimulatedDisk) {
    var journal: FileJournal?
    for step in steps {
      do throws(JournalError) {
        try perform(step, &journal, disk)
      } catch {
        errors.append(error)
        if case .open = step {
          guard (try? perform(.open, &journal, disk)) != nil else { return }
        } else if case .stopped = error.reason {
          guard recover(journal) else { return }
        }
      }
    }
  }

  private mutating func perform(
    _ step: Step, _ journal: inout FileJournal?, _ disk: SimulatedDisk
  ) throws(JournalError) {
    switch step {
    case .open:
      journal = nil
      var options = JournalOptions.simulated(disk, seed: generator.next())
      options.durability = durability
      let opened = try FileJournal(at: ReferenceJournal.path, options: options)
      learn(from: opened)
      journal = opened
    case .append:
      guard let journal else { return }
      let payload = nextPayload()
      note([payload], [try journal.appendAndWait(payload)], journal)
    case .group:
      guard let journal else { return }
      let payloads = (0..<JournalWork.groupCount).map { _ in nextPayload() }
      note(payloads, try journal.appendAndWait(together: payloads), journal)
    case .sync:
      guard let journal else { return }
      try journal.syncAndWait()
      acknowledgeUncertain()
    case .tend:
      guard let journal else { return }
      (journal.clock as? TestClock)?.advance(milliseconds: 60)
      journal.tend()
    case .close:
      try journal?.closeAndWait()
      acknowledgeUncertain()
      journal = nil
    case .backup:
      let copy = "copy-\(generator.next())"
      try journal?.backup(to: copy)
    case .compact:
      guard let open = journal, open.head.sequence > .zero else { return }
      // Compaction ends the writer, whether it succeeds or not.
      journal = nil
      try open.compact(through: open.head.sequence, state: [JournalWork.compactedState])
      acknowledgeUncertain()
    }
  }

  /// The base that a compaction writes.
  static let compactedState: [UInt8] = [1, 2, 3]

  private mutating func note(
    _ payloads: [[UInt8]], _ outcomes: [AppendOutcome], _ journal: FileJournal
  ) {
    uncertain += payloads
    switch outcomes.first {
    case .appended(let receipt) where receipt.safety == .durable: acknowledgeUncertain()
    case .unknown: _ = recover(journal)
    case .appended, .conflict, nil: break
    }
  }

  /// Recovers, and updates the record with the transactions of the journal.
  private mutating func recover(_ journal: FileJournal?) -> Bool {
    guard let journal else { return false }
    do throws(JournalError) {
      try journal.recoverAndWait()
    } catch {
      errors.append(error)
      return false
    }
    learn(from: journal)
    return true
  }

  /// Moves the uncertain transactions that are in a recovered journal to the acknowledged ones. The
  /// oracle detects impossible numbers.
  private mutating func learn(from journal: FileJournal) {
    let includedCount = Int(journal.head.sequence.rawValue) - acknowledged.count
    acknowledged += uncertain.prefix(max(0, includedCount))
    uncertain = []
  }

  private mutating func acknowledgeUncertain() {
    acknowledged += uncertain
    uncertain = []
  }

  /// Returns a payload that is mostly small, and sometimes larger than the preallocated space.
  private mutating func nextPayload() -> [UInt8] {
    let size =
      switch generator.next() % 10 {
      case 0: 3000 + Int(generator.next() % 500)
      case 1: 500 + Int(generator.next() % 1000)
      default: 1 + Int(generator.next() % 200)
      }
    let first = UInt8(truncatingIfNeeded: generator.next())
    return (0..<size).map { first &+ UInt8(truncatingIfNeeded: $0 &* 7) }
  }
}

extension JournalWork {
  /// Returns the steps of one run of a program, decided by a generator.
  static func steps(count: Int, using generator: inout SplitMix64) -> [Step] {
    var steps: [Step] = [.open]
    for _ in 0..<count {
      switch generator.next() % 20 {
      case 0: steps += [.close, .open]
      case 1: steps.append(.sync)
      case 2, 3: steps.append(.tend)
      default: steps.append(.append)
      }
    }
    return steps
  }

  /// Starts another run with the transactions that were found in the journal.
  mutating func begin(with count: Int, seed: UInt64) {
    let all = acknowledged + uncertain
    acknowledged = Array(all.prefix(count))
    uncertain = []
    generator = SplitMix64(seed: seed)
  }
}
