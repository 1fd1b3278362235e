import Daybook
import DaybookJournal
import DaybookResults
import DaybookStore
import Synchronization

/// A simulated machine with a store that shares a log.
struct StoreMachine: Sendable {
  private static let path = "shared.daybook"

  let number: Int
  private let round: ConformanceRound
  private var random: SplitMix64
  private let connect: @Sendable () async throws -> any SharedLog
  private var disk: SimulatedDisk
  private let clock: ManualClock
  /// The outcomes of all saves, by the markers of their transactions.
  private(set) var outcomes: [String: SaveOutcome] = [:]

  init(
    number: Int, round: ConformanceRound, random: SplitMix64,
    connect: @escaping @Sendable () async throws -> any SharedLog
  ) {
    self.number = number
    self.round = round
    self.random = random
    self.connect = connect
    disk = SimulatedDisk(seed: UInt64(number))
    // The clocks of machines differ by up to some hours.
    clock = ManualClock()
    clock.advance(by: .seconds(number * 1000))
  }

  /// The header page and the frames of the replica.
  var replica: [UInt8] {
    let bytes = disk.contents(of: StoreMachine.path) ?? []
    return Array(bytes.prefix(4096)) + bytes.dropFirst(16384)
  }

  func openStore(sharing log: any SharedLog) async throws(StoreError) -> Store {
    try await Store(
      at: StoreMachine.path, sharing: log, types: [SharedEntry.self],
      options: .simulated(on: disk, clock: clock))
  }

  /// Opens the store over a new connection with faults.
  private mutating func openOverFaults() async throws -> Store {
    var patience = round.makePatience()
    while true {
      let log = FaultySharedLog(
        over: try await connect(), plan: .random(seed: random.next(), percent: 20))
      do throws(StoreError) {
        return try await openStore(sharing: log)
      } catch {
        guard error.isOfSharedLog, await patience.allowsAttempt() else { throw error }
      }
    }
  }

  /// Saves, pulls, opens again and loses power, in a random order.
  ///
  /// - Parameter beginPhase: A closure that is called with the number of each phase before it.
  mutating func run(
    phases: Range<Int>, beginPhase: @Sendable (Int) async throws -> Void
  ) async throws {
    var store = try await openOverFaults()
    var list = try LiveListCheck(of: store)
    var losesPower = false
    for phase in phases {
      try await beginPhase(phase)
      clock.advance(by: .milliseconds(random.below(5000)))
      switch losesPower ? 1 : random.below(8) {
      case 0:
        try await closeAnyway(store)
        store = try await openOverFaults()
        list = try LiveListCheck(of: store)
      case 1:
        disk = disk.powerLoss(using: &random)
        store = try await openOverFaults()
        list = try LiveListCheck(of: store)
      case 2, 3: _ = try? await store.pull()
      default: break
      }
      losesPower = try await save(phase: phase, to: store)
      if let problem = try list.problem(after: store) {
        throw round.problem(
          .lists, explanation: "Machine \(number), phase \(phase): \(problem)")
      }
      store.performDueWork()
    }
    try await closeAnyway(store)
  }

  /// Closes a store. The replica is closed also if the outcome of an append is not known.
  private func closeAnyway(_ store: Store) async throws {
    do throws(StoreError) { try await store.close() } catch {
      guard error.isOfSharedLog else { throw error }
    }
  }

  /// Performs several saves at the same time.
  ///
  /// - Returns: True if the outcome of a save is not known. Then the machine loses its power.
  private mutating func save(phase: Int, to store: Store) async throws -> Bool {
    let mayLosePower = random.below(6) == 0
    let results = try await withThrowingTaskGroup(of: (String, SaveOutcome).self) { tasks in
      for task in 0..<3 {
        let name = "\(number)-\(phase)-\(task)"
        let (kind, seed, round) = (random.below(6), random.next(), round)
        let other = 1 + random.below(round.options.writerCount * 40)
        let own = 1 + (phase * 3 + task) * round.options.writerCount + number
        tasks.addTask {
          let save = EntrySave(
            store: store, round: round, kind: kind, seed: seed, own: own, other: other)
          let marker = kind < 2 ? name + "+" : name
          return (marker, try await save.outcome(marker: marker, recovers: !mayLosePower))
        }
      }
      return try await tasks.reduce(into: []) { $0.append($1) }
    }
    var isUncertain = false
    for (marker, outcome) in results {
      outcomes[marker] = outcome
      if case .uncertain = outcome { isUncertain = true }
    }
    return isUncertain
  }
}

