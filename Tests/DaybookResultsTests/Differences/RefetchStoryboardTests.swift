import DaybookResults
import Testing

@Suite struct `Callbacks after a change of request` {
  private let ascending = ListRequest<Item>(
    sortedBy: [.ascending(\Item.group), .ascending(\Item.rank)], sectionedBy: .by(\Item.group))

  private let start = """
    insert 1 a 1
    insert 2 b 2
    insert 3 b 3
    insert 4 c 4
    boundary

    """

  // Rule 40.
  @Test func `a reversed order of sections reports the section moves`() throws {
    let descending = ListRequest<Item>(
      sortedBy: [.descending(\Item.group), .ascending(\Item.rank)], sectionedBy: .by(\Item.group))
    let play = try Storyboard(["down": descending, "up": ascending], from: ascending).play(
      start + "refetch down\nrefetch up")
    #expect(
      play == """
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          section insert 1 "b"
          section insert 2 "c"
          insert [0, 0] 1
          insert [1, 0] 2
          insert [1, 1] 3
          insert [2, 0] 4
        | c: 4, b: 2 3, a: 1
          section insert 0 "c"
          section insert 2 "a"
          move [2, 0] -> [0, 0] 4
          move [0, 0] -> [2, 0] 1
          section delete 2 "c"
          section delete 0 "a"
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          section insert 2 "c"
          move [2, 0] -> [0, 0] 1
          move [0, 0] -> [2, 0] 4
          section delete 2 "a"
          section delete 0 "c"
        """)
  }

  // Rule 41.
  @Test func `a new sort order within sections reports the row moves`() throws {
    let other = ListRequest<Item>(
      sortedBy: [.ascending(\Item.group), .descending(\Item.rank)], sectionedBy: .by(\Item.group))
    let play = try Storyboard(["other": other], from: ascending).play(
      start + "refetch other")
    #expect(
      play == """
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          section insert 1 "b"
          section insert 2 "c"
          insert [0, 0] 1
          insert [1, 0] 2
          insert [1, 1] 3
          insert [2, 0] 4
        | a: 1, b: 3 2, c: 4
          move [1, 0] -> [1, 1] 2
        """)
  }

  // Rules 39 and 40.
  @Test func `a list gains and loses its sections`() throws {
    let plain = ListRequest<Item>(sortedBy: [.ascending(\Item.rank)])
    let play = try Storyboard(["plain": plain, "sections": ascending], from: plain).play(
      start + "refetch sections\nrefetch plain\nrefetch plain")
    #expect(
      play == """
        | : 1 2 3 4
          insert [0, 0] 1
          insert [0, 1] 2
          insert [0, 2] 3
          insert [0, 3] 4
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          section insert 1 "b"
          section insert 2 "c"
          move [0, 0] -> [0, 0] 1
          move [0, 1] -> [1, 0] 2
          move [0, 2] -> [1, 1] 3
          move [0, 3] -> [2, 0] 4
          section delete 0 ""
        | : 1 2 3 4
          section insert 0 ""
          move [0, 0] -> [0, 0] 1
          move [1, 0] -> [0, 1] 2
          move [1, 1] -> [0, 2] 3
          move [2, 0] -> [0, 3] 4
          section delete 2 "c"
          section delete 1 "b"
          section delete 0 "a"
        | : 1 2 3 4
          silence
        """)
  }

  // Rule 39: a section is what its rows have in common, in the same way, and not its name.
  @Test func `a new section key with equal names reports the differences`() throws {
    let letters = ListRequest<Item>(
      sortedBy: [.ascending(\Item.group), .ascending(\Item.rank)],
      sectionedBy: .by(\Item.group, each: .prefix(1)))
    let play = try Storyboard(["letters": letters], from: ascending).play(
      start + "refetch letters")
    #expect(
      play == """
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          section insert 1 "b"
          section insert 2 "c"
          insert [0, 0] 1
          insert [1, 0] 2
          insert [1, 1] 3
          insert [2, 0] 4
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          section insert 1 "b"
          section insert 2 "c"
          move [0, 0] -> [0, 0] 1
          move [1, 0] -> [1, 0] 2
          move [1, 1] -> [1, 1] 3
          move [2, 0] -> [2, 0] 4
          section delete 2 "c"
          section delete 1 "b"
          section delete 0 "a"
        """)
  }

  // Rule 39: two attributes that have the same values all the same are two.
  @Test func `sections by another attribute with equal values report the differences`() throws {
    let notes = ListRequest<Item>(
      sortedBy: [.ascending(\Item.note)], sectionedBy: .by(\Item.note))
    let groups = ListRequest<Item>(
      sortedBy: [.ascending(\Item.group)], sectionedBy: .by(\Item.group))
    let play = try Storyboard(["notes": notes], from: groups).play(
      """
      insert 1 a 1
      note 1 a
      boundary
      refetch notes
      """)
    #expect(
      play == """
        | a: 1
          section insert 0 "a"
          insert [0, 0] 1
        | a: 1
          section insert 0 "a"
          move [0, 0] -> [0, 0] 1
          section delete 0 "a"
        """)
  }

  // Rules 15, 17 and 39: with changes since the last boundary.
  @Test func `a new filter reports the rows that it adds and removes`() throws {
    var some = ascending
    some.filter = \Item.rank > 1 && \Item.rank < 9
    let play = try Storyboard(["some": some, "all": ascending], from: ascending).play(
      start + "refetch some\nupdate 4 c 9\nnote 3 x\nrefetch all")
    #expect(
      play == """
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          section insert 1 "b"
          section insert 2 "c"
          insert [0, 0] 1
          insert [1, 0] 2
          insert [1, 1] 3
          insert [2, 0] 4
        | b: 2 3, c: 4
          delete [0, 0] 1
          section delete 0 "a"
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          insert [0, 0] 1
          update [0, 1] -> [1, 1] 3
          update [1, 0] -> [2, 0] 4
        """)
  }

  // Rule 14.
  @Test func `a new limit reports the rows that it adds and removes`() throws {
    var short = ascending
    short.limit = 2
    let play = try Storyboard(["short": short, "all": ascending], from: ascending).play(
      start + "refetch short\nrefetch all")
    #expect(
      play == """
        | a: 1, b: 2 3, c: 4
          section insert 0 "a"
          section insert 1 "b"
          section insert 2 "c"
          insert [0, 0] 1
          insert [1, 0] 2
          insert [1, 1] 3
          insert [2, 0] 4
        | a: 1, b: 2
          delete [2, 0] 4
          delete [1, 1] 3
          section delete 2 "c"
        | a: 1, b: 2 3, c: 4
          section insert 2 "c"
          insert [1, 1] 3
          insert [2, 0] 4
        """)
  }

  // Rule 40: a section stays for its own sake.
  @Test func `a section can stay when none of its rows stay`() throws {
    var low = ascending
    low.filter = \Item.rank < 3
    var high = ascending
    high.filter = \Item.rank > 2
    let play = try Storyboard(["high": high], from: low).play(start + "refetch high")
    #expect(
      play == """
        | a: 1, b: 2
          section insert 0 "a"
          section insert 1 "b"
          insert [0, 0] 1
          insert [1, 0] 2
        | b: 3, c: 4
          section insert 1 "c"
          delete [1, 0] 2
          delete [0, 0] 1
          insert [0, 0] 3
          insert [1, 0] 4
          section delete 0 "a"
        """)
  }

  // Rule 40: with two of three sections one row less would stay than with the other alone.
  @Test func `a refetch keeps the sections that keep most rows`() throws {
    let folded = ListRequest<Item>(
      sortedBy: [.ascending(\Item.group, comparator: .caseInsensitive), .ascending(\Item.rank)],
      sectionedBy: .by(\Item.group))
    let play = try Storyboard(["folded": folded], from: ascending).play(
      """
      insert 1 B 1
      insert 2 D 2
      insert 3 a 3
      insert 4 a 4
      insert 5 a 5
      boundary
      refetch folded
      """)
    #expect(
      play == """
        | B: 1, D: 2, a: 3 4 5
          section insert 0 "B"
          section insert 1 "D"
          section insert 2 "a"
          insert [0, 0] 1
          insert [1, 0] 2
          insert [2, 0] 3
          insert [2, 1] 4
          insert [2, 2] 5
        | a: 3 4 5, B: 1, D: 2
          section insert 1 "B"
          section insert 2 "D"
          move [0, 0] -> [1, 0] 1
          move [1, 0] -> [2, 0] 2
          section delete 1 "D"
          section delete 0 "B"
        """)
  }
}
