/// The part of a picture that ``Film`` prints if the screen has too few lines for the complete
/// picture.
struct PictureCut {
  /// The range of the lines that are shown.
  let shown: Range<Int>
  /// The line with the section name of the first shown row, if this line is outside of the range.
  private(set) var section: Picture.Line?
  /// The numbers of rows that are hidden above and below the shown lines.
  private(set) var rowCountAbove = 0
  private(set) var rowCountBelow = 0

  /// Creates a cut with at most a number of lines, which shows as many changes as possible.
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
    // One line is for the number of hidden rows, and one line for the name of a section whose first
    // rows are hidden.
    let room = max(1, lineCountMax - 2)
    let start = PictureCut.start(changed, count: count, room: room)
    shown = start..<min(start + room, count)
    var (index, lastSection) = (0, Picture.Line?.none)
    picture.forEachLine { line in
      switch line {
      case .gap: break
      case .section: lastSection = line
      case .row:
        if index == shown.lowerBound { section = lastSection }
        if index < shown.lowerBound { rowCountAbove += 1 }
        if index >= shown.upperBound { rowCountBelow += 1 }
      }
      index += 1
    }
  }

  /// Returns the first line of a range with as many changes as possible. If possible, the changes
  /// are in the middle of the range.
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

  /// A sentence such as `12 rows above and 3 rows below are not shown`; nil if all rows are shown.
  var sentence: String? {
    let parts = [(rowCountAbove, "above"), (rowCountBelow, "below")].filter { $0.0 > 0 }
    guard let last = parts.last else { return nil }
    let phrases = parts.map { "\($0.0 == 1 ? "1 row" : "\($0.0) rows") \($0.1)" }
    let isOne = parts.count == 1 && last.0 == 1
    return phrases.joined(separator: " and ") + (isOne ? " is not shown" : " are not shown")
  }
}