/// One save of an entry.
struct EntrySave: Sendable {
  let store: Store
  let round: ConformanceRound
  let kind: Int
  let seed: UInt64
  /// The identifier of a record that only this save inserts.
  let own: Int
  /// The identifier of a record that other saves may change too.
  let other: Int

  /// Saves, and resolves an unknown outcome.
  ///
  /// - Parameter recovers: A Boolean value that indicates whether the caller waits for the outcome.
  func outcome(marker: String, recovers: Bool) async throws -> SaveOutcome {
    do {
      return try await save(marker: marker)
    } catch let error as StoreError {
      guard case .unknown(let append) = error.reason else {
        guard error.isRefusal else {
          throw round.problem(
            .reply,
            explanation: """
              The save \(marker) threw an error that neither a conflict nor an unavailable log explains: \
              \(error)
              """)
        }
        return .refused(error.description)
      }
      guard recovers else { return .uncertain }
      try await EntrySave.recover(store, round: round)
      switch store.isIncluded(append) {
      case true?: return .saved(nil)
      case false?: return .refused(error.description)
      case nil:
        throw round.problem(
          .reply,
          explanation: "After a recovery, the outcome of the save \(marker) is still not known.")
      }
    }
  }

  static func recover(_ store: Store, round: ConformanceRound) async throws {
    var patience = round.makePatience()
    while true {
      do throws(StoreError) {
        try await store.recover()
        return
      } catch {
        guard error.isOfSharedLog, await patience.allowsAttempt() else { throw error }
      }
    }
  }

  private func save(marker: String) async throws -> SaveOutcome {
    let metadata = TransactionMetadata(author: "machine", correlation: marker)
    if kind < 2 {
      try await store.write(metadata, isolation: nil) { context in
        if try context.object(SharedEntry.self, id: 0) == nil {
          try context.insert(SharedEntry())
        }
        try context.update(SharedEntry.self, id: 0) { $0.count += 1 }
      }
      return .saved(nil)
    }
    var random = SplitMix64(seed: seed)
    let context = store.makeContext(isolation: nil)
    context.metadata = metadata
    context.mergePolicy = random.below(2) == 0 ? .contextWins : .refuse
    let group = ["a", "b", "c"][random.below(3)]
    switch kind {
    case 2, 3: try context.insert(SharedEntry(id: own, title: "\(seed % 100)", group: group))
    case 4:
      try context.update(SharedEntry.self, id: other) { entry in
        entry.count = Int(seed % 10)
        entry.group = group
      }
    default: try context.delete(SharedEntry.self, id: other)
    }
    let receipt = try await context.save(isolation: nil)
    return receipt.map { .saved($0) } ?? .refused("there was nothing to save")
  }
}

extension StoreError {
  /// A Boolean value that indicates whether a save over a correct log can throw the error: the log
  /// cannot be reached, or a different save was first.
  fileprivate var isRefusal: Bool {
    switch reason {
    case .conflict, .alreadyExists, .notFound: true
    case .journal(let error) where error.reason == .precedingRefused: true
    default: isOfSharedLog
    }
  }
}

/// A live list and a table view that performs its differences.
private final class LiveListCheck: FetchedResultsDifferenceDelegate {
  private let context: EditingContext
  private let controller: FetchedResultsController<SharedEntry>
  private var shown: [TableView.Section] = []
  private var found: String?

  init(of store: Store) throws {
    context = store.makeContext(isolation: nil)
    controller = FetchedResultsController(fetchRequest: SharedEntry.list, context: context)
    controller.delegate = self
    try controller.performFetch()
    shown = controller.fetchedObjects?.tableSections() ?? []
  }

  func controller(
    _ controller: FetchedResultsController<SharedEntry>,
    didChangeContentWith difference: ListDifference<SharedEntry>
  ) {
    let new = controller.fetchedObjects?.tableSections() ?? []
    do throws(ListLawError) {
      try ListLaw.check(
        difference, from: shown, to: new, law: .difference,
        after: controller.fetchedObjects.map { _ in context.store.snapshot.sequence } ?? .zero)
    } catch { found = found ?? "\(error)" }
    shown = new
  }

  /// Merges the saves of all machines, and returns the first problem of the list.
  func problem(after store: Store) throws -> String? {
    try context.mergeChanges()
    if let found { return found }
    let live = controller.fetchedObjects?.text { $0.text } ?? ""
    let fetched = try store.snapshot.fetch(SharedEntry.list).text { $0.text }
    if live == fetched { return nil }
    return """
      The live list is not equal to a list that is fetched at this moment. Expected:
      \(fetched)
      Found:
      \(live)
      """
  }
}
