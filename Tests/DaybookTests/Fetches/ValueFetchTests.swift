import Daybook
import FoundationEssentials
import TestSupport
import Testing

/// Values without records are those that the records have.
@Suite struct `A fetch of values` {
  private static let attributes: [FetchedAttribute<Game>] = [
    .attribute(\.level), .attribute(\.score), .attribute(\.name), .attribute(\.club),
    .attribute(\.club, at: \.name), .attribute(\.id), .attribute(named: "club.id"),
  ]

  /// Returns the value of an attribute of a record.
  private func value(
    _ attribute: FetchedAttribute<Game>, of game: Game, in snapshot: StoreSnapshot
  ) throws -> AttributeValue {
    let club = try snapshot.object(game.club)
    switch attribute.name {
    case "level": return game.level.map { .string($0) } ?? .null
    case "score": return .int(Int64(game.score))
    case "name": return .string(game.name)
    case "club": return club.map { .reference(.int(Int64($0.id))) } ?? .null
    case "club.name": return club.map { .string($0.name) } ?? .null
    case "id": return .int(Int64(game.id))
    case "club.id": return club.map { .int(Int64($0.id)) } ?? .null
    default: throw Surprise("\(attribute.name)")
    }
  }

  /// The law: the values of all records in order. For distinct values, each combination is at its
  /// first position. Offset and limit then select among them.
  private func model(
    _ request: ListRequest<Game>, _ attributes: [FetchedAttribute<Game>], isDistinct: Bool,
    in snapshot: StoreSnapshot
  ) throws -> [[AttributeValue]] {
    var unlimited = request
    (unlimited.limit, unlimited.offset) = (nil, 0)
    var rows: [[AttributeValue]] = []
    for game in try snapshot.fetch(unlimited) {
      let row = try attributes.map { try value($0, of: game, in: snapshot) }
      if !isDistinct || !rows.contains(row) { rows.append(row) }
    }
    return Array(rows.dropFirst(request.offset).prefix(request.limit ?? .max))
  }

