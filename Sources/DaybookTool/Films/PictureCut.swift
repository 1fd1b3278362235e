/// Which lines of a picture a screen shows that has no room for all.
struct PictureCut {
  /// The lines that are shown, by their places.
  let shown: Range<Int>
  /// The section that the first of them belongs to, if its name is not among them.
  private(set) var section: Picture.Line?
  /// How many rows stand before them, and how many behind.
  private(set) var rowCountAbove = 0
  private(set) var rowCountBelow = 0

  /// As many lines as there is room for, around as many changes as can be shown at once.
  init(_ picture: Picture, lineCountMax: Int) {
    var changed: [Int] = []
    var count = 0
    picture.forEachLine { line in
      if line.isChanged { changed.append(count) }
      count += 1
    }
    guard count > lineCountMax else {
      shown = 0..<count
      return
    }
    // A line is for what is not shown, and one for the section that is cut through.
    let room = max(1, lineCountMax - 2)
    let start = PictureCut.start(changed, count: count, room: room)
    shown = start..<min(start + room, count)
    var (place, lastSection) = (0, Picture.Line?.none)
    picture.forEachLine { line in
      switch line {
      case .gap: break
      case .section: lastSection = line
      case .row:
        if place == shown.lowerBound { section = lastSection }
        if place < shown.lowerBound { rowCountAbove += 1 }
        if place >= shown.upperBound { rowCountBelow += 1 }
      }
      place += 1
    }
  }

  /// The first line: the most changes are shown from there on, and stand in the middle.
  private static func start(_ changed: [Int], count: Int, room: Int) -> Int {
    var (best, bestCount) = (0..<1, 0)
    var first = 0
    for last in changed.indices {
      while changed[last] - changed[first] >= room { first += 1 }
      if last - first + 1 > bestCount {
        (best, bestCount) = (changed[first]..<changed[last] + 1, last - first + 1)
      }
    }
    return max(0, min(best.lowerBound - (room - best.count) / 2, count - room))
  }

  /// `12 rows above and 3 rows below are not shown`; nil if all are.
  var sentence: String? {
    let parts = [(rowCountAbove, "above"), (rowCountBelow, "below")].filter { $0.0 > 0 }
    guard let last = parts.last else { return nil }
    let told = parts.map { "\($0.0 == 1 ? "1 row" : "\($0.0) rows") \($0.1)" }
    let isOne = parts.count == 1 && last.0 == 1
    return told.joined(separator: " and ") + (isOne ? " is not shown" : " are not shown")
  }
}
