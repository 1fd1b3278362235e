import DaybookJournal
import DaybookTesting
import TestSupport

/// Work on a journal, and a record of what it was told, for the time after a fault.
///
/// The record has two parts: what was acknowledged as durable, and behind it what may be there too,
/// as it was written without a sync or its append was answered `unknown`.
struct JournalWork {
  private(set) var acknowledged: [[UInt8]] = []
  private(set) var uncertain: [[UInt8]] = []
  /// The errors heard on the way.
  private(set) var errors: [JournalError] = []
  private var generator: SplitMix64
  private let durability: Durability

  init(seed: UInt64, durability: Durability = .full) {
    generator = SplitMix64(seed: seed)
    self.durability = durability
  }

  /// What must be true afterwards.
  var oracle: Oracle {
    Oracle(submitted: acknowledged + uncertain, acknowledgedCount: acknowledged.count)
  }

  /// One thing to do.
  enum Step: CaseIterable {
    case open, append, group, sync, tend, close, backup, compact
  }

  /// The run that every call of is made to fail in turn: creation, appends within the space ahead
  /// and beyond it, marks, groups, an orderly end, a second life, a copy, a compaction, and a life
  /// after it.
  static let script: [Step] =
    [.open, .append, .append, .tend, .append, .group, .close, .open, .append, .tend, .group]
    + [.sync, .close, .open, .append, .backup, .append, .compact, .open, .append, .close]

  static let groupCount = 3
  static let scriptAppendCount = script.reduce(0) {
    $0 + ($1 == .append ? 1 : $1 == .group ? groupCount : 0)
  }

  /// Does the steps one after the other.
  ///
  /// When a call fails it does what a careful program would: it recovers if writing has stopped,
  /// opens again if opening failed, and goes on; if that fails too, it gives up.
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
      settle()
    case .tend:
      guard let journal else { return }
      (journal.clock as? TestClock)?.advance(milliseconds: 60)
      journal.tend()
    case .close:
      try journal?.closeAndWait()
      settle()
      journal = nil
    case .backup:
      let copy = "copy-\(generator.next())"
      try journal?.backup(to: copy)
    case .compact:
      guard let open = journal, open.head.sequence > .zero else { return }
      // Compaction ends the writer, whether it succeeds or not.
      journal = nil
      try open.compact(through: open.head.sequence, state: [JournalWork.compactedState])
      settle()
    }
  }

  /// What compaction leaves in the place of history.
  static let compactedState: [UInt8] = [1, 2, 3]

  private mutating func note(
    _ payloads: [[UInt8]], _ outcomes: [AppendOutcome], _ journal: FileJournal
  ) {
    uncertain += payloads
    switch outcomes.first {
    case .appended(let receipt) where receipt.safety == .durable: settle()
    case .unknown: _ = recover(journal)
    case .appended, .conflict, nil: break
    }
  }

  /// Recovers, and learns what is in the journal.
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

  /// Learns which of the uncertain transactions are in a journal that has been recovered. If more
  /// or fewer than can be are, the oracle will say so.
  private mutating func learn(from journal: FileJournal) {
    let includedCount = Int(journal.head.sequence.rawValue) - acknowledged.count
    acknowledged += uncertain.prefix(max(0, includedCount))
    uncertain = []
  }

  private mutating func settle() {
    acknowledged += uncertain
    uncertain = []
  }

  /// Mostly small, sometimes large enough to need more space than lies ahead.
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
  /// Steps that a seed decides: a life of a program, from opening to wherever it ends.
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

  /// What another life begins with: the transactions that were found to be there.
  mutating func begin(with count: Int, seed: UInt64) {
    let all = acknowledged + uncertain
    acknowledged = Array(all.prefix(count))
    uncertain = []
    generator = SplitMix64(seed: seed)
  }
}
