import DaybookJournal
import DaybookResults
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@Suite struct `A projection that reads through references` {
  struct Team: Record {
    var id = 0
    var name = ""
    var color = ""
    var league: Reference<League>?
    static let schema = RecordSchema<Team>("Team")
      .attribute("name", at: \.name).attribute("color", at: \.color)
      .reference("league", at: \.league, whenTargetDeleted: .keep)
  }

  struct League: Record {
    var id = 0
    var level = 0
    var color = ""
    static let schema = RecordSchema<League>("League")
      .attribute("level", at: \.level).attribute("color", at: \.color)
  }

  struct Player: Record {
    var id = 0
    var team: Reference<Team>?
    var friend: Reference<Player>?
    var age = 0
    static let schema = RecordSchema<Player>("Player")
      .reference("team", at: \.team, whenTargetDeleted: .nullify).reference(
        "friend", at: \.friend, whenTargetDeleted: .nullify
      ).attribute("age", at: \.age)
  }

  /// Players with young friends, sorted by the names of their teams, the levels of their leagues,
  /// and age.
  private static let ageMax = 3

  private func plan(_ catalog: Catalog) throws -> ResultPlan {
    let entity = try #require(catalog.index(of: "Player"))
    let team = try ValuePath(["team", "name"], from: entity, in: catalog)
    let level = try ValuePath(["team", "league", "level"], from: entity, in: catalog)
    let friend = try ValuePath(["friend", "age"], from: entity, in: catalog)
    let age = try ValuePath(["age"], from: entity, in: catalog)
    var reads = PlanReads()
    reads.foreign = [team, level, friend].map { PathRead($0, in: catalog) }
    return ResultPlan(
      entity: entity,
      matches: { row, state in
        (friend.number(of: row, in: state) ?? 0) <= Self.ageMax
      },
      sections: ResultPlan.Sections(
        append: { row, state, buffer in
          let text = team.text(of: row, in: state)
          buffer.append(text == nil ? 0 : 1 as UInt8)
          buffer.append(text ?? "")
        }, name: { String(decoding: $0.dropFirst(), as: UTF8.self) }),
      order: { row, state, buffer in
        for path in [level, age] {
          let number = path.number(of: row, in: state)
          buffer.append(number == nil ? 0 : 1 as UInt8)
          buffer.append(UInt64(bitPattern: (number ?? 0) &+ .min).byteSwapped)
        }
      },
      reads: reads)
  }

  /// Returns the same rows by a simple model.
  private func rows(_ snapshot: StoreSnapshot) throws -> [ModelRow] {
    try snapshot.objects(Player.self).compactMap { player in
      let team = try snapshot.object(player.team)
      let league = try snapshot.object(team?.league)
      let friend = try snapshot.object(player.friend)
      guard friend?.age ?? 0 <= Self.ageMax else { return nil }
      let level = league.map { ModelValue.number($0.level) } ?? .none
      let read = "\(team?.name ?? "-") \(level) \(friend?.age ?? -1)"
      return ModelRow(
        id: player.id, section: .text(team?.name), order: [level, .number(player.age)],
        creation: snapshot.creation("Player", player.id), content: "\(player) \(read)")
    }.sorted()
  }

  private func change(
    _ context: EditingContext, _ generator: inout SplitMix64
  ) throws -> [(String, Int)] {
    func below(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }
    let id = below(10)
    switch below(12) {
    case 0, 1:
      guard try context.object(Team.self, id: id % 4) != nil else {
        try context.insert(Team(id: id % 4, name: "t\(below(3))", league: Reference(below(3))))
        return [("Team", id % 4)]
      }
      try context.update(Team.self, id: id % 4) { $0.name = "t\(below(3))" }
      return [("Team", id % 4)]
    case 2 where try context.object(Team.self, id: id % 4) != nil:
      try context.update(Team.self, id: id % 4) { $0.league = Reference(below(3)) }
      return [("Team", id % 4)]
    case 3 where try context.object(Team.self, id: id % 4) != nil:
      try context.update(Team.self, id: id % 4) { $0.color = "c\(below(3))" }
      return [("Team", id % 4)]
    case 4 where try context.object(Team.self, id: id % 4) != nil && below(2) == 0:
      try context.delete(Team.self, id: id % 4)
      // These players no longer refer to the team.
      return [("Team", id % 4)] + (0..<10).map { ("Player", $0) }
    case 5, 6:
      guard try context.object(League.self, id: id % 3) != nil else {
        try context.insert(League(id: id % 3, level: below(3)))
        return [("League", id % 3)]
      }
      try context.update(League.self, id: id % 3) {
        if below(2) == 0 { $0.level = below(3) } else { $0.color = "c\(below(3))" }
      }
      return [("League", id % 3)]
    case 7 where try context.object(League.self, id: id % 3) != nil:
      // Teams go on referring to it.
      try context.delete(League.self, id: id % 3)
      return [("League", id % 3)]
    default:
      guard try context.object(Player.self, id: id) != nil else {
        try context.insert(
          Player(id: id, team: Reference(below(5)), friend: Reference(below(10)), age: below(6)))
        return [("Player", id)]
      }
      if below(6) == 0 {
        try context.delete(Player.self, id: id)
        return (0..<10).map { ("Player", $0) }
      }
      try context.update(Player.self, id: id) {
        switch below(3) {
        case 0: $0.age = below(6)
        case 1: $0.team = below(4) == 0 ? nil : Reference(below(5))
        default: $0.friend = below(4) == 0 ? nil : Reference(below(10))
        }
      }
      return [("Player", id)]
    }
  }

  // Rules 32 to 34.
  @Test func `a change of a referenced record moves only its rows`() throws {
    for seed in 0..<UInt64(FaultRow.count(600, full: 10_000)) {
      var generator = SplitMix64(seed: seed)
      let store = try Store.inMemory(types: [Player.self, Team.self, League.self])
      let context = store.makeContext()
      for _ in 0..<20 { _ = try change(context, &generator) }
      try context.saveAndWait()
      var before = store.snapshot
      let plan = try plan(before.frozen.catalog)
      let projection = Projection(plan, of: before.frozen)
      let window = ResultWindow()
      for step in 0..<12 {
        var changed: Set<EntityKey> = []
        for _ in 0...(generator.next() % 4) {
          for (entity, id) in try change(context, &generator) {
            let index = try #require(before.frozen.catalog.index(of: entity))
            changed.insert(EntityKey(index, id: .int(Int64(id))))
          }
        }
        try context.saveAndWait()
        let after = store.snapshot
        let difference = projection.received { $0.fold(Array(changed), to: after.frozen) }
        DifferenceLaw(
          isSectioned: true, before: try rows(before), after: try rows(after),
          windowBefore: window, windowAfter: window
        ).hold(difference, "seed \(seed), step \(step)")
        before = after
      }
    }
  }
}
