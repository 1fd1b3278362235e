import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Bytes before the checkpoint that opened a store may be damaged. The store must never return
/// them, and must report the damage to every caller that needs them.
@Suite("Damage before a checkpoint") struct LateDamageBytesTests {
  typealias Team = CheckpointPlace.Team
  typealias Member = CheckpointPlace.Member

  /// Returns a journal of many rows with a damaged byte in the middle.
  private func damaged() throws -> (place: CheckpointPlace, disk: SimulatedDisk) {
    let (place, disk) = CheckpointPlace.simulated()
    let store = try place.open()
    let context = store.makeContext()
    for piece in 0..<40 {
      for id in 0..<50 {
        let number = piece * 50 + id
        try context.insert(
          CheckpointPlace.Team(
            id: number, title: "team \(number) " + String(repeating: "x", count: 100),
            members: [Reference("m\(number)")]))
        try context.insert(CheckpointPlace.Member(id: "m\(number)", email: "\(number)@example"))
      }
      context.metadata.idempotencyKey = "piece \(piece)"
      try context.saveAndWait()
    }
    try store.closeAndWait()
    let bytes = try #require(disk.contents(of: "j"))
    let wanted = Array("team 1000 xxx".utf8)
    let offset = try #require(
      bytes.indices.first { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) })
    disk.corrupt("j", at: offset, xor: 1)
    return (place, disk)
  }

  /// An operation that reads the damaged record or all records.
  private enum Act: CaseIterable {
    case object, objects, dynamicObject, dynamicObjects, contextObject, contextObjects, value
    case update, delete, insert, history, moment, transactions, walk, key

    func perform(_ store: Store) throws {
      let context = store.makeContext()
      switch self {
      case .object: _ = try store.snapshot.object(Team.self, id: 1000)
      case .objects: _ = try store.snapshot.objects(Team.self)
      case .dynamicObject: _ = try store.snapshot.object("Member", id: .string("m1000"))
      case .dynamicObjects: _ = try store.snapshot.objects("Member")
      case .contextObject: _ = try context.object(Team.self, id: 1000)
      case .contextObjects: _ = try context.objects(Team.self)
      case .value: _ = try context.value(forKey: "title", of: "Team", id: .int(1000))
      case .update: try context.update(Team.self, id: 1000) { $0.title = "" }
      case .delete: try context.delete(Team.self, id: 1000)
      case .insert: try context.insert(Team(id: 1000))
      case .history: _ = try store.history(of: "Team", id: .int(1000))
      case .moment: _ = try store.snapshot(at: 3)
      case .transactions:
        var transactions = try store.transactions(from: 1)
        while try transactions.next() != nil {}
      case .walk:
        let walk = try store.walk(from: nil)
        while try walk.next() != nil {}
      case .key:
        // Only the damaged transaction shows whether this key was saved.
        try context.insert(Team(id: -2))
        context.metadata.idempotencyKey = "piece 20"
        try context.saveAndWait()
      }
    }
  }

  private static let sentence = """
    j: byte 211880: a saved frame can no longer be read. Transactions 1 through 20 are intact. The \
    file was not changed. Verify the journal to find out what else is affected.
    """

  private func sentence(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return "\(error)" }
  }

  @Test func `every read of damaged bytes reports them, and so does every later call`() throws {
    let (place, disk) = try damaged()
    try Audit.$isOff.withValue(true) {
      for act in Act.allCases {
        let store = try place.open()
        #expect(store.statistics.checkpoints?.openedFrom == 40)
        let received = sentence { try act.perform(store) }
        #expect(received == Self.sentence, "\(act)")
        // From then on every call reports the damage, also reads of intact records.
        #expect(sentence { _ = try store.snapshot.object(Team.self, id: 1) } == received, "\(act)")
        #expect(sentence { try store.makeContext().insert(Team(id: -1)) } == received, "\(act)")
        disk.killProcess()
      }
    }
  }

  @Test func `a save with an idempotency key in damaged bytes reports the damage`() throws {
    let (place, _) = try damaged()
    try Audit.$isOff.withValue(true) {
      let store = try place.open()
      let contexts = (store.makeContext(), store.makeContext())
      try contexts.0.delete(Team.self, id: 1999)
      try contexts.1.delete(Team.self, id: 1999)
      try contexts.0.saveAndWait()
      // Without the key, this save would have no effect.
      contexts.1.metadata.idempotencyKey = "piece 20"
      #expect(sentence { try contexts.1.saveAndWait() } == Self.sentence)
    }
  }

  @Test func `damage in unread bytes is not reported`() throws {
    let (place, disk) = try damaged()
    try Audit.$isOff.withValue(true) {
      let store = try place.open()
      #expect(try store.snapshot.object(Team.self, id: 1)?.title.hasPrefix("team 1 ") == true)
      let context = store.makeContext()
      try context.update(Team.self, id: 1999) { $0.title = "other" }
      try context.saveAndWait()
      #expect(store.snapshot.sequence == 41)
      #expect(store.lateChecks?.error == nil)
      disk.killProcess()
      // A reader of the whole journal finds the damage.
      #expect(
        try Store(reading: "j", types: CheckpointPlace.types, options: place.options).report?
          .isUneventful == false)
    }
  }

  @Test func `a change of a damaged record is refused before it is numbered`() throws {
    let (place, disk) = try damaged()
    try Audit.$isOff.withValue(true) {
      let store = try place.open()
      let frozen = store.snapshot.frozen
      let entity = try #require(frozen.catalog.index(of: "Team"))
      var proposal = Proposal()
      // The proposal is made without reading the row, as by a context.
      proposal.changes = [
        Proposal.Change(
          .delete, entity: entity, id: .int(1000),
          base: frozen.reader.location(of: IdentifierBytes(.int(1000)), in: entity))
      ]
      #expect(store.lateChecks?.error == nil)
      let received = sentence { _ = try store.saveAndWait(proposal) }
      #expect(received == Self.sentence)
      #expect(store.snapshot.sequence == 40 && store.statistics.inFlightCount == 0)
      disk.killProcess()
    }
  }

  @Test func `damaged rows are read as records with identifiers and default values`() throws {
    let (place, disk) = try damaged()
    try Audit.$isOff.withValue(true) {
      let store = try place.open()
      let frozen = store.snapshot.frozen
      let entity = try #require(frozen.catalog.index(of: "Team"))
      var damaged: [Int64] = []
      var ids: Set<RecordIdentifier> = []
      frozen.state.tables[entity].forEach(in: frozen.space) { slot, location, creation in
        let record = frozen.memory.withCompleteRow(at: location, layouts: frozen.catalog.layouts) {
          DynamicRecord($0, history: frozen.catalog.history[entity])
        }
        let id = frozen.reader.identifier(ofSlot: slot, in: entity)
        #expect(record?.id == id)
        #expect(
          frozen.memory.withBytes(at: location) { Layout.creation(of: $0) } == creation)
        ids.insert(id)
        if case .int(let number) = id, record?.values.first == .string("") {
          damaged.append(number)
        }
      }
      // All rows in the same 64 KiB are lost, and no others.
      #expect(ids.count == 2000 && damaged.contains(1000))
      #expect(damaged == Array((damaged.first ?? 0)...(damaged.last ?? 0)))
      #expect(damaged.count < 500)
      let members = try #require(frozen.catalog.index(of: "Member"))
      var unknown = 0
      frozen.state.tables[members].forEach(in: frozen.space) { slot, _, _ in
        if case .string(let text) = frozen.reader.identifier(ofSlot: slot, in: members),
          text == "damaged \(slot)"
        {
          unknown += 1
        }
      }
      #expect(unknown > 0 && unknown < 500)
      disk.killProcess()
    }
  }
}
