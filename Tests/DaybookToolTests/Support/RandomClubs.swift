import DaybookTesting

/// Random text journals of players and clubs that refer to each other, also to records that do not
/// exist.
enum RandomClubs {
  /// Options of lists whose values change with other records.
  static let options: [[String]] = [
    ["Player", "--sort", "club.name,points:desc", "--section-by", "club.name"],
    ["Player", "--columns", "name,club,club.name,friends,points", "--sort", "points"],
    [
      "Player", "--where", "points > 3", "--sort", "name", "--limit", "5", "--offset", "1",
      "--columns", "club.name,friends,club.city.name", "--total", "count,sum:points,avg:club.fee",
    ],
    [
      "Club", "--columns", "name,fee,city.name,players,players.@count", "--section-by", "city.name",
    ],
  ]

  /// Returns the lines of a journal with forty transactions.
  static func text(seed: UInt64) -> [String] {
    var random = SplitMix64(seed: seed)
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    var lines = [
      #"{"daybook":1,"entities":{"City":{"id":"int","attributes":{"name":"string"}},"#
        + #""Club":{"id":"int","attributes":{"name":"string","fee":"decimal","city":"ref:City"}},"#
        + #""Player":{"id":"int","attributes":{"name":"string","points":"int64","#
        + #""club":{"type":"ref:Club","inverse":"players"},"friends":"refs:Player"}}}}"#
    ]
    var ids = ["City": Set<Int>(), "Club": [], "Player": []]
    for sequence in 1...40 {
      var (changes, touched) = ([String](), Set<String>())
      for _ in 0..<1 + below(4) {
        let entity = ["City", "Club", "Player", "Player", "Player"][below(5)]
        let id = below(entity == "Player" ? 14 : 5)
        guard touched.insert("\(entity) \(id)").inserted else { continue }
        let isThere = ids[entity]?.contains(id) == true
        let name = ["\"Ann\"", "\"Bob\"", "\"Šárka\"", "null", "\"\""][below(5)]
        var set = [#""name":\#(name)"#]
        switch entity {
        case "Club":
          set.append(#""fee":"\#(below(90)).\#(below(10))""#)
          if below(2) == 0 { set.append(#""city":\#(below(5))"#) }
        case "Player":
          if below(2) == 0 { set.append(#""points":\#(below(9))"#) }
          if below(2) == 0 { set.append(#""club":\#(below(5))"#) }
          if below(3) == 0 { set.append(#""friends":[\#(below(7)),\#(7 + below(7))]"#) }
          if below(3) == 0 { set.removeFirst() }
        default: break
        }
        let start =
          #"{"op":"\#(isThere ? below(4) == 0 ? "delete" : "update" : "insert")","#
          + #""entity":"\#(entity)","id":\#(id)"#
        if start.contains("delete") {
          ids[entity]?.remove(id)
          changes.append(start + "}")
        } else {
          ids[entity]?.insert(id)
          changes.append(start + #","set":{\#(set.joined(separator: ","))}}"#)
        }
      }
      lines.append(
        #"{"tx":\#(sequence),"time":"2026-01-01T00:00:\#(sequence < 10 ? "0" : "")\#(sequence)Z","#
          + #""meta":{"author":"a\#(below(3))"},"changes":[\#(changes.joined(separator: ","))]}"#)
    }
    return lines
  }
}
