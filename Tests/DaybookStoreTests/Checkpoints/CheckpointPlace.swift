import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// A journal of random changes of every kind, with much more frequent checkpoints than usual.
struct CheckpointPlace {
  struct Member: Record, Equatable {
    var id = ""
    var name = ""
    var email: String?
    var team: Reference<Team>?
    static let schema = RecordSchema<Member>("Member")
      .attribute("name", at: \.name).attribute("email", at: \.email)
      .reference("team", at: \.team, whenTargetDeleted: .keep).unique(\.email)
  }

  struct Team: Record, Equatable {
    var id = 0
    var title = ""
    var members: [Reference<Member>] = []
    static let schema = RecordSchema<Team>("Team")
      .attribute("title", at: \.title).owned("members", at: \.members)
  }

  var disk: any Disk
  var path = "j"
  /// The number of bytes after which a checkpoint is written during saves; nil if only at the end.
  var openGrowth: Int?

  /// Returns a journal on a disk that maps files and keeps unsynced writes.
  static func simulated() -> (place: CheckpointPlace, disk: SimulatedDisk) {
    let disk = SimulatedDisk()
    disk.mapsFiles = true
    return (CheckpointPlace(disk: disk), disk)
  }

  var options: JournalOptions {
    Audit.start()
    var options = JournalOptions()
    options.disk = disk
    options.clock = ManualClock()
    options.worksInBackground = false
    options.checkpointRule.closingByteCountMin = 1
    options.checkpointRule.closingDivisor = .max
    options.checkpointRule.openByteCountMin = openGrowth ?? .max
    options.checkpointRule.openFactor = 0
    return options
  }

  static let types: [any Record.Type] = [Team.self, Member.self]

  func open() throws -> Store {
    try Store(at: path, types: CheckpointPlace.types, options: options)
  }

  /// Opens the journal by reading it from its start.
  func read() throws -> Store {
    try Store(reading: path, types: CheckpointPlace.types, options: options)
  }

  /// Opens the journal by reading it from its newest checkpoint.
  func readFromCheckpoint() throws -> Store {
    try Store(readingFromCheckpoint: path, types: CheckpointPlace.types, options: options)
  }

  /// Saves a number of random changes.
  func change(_ store: Store, times: Int, _ random: inout SplitMix64) throws {
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let context = store.makeContext()
    for _ in 0..<times {
      for _ in 0...below(6) {
        let (team, member) = (below(20), "member \(below(60))")
        // Every fifth string is stored outside its row.
        let text = "\(below(1000))" + (below(5) == 0 ? String(repeating: " long", count: 120) : "")
        if below(3) == 0 {
          switch try context.object(Team.self, id: team) {
          case nil: try context.insert(Team(id: team, title: text))
          case _? where below(4) == 0: try context.delete(Team.self, id: team)
          case _? where below(2) == 0: try context.update(Team.self, id: team) { $0.title = text }
          case _?:
            try context.update(Team.self, id: team) { $0.members.append(Reference(member)) }
          }
        } else {
          switch try context.object(Member.self, id: member) {
          case nil:
            let email = below(3) == 0 ? "\(below(30))@example" : nil
            try context.insert(
              Member(id: member, name: text, email: email, team: Reference(team)))
          case _? where below(4) == 0: try context.delete(Member.self, id: member)
          case _?: try context.update(Member.self, id: member) { $0.team = Reference(team) }
          }
        }
      }
      if below(4) == 0 { context.metadata.idempotencyKey = "key \(below(40))" }
      do { try context.saveAndWait() } catch {
        guard case .validation = error.reason else { throw error }
        try context.rollback()
      }
      context.metadata = TransactionMetadata()
    }
  }

  /// Returns the differences of two stores of the journal at some moments.
  func problems(_ store: Store, _ other: Store, _ random: inout SplitMix64) throws -> [String] {
    var problems = Audit.differences(store.snapshot, other.snapshot)
    let last = store.snapshot.sequence.rawValue
    for _ in 0..<3 {
      let moment = SequenceNumber(random.next() % (last + 1))
      problems += Audit.differences(
        try store.snapshot(at: moment), try other.snapshot(at: moment))
    }
    for entity in ["Team", "Member"] where store.snapshot.frozen.catalog.index(of: entity) != nil {
      for record in try store.snapshot.objects(entity) {
        let (mine, others) = (
          try store.history(of: entity, id: record.id), try other.history(of: entity, id: record.id)
        )
        if mine.map(\.sequence) != others.map(\.sequence) {
          problems.append("history of \(record.id)")
        }
        if try referrers(store, entity, record.id) != referrers(other, entity, record.id) {
          problems.append("what refers to \(record.id)")
        }
      }
    }
    return problems
  }

  private func referrers(
    _ store: Store, _ entity: String, _ id: RecordIdentifier
  ) throws -> [String] {
    let frozen = store.snapshot.frozen
    var found: [String] = []
    guard let target = frozen.catalog.index(of: entity) else { return [] }
    frozen.reader.forEachReferrer(of: EntityKey(target, id: id)) { referrer, attribute, slot in
      found.append("\(frozen.reader.identifier(ofSlot: slot, in: referrer)) by \(attribute)")
    }
    return found.sorted()
  }

  /// The names of the checkpoints beside the journal.
  var names: [String] {
    get throws {
      try disk.list(SimulatedDisk.workingDirectory).filter { $0.contains("-checkpoint-") }.sorted()
    }
  }
}
