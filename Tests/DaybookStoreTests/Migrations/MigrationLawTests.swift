import DaybookJournal
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookStore

/// The laws, for random journals and random steps:
///
/// - Migrated = the same steps applied by hand in a context.
/// - Reopened = migrated, from a checkpoint as well.
/// - Moments before the steps are read as if there had been no steps.
@Suite struct `Laws of migration steps` {
  typealias Place = CheckpointPlace

  /// Returns a step that makes random changes of every kind, by name and by type.
  private static func step(_ version: Int, seed: UInt64) -> Migration {
    Migration("step \(version)", version: version) { context in
      var random = SplitMix64(seed: seed)
      func isChosen(_ share: UInt64) -> Bool { random.next() % share == 0 }
      for member in try context.objects("Member") {
        guard case .string(let id) = member.id, case .string(let name)? = member["name"] else {
          continue
        }
        switch random.next() % 5 {
        case 0: try context.delete("Member", id: member.id)
        case 1:
          try context.setValue(
            .string("\(name) of version \(version)"), forKey: "name", of: "Member", id: member.id)
        case 2:
          // A part of the record becomes a record of its own.
          let team = 1000 * version + Int(random.next() % 500)
          if try context.object(Place.Team.self, id: team) == nil {
            try context.insert(Place.Team(id: team, title: name, members: [Reference(id)]))
          }
        default: break
        }
      }
      for team in try context.objects(Place.Team.self) where isChosen(4) {
        try context.update(Place.Team.self, id: team.id) { $0.title += " \(version)" }
      }
      // Each step sees the changes of those before it.
      if isChosen(2) { context.processPendingChanges() }
    }
  }

  @Test func `a migrated store equals one to which the steps were applied by hand`() throws {
    var migratedCount = 0
    for seed in 0..<UInt64(FaultRow.count(200, full: 2000, least: 12)) {
      let (place, disk) = Place.simulated()
      var random = SplitMix64(seed: seed)
      let store = try place.open()
      try place.change(store, times: 8, &random)
      let last = store.snapshot.sequence
      try store.closeAndWait()
      let steps = (1...Int(1 + random.next() % 3)).map { Self.step($0, seed: seed &+ UInt64($0)) }

      let byHand = Place(disk: disk.copy())
      let hand = try byHand.open()
      let context = hand.makeContext()
      for step in steps {
        try step.body(context)
        context.processPendingChanges()
      }
      context.metadata.reason = "by hand"
      try context.saveAndWait()

      func openMigrated() throws -> Store {
        try Store(at: "j", types: Place.types, migrations: steps, options: place.options)
      }
      let migrated = try openMigrated()
      let what = "seed \(seed)"
      #expect(
        Audit.differences(migrated.snapshot, hand.snapshot).filter { $0 != "another moment" } == [],
        "\(what)")
      #expect(migrated.snapshot.sequence == last + 1, "\(what)")
      #expect(migrated.openingReport.migrationSteps.count == steps.count, "\(what)")
      for number in 0...last.rawValue {
        let moment = SequenceNumber(number)
        #expect(
          Audit.differences(
            try migrated.snapshot(at: moment), try hand.snapshot(at: moment)) == [], "\(what)")
      }
      var problems = try place.problems(migrated, place.read(), &random)
      #expect(problems == [], "\(what)")
      try migrated.closeAndWait()

      let again = try openMigrated()
      #expect(again.openingReport.migrationSteps.isEmpty, "\(what)")
      #expect(again.statistics.checkpoints?.openedFrom != nil, "\(what)")
      problems = try place.problems(again, place.read(), &random)
      #expect(problems == [], "\(what)")
      #expect(
        Audit.differences(again.snapshot, hand.snapshot).filter { $0 != "another moment" } == [],
        "\(what)")
      if !migrated.openingReport.isEmpty { migratedCount += 1 }
    }
    #expect(migratedCount > 10)
  }

  @Test func `steps run in one opening give the records of one step in each opening`() throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 1000, least: 6)) {
      let (place, disk) = Place.simulated()
      var random = SplitMix64(seed: seed)
      let store = try place.open()
      try place.change(store, times: 6, &random)
      try store.closeAndWait()
      let steps = (1...3).map { Self.step($0, seed: seed &+ UInt64($0)) }
      let other = Place(disk: disk.copy())
      let whole = try Store(
        at: "j", types: Place.types, migrations: steps, options: place.options)
      for count in 1...2 {
        try Store(
          at: "j", types: Place.types, migrations: Array(steps[..<count]), options: other.options
        ).closeAndWait()
      }
      let stepwise = try Store(
        at: "j", types: Place.types, migrations: steps, options: other.options)
      func records(_ store: Store) throws -> [[DynamicRecord]] {
        try ["Team", "Member"].map { try store.snapshot.objects($0) }
      }
      #expect(try records(whole).map(Set.init) == records(stepwise).map(Set.init), "seed \(seed)")
      #expect(whole.schemaVersion == 3 && stepwise.schemaVersion == 3)
    }
  }
}
