import DaybookResults
import Testing

@Suite struct `Callbacks of a list` {
  // Rules 7, 8, 15, 22, 23 and 25.
  @Test func `a list reports inserted and deleted rows and sections`() throws {
    #expect(
      try Storyboard().play(
        """
        insert 1 a 5
        insert 2 a 3
        insert 3 b 1
        boundary
        delete 3
        insert 4 - 9
        boundary
        delete 1
        delete 2
        delete 4
        boundary
        """) == """
          | a: 2 1, b: 3
            section insert 0 "a"
            section insert 1 "b"
            insert [0, 0] 2
            insert [0, 1] 1
            insert [1, 0] 3
          | : 4, a: 2 1
            section insert 0 ""
            delete [1, 0] 3
            insert [0, 0] 4
            section delete 1 "b"
          |\u{20}
            delete [1, 1] 1
            delete [1, 0] 2
            delete [0, 0] 4
            section delete 1 "a"
            section delete 0 ""
          """)
  }

  // Rules 16 to 18.
  @Test func `callbacks report moves and updates but not shifted rows`() throws {
    #expect(
      try Storyboard().play(
        """
        insert 1 a 1
        insert 2 a 2
        insert 3 a 3
        boundary
        update 1 a 9
        boundary
        note 2 x
        insert 4 a 0
        boundary
        update 3 a 4
        boundary
        """) == """
          | a: 1 2 3
            section insert 0 "a"
            insert [0, 0] 1
            insert [0, 1] 2
            insert [0, 2] 3
          | a: 2 3 1
            move [0, 0] -> [0, 2] 1
          | a: 4 2 3 1
            insert [0, 0] 4
            update [0, 0] -> [0, 1] 2
          | a: 4 2 3 1
            update [0, 2] -> [0, 2] 3
          """)
  }

  // Rule 16: the section of the row changes, and its path stays.
  @Test func `a row that changes its section is reported as moved`() throws {
    #expect(
      try Storyboard().play(
        """
        insert 1 b 1
        boundary
        update 1 a 1
        boundary
        """) == """
          | b: 1
            section insert 0 "b"
            insert [0, 0] 1
          | a: 1
            section insert 0 "a"
            move [0, 0] -> [0, 0] 1
            section delete 0 "b"
          """)
  }

  // Rule 19.
  @Test func `of two exchanged rows, the row that is earlier afterwards stays`() throws {
    #expect(
      try Storyboard(ItemList(isSectioned: false)).play(
        """
        insert 1 - 1
        insert 2 - 2
        boundary
        update 1 - 2
        update 2 - 1
        boundary
        """) == """
          | : 1 2
            insert [0, 0] 1
            insert [0, 1] 2
          | : 2 1
            move [0, 0] -> [0, 1] 1
            update [0, 1] -> [0, 0] 2
          """)
  }

  // Rule 20.
  @Test func `changes that cancel within a boundary report nothing`() throws {
    #expect(
      try Storyboard().play(
        """
        insert 1 a 1
        boundary
        insert 2 a 2
        delete 2
        update 1 a 7
        update 1 a 1
        boundary
        delete 1
        insert 1 a 1
        boundary
        """) == """
          | a: 1
            section insert 0 "a"
            insert [0, 0] 1
          | a: 1
            silence
          | a: 1
            silence
          """)
  }

  // Rules 12 to 14.
  @Test func `a window remains a range of ranks`() throws {
    #expect(
      try Storyboard(ItemList(window: ResultWindow(limit: 2))).play(
        """
        insert 1 a 1
        insert 2 b 1
        insert 3 c 1
        boundary
        insert 4 a 0
        boundary
        delete 4
        delete 1
        boundary
        window 1 2
        """) == """
          | a: 1, b: 2
            section insert 0 "a"
            section insert 1 "b"
            insert [0, 0] 1
            insert [1, 0] 2
          | a: 4 1
            delete [1, 0] 2
            insert [0, 0] 4
            section delete 1 "b"
          | b: 2, c: 3
            section insert 0 "b"
            section insert 1 "c"
            delete [0, 1] 1
            delete [0, 0] 4
            insert [0, 0] 2
            insert [1, 0] 3
            section delete 0 "a"
          | c: 3
            delete [0, 0] 2
            section delete 0 "b"
          """)
  }

  // Rules 27 and 28.
  @Test func `the documented order reports all sections before all rows`() throws {
    #expect(
      try Storyboard(ItemList(), .documented).play(
        """
        insert 1 b 1
        boundary
        update 1 a 1
        insert 2 a 2
        boundary
        """) == """
          | b: 1
            section insert 0 "b"
            insert [0, 0] 1
          | a: 1 2
            section insert 0 "a"
            section delete 0 "b"
            insert [0, 1] 2
            move [0, 0] -> [0, 0] 1
          """)
  }

  @Test(arguments: [
    (RecordIdentifierCase.text("plain-1.x:y"), "plain-1.x:y"), (.text("1"), "\"1\""),
    (.text("-12"), "\"-12\""), (.text(""), "\"\""), (.text("two words"), "\"two words\""),
    (.text("é"), "\"é\""), (.text("-"), "-"), (.number(-7), "-7"),
  ])
  func `a callback line quotes an identifier only where it is ambiguous`(
    _ id: RecordIdentifierCase, _ written: String
  ) {
    let path = RowPath(section: 0, row: 1)
    #expect(
      CallbackLine.row("insert", id: id.identifier, paths: [path]) == "insert [0, 1] \(written)")
  }
}
