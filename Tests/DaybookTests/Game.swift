import Daybook
import DaybookTesting
import FoundationEssentials

/// A game of a club, for lists.
struct Game: Record, Hashable {
  var id = 0
  var name = ""
  var club: Reference<Club>?
  var level: String?
  var score = 0

  static let schema = RecordSchema<Game>("Game")
    .attribute("name", at: \.name)
    .reference("club", at: \.club, inverse: "games", whenTargetDeleted: .nullify)
    .attribute("level", at: \.level)
    .attribute("score", at: \.score)

  /// The text of the cell.
  var text: String { "\(id) \(name) \(level ?? "-") \(score)" }
}

/// A club of players.
struct Club: Record, Hashable {
  var id = 0
  var name = ""
  static let schema = RecordSchema<Club>("Club").attribute("name", at: \.name)
}

/// Changes of games and clubs, drawn at random.
struct GameChanges {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  /// Changes something in a context.
  mutating func change(_ context: EditingContext) throws {
    let id = below(12)
    if below(6) == 0 {
      let club = Club(id: below(3), name: ["Ajax", "Benfica", "Celtic", "Dynamo"][below(4)])
      switch (try context.object(Club.self, id: club.id), below(4)) {
      case (nil, _): try context.insert(club)
      case (_?, 0): try context.delete(Club.self, id: club.id)
      case (_?, _): try context.update(Club.self, id: club.id) { $0 = club }
      }
      return
    }
    let game = try context.object(Game.self, id: id)
    if game == nil {
      try context.insert(
        Game(
          id: id, name: name(), club: below(4) == 0 ? nil : Reference(below(3)), level: level(),
          score: below(4)))
      return
    }
    let (name, level, club, score) = (name(), level(), below(3), below(4))
    switch below(6) {
    case 0: try context.delete(Game.self, id: id)
    case 1: try context.update(Game.self, id: id) { $0.name = name }
    case 2: try context.update(Game.self, id: id) { $0.level = level }
    case 3: try context.update(Game.self, id: id) { $0.club = Reference(club) }
    default: try context.update(Game.self, id: id) { $0.score = score }
    }
  }

  private mutating func name() -> String { ["Go", "chess", "Ludo", "nim", "Äpfel"][below(5)] }
  private mutating func level() -> String? { [nil, "", "easy", "hard"][below(4)] }

  /// A request drawn at random.
  mutating func request() -> ListRequest<Game> {
    let clubGames = Filter.at(\Game.club).objects(\Game.club)
    let filters: [Filter?] = [
      nil, \Game.score > 0, \Game.name != "nim", Filter.at(\Game.club, at: \.name) != "Celtic",
      // These filters need few changes.
      \Game.name == "Äpfel", \Game.score == 2, \Game.level == "easy" && \Game.score > 0,
      // These read the other games of the club.
      clubGames.count > 2, clubGames.any.at(\.level) == "hard",
    ]
    let keys: [[SortKey]] = [
      [.ascending(\Game.name)], [.descending(\Game.score), .ascending(\Game.name)],
      [.ascending(\Game.club, at: \.name), .descending(\Game.score)], [.descending(\Game.level)],
      [.descending(clubGames.count), .ascending(\Game.name)],
    ]
    let sections: [Sectioning?] = [
      nil, .by(\Game.level), .by(\Game.name, each: .letter),
      .by(\Game.club, at: \.name, descending: true), .by(clubGames.count),
    ]
    return ListRequest(
      filter: filters[below(filters.count)], sortedBy: keys[below(keys.count)],
      sectionedBy: sections[below(sections.count)], limit: below(3) == 0 ? below(8) : nil,
      offset: below(4) == 0 ? below(4) : 0, batchSize: below(3))
  }
}
