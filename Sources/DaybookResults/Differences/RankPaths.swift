/// A converter from ranks of one snapshot to the paths of their rows. For many ranks it is faster
/// than a search of the section tree for each rank.
struct RankPaths {
  private let snapshot: ResultSnapshot
  private let visible: Range<Int>
  /// The section of the first shown row, and the offset of that row in the section; nil if the list
  /// has no section key, or if it shows nothing.
  private let first: (section: Int, offset: Int)?
  /// The first rank of each section. The array is empty if fewer paths than sections are expected,
  /// because filling it would take longer than the searches.
  private var starts: [Int] = []

  /// - Parameter count: The approximate number of paths that will be requested.
  /// - Complexity: O(log *n*); O(sections) if there are fewer sections than paths
  init(_ snapshot: ResultSnapshot, count: Int) {
    self.snapshot = snapshot
    visible = snapshot.visible
    guard snapshot.plan.appendSection != nil, !visible.isEmpty else {
      first = nil
      return
    }
    let found = snapshot.sections.find(visible.lowerBound, in: snapshot.space)
    first = (found.rank, found.offset)
    let sections = snapshot.sections
    guard sections.count <= count else { return }
    starts.reserveCapacity(sections.count)
    var start = 0
    sections.forEach(0..<sections.count, in: snapshot.space) { section in
      starts.append(start)
      start += Int(section.value)
    }
  }

  /// Returns the path of the row at a rank.
  ///
  /// - Complexity: O(log *n*)
  func path(ofRank rank: Int) -> RowPath {
    precondition(visible.contains(rank), "rank \(rank) is outside the visible ranks \(visible)")
    guard let first else { return RowPath(section: 0, row: rank - visible.lowerBound) }
    let (section, offset) = position(ofRank: rank)
    return RowPath(
      section: section - first.section,
      row: offset - (section == first.section ? first.offset : 0))
  }

  /// Returns the number of shown rows in a section.
  ///
  /// - Complexity: O(log *n*)
  func count(inSection section: Int) -> Int {
    snapshot.visibleRanks(ofSection: (first?.section ?? 0) + section).count
  }

  /// Returns the index of the section that contains a rank, among all sections of the order, and
  /// the offset of the rank in that section.
  private func position(ofRank rank: Int) -> (section: Int, offset: Int) {
    guard !starts.isEmpty else {
      let found = snapshot.sections.find(rank, in: snapshot.space)
      return (found.rank, found.offset)
    }
    var low = 0
    var length = starts.count
    while length > 1 {
      let half = length >> 1
      if starts[low + half] <= rank { low += half }
      length -= half
    }
    return (low, rank - starts[low])
  }
}