  @Test func `a value fetch finds the records' values at every moment`() throws {
    var distinctCount = 0
    for seed in 0..<UInt64(FaultRow.count(200, full: 5000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      for step in 0..<6 {
        for _ in 0...changes.below(6) { try changes.change(context) }
        let request = changes.request()
        let attributes = (0..<changes.below(4)).map { _ in
          `A fetch of values`.attributes[changes.below(7)]
        }
        let isDistinct = changes.below(2) == 0
        let found = try context.fetchValues(request, of: attributes, distinct: isDistinct)
        try context.saveAndWait()
        let saved = try store.snapshot.fetchValues(request, of: attributes, distinct: isDistinct)
        let expected = try model(request, attributes, isDistinct: isDistinct, in: store.snapshot)
        #expect(found.map { Array($0) } == expected, "seed \(seed), step \(step)")
        #expect(saved == found, "seed \(seed), step \(step)")
        if isDistinct, try expected.count < store.snapshot.count(for: request) {
          distinctCount += 1
        }
      }
    }
    #expect(distinctCount > 0)
  }

  private func store(_ games: [Game], _ clubs: [Club] = []) throws -> Store {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for club in clubs { try context.insert(club) }
    for game in games { try context.insert(game) }
    try context.saveAndWait()
    return store
  }

  private let byScore = ListRequest<Game>(sortedBy: [.ascending(\Game.score)])

  @Test func `limit and offset count distinct combinations`() throws {
    let levels = ["easy", "hard", "easy", nil, "hard", "", nil, "easy", "odd"]
    let store = try store(
      levels.enumerated().map { Game(id: $0, level: $1, score: $0) })
    func found(_ limit: Int?, _ offset: Int, distinct: Bool) throws -> String {
      var request = byScore
      (request.limit, request.offset) = (limit, offset)
      return try store.snapshot.fetchValues(request, of: [.attribute(\.level)], distinct: distinct)
        .map { row in
          if case .string(let text) = row[\.level] { return "'\(text)'" }
          return "\(row[\.level])"
        }
        .joined(separator: " ")
    }
    #expect(try found(nil, 0, distinct: true) == "'easy' 'hard' null '' 'odd'")
    #expect(try found(3, 0, distinct: true) == "'easy' 'hard' null")
    #expect(try found(3, 0, distinct: false) == "'easy' 'hard' 'easy'")
    #expect(try found(2, 2, distinct: true) == "null ''")
    #expect(try found(2, 2, distinct: false) == "'easy' null")
    #expect(try found(nil, 4, distinct: true) == "'odd'")
    #expect(try found(5, 5, distinct: true) == "")
    #expect(try found(0, 0, distinct: true) == "")
    #expect(try found(.max, .max, distinct: true) == "")
  }

  @Test func `distinct combinations have the order of the request`() throws {
    let store = try store([
      Game(id: 1, name: "a", level: "hard", score: 1),
      Game(id: 2, name: "b", level: "easy", score: 2),
      Game(id: 3, name: "a", level: "easy", score: 3),
    ])
    var request = byScore
    let names: [FetchedAttribute<Game>] = [.attribute(\.name)]
    #expect(
      try store.snapshot.fetchValues(request, of: names, distinct: true).map { $0[0] }
        == [.string("a"), .string("b")])
    request.sectioning = .by(\Game.level)
    #expect(
      try store.snapshot.fetchValues(request, of: names, distinct: true).map { $0[0] }
        == [.string("b"), .string("a")])
  }

  @Test func `a fetched value is read by index, name and property`() throws {
    let store = try store(
      [Game(id: 1, name: "Go", club: Reference(7), score: 3)], [Club(id: 7, name: "Ajax")])
    let attributes: [FetchedAttribute<Game>] = [
      .attribute(\.name), .attribute(\.club, at: \.name), .attribute(named: "score"),
    ]
    let values = try #require(
      try store.makeContext().fetchValues(byScore, of: attributes).first)
    #expect(values.attributes.map(\.name) == ["name", "club.name", "score"])
    #expect(values.count == 3)
    #expect(values[0] == .string("Go"))
    #expect(values[\.name] == .string("Go"))
    #expect(values[\.club, \.name] == .string("Ajax"))
    #expect(values[\.score] == .int(3))
    #expect(values["club.name"] == .string("Ajax"))
    #expect(values["club"] == nil)
    // Of no attributes there is one combination.
    #expect(try store.snapshot.fetchValues(byScore, of: []).map(\.count) == [0])
  }

  @Test func `a value fetch throws the error of its attribute`() throws {
    let store = try store([])
    func problem(_ attribute: FetchedAttribute<Game>) -> String {
      do {
        _ = try store.snapshot.fetchValues(byScore, of: [.attribute(\.name), attribute])
        return "nothing"
      } catch { return "\(error)" }
    }
    #expect(
      problem(.attribute(named: "scor")) == "Game has no attribute 'scor'; did you mean 'score'?")
    #expect(
      problem(.attribute(named: "fields"))
        == "Game has no attribute 'fields'; it has id, name, club, level and score.")
    #expect(
      problem(.attribute(named: "club.nam"))
        == "Club has no attribute 'nam'; did you mean 'name'?")
    #expect(
      problem(.attribute(named: "name.id"))
        == "Game.name is not a reference to one record, so no other name can follow it.")
    #expect(
      problem(.attribute(\.text))
        == "Game has no attribute '\\Game.<computed>'; it has id, name, club, level and score.")
    #expect {
      try store.snapshot.fetchValues(ListRequest<Game>(sortedBy: []), of: [])
    } throws: {
      "\($0)" == "the request for Game has no sort key; add one to sortedBy."
    }
    #expect {
      try Store.inMemory(types: [Club.self]).snapshot.fetchValues(byScore, of: [])
    } throws: {
      ($0 as? StoreError)?.reason == .unknownType("Game")
    }
  }
}
