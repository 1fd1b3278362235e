/// Where ranks of one moment are shown, for whoever asks for some of them.
struct RankPaths {
  private let snapshot: ResultSnapshot
  private let visible: Range<Int>
  /// The section of the first row that is shown, and how far from its beginning that is; nil if there is one section,
  /// or nothing is shown.
  private let first: (section: Int, offset: Int)?
  /// The ranks at which sections begin, from the first on, if at least as many paths are asked for as there are
  /// sections.
  private var starts: [Int] = []

  /// - Parameter count: For about how many paths it will be asked.
  /// - Complexity: O(log *n*), and O(sections) if these are fewer than the paths
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

  /// Where a rank is shown.
  ///
  /// - Complexity: O(log *n*)
  func path(ofRank rank: Int) -> RowPath {
    precondition(visible.contains(rank), "rank \(rank) is not among \(visible)")
    guard let first else { return RowPath(section: 0, row: rank - visible.lowerBound) }
    let (section, offset) = place(ofRank: rank)
    return RowPath(
      section: section - first.section,
      row: offset - (section == first.section ? first.offset : 0))
  }

  /// How many rows are shown in a section, by its place among those that are shown.
  ///
  /// - Complexity: O(log *n*)
  func count(inSection section: Int) -> Int {
    snapshot.visibleRanks(ofSection: (first?.section ?? 0) + section).count
  }

  private func place(ofRank rank: Int) -> (section: Int, offset: Int) {
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
