import DaybookSimulation
@_spi(Tools) import DaybookStore
import StoreTestSupport
import Testing

/// References that the program declares without a rule for deletions of their targets.
@Suite struct `A reference without a declared delete rule` {
  private struct Author: Record {
    var id = 0
    static let schema = RecordSchema<Author>("Author")
  }

  private struct Book: Record {
    var id = 0
    var title = ""
    var author: Reference<Author>?
    var editor: Reference<Author>?
    var readers: [Reference<Author>] = []
    static let schema = RecordSchema<Book>("Book")
      .attribute("title", at: \.title).reference("author", at: \.author)
      .reference("editor", at: \.editor).references("readers", at: \.readers)
  }

  /// The records as an earlier version declares them, in which the rule of each is nullify.
  private struct EarlierBook: Record {
    var id = 0
    var title = ""
    var author: Reference<Author>?
    var editor: Reference<Author>?
    var readers: [Reference<Author>] = []
    static let schema = RecordSchema<EarlierBook>("Book")
      .attribute("title", at: \.title).reference(
        "author", at: \.author, whenTargetDeleted: .nullify
      )
      .reference("editor", at: \.editor, whenTargetDeleted: .nullify)
      .references("readers", at: \.readers, whenTargetDeleted: .nullify)
  }

  private func fill(_ context: EditingContext) throws {
    for id in 1...3 { try context.insert(Author(id: id)) }
    for id in 1...2 {
      try context.insert(
        EarlierBook(
          id: id, author: Reference(id), editor: Reference(id), readers: [Reference(id)]))
    }
    try context.saveAndWait()
  }

  @Test func `the reference remains, and is nil until its target returns`() throws {
    let store = try Store.inMemory(types: [Author.self, Book.self])
    let context = store.makeContext()
    try context.insert(Author(id: 1))
    try context.insert(
      Book(id: 1, author: Reference(1), editor: Reference(1), readers: [Reference(1)]))
    try context.saveAndWait()
    try context.delete(Author.self, id: 1)
    try context.saveAndWait()
    let book = try #require(try store.snapshot.object(Book.self, id: 1))
    #expect(
      book.author == Reference(1) && book.editor == Reference(1) && book.readers == [Reference(1)])
    #expect(try store.snapshot.object(book.author)?.id == nil)
    let check = StateCheck(store.snapshot) { _ in }
    #expect(check.danglingCount == 3 && check.problemCount == 0)
    try context.insert(Author(id: 1))
    try context.saveAndWait()
    #expect(try store.snapshot.object(book.author)?.id == 1)
  }

  @Test func `a journal of an earlier version gets the rule with the next transaction`() throws {
    let disk = SimulatedDisk()
    func open(_ types: [any Record.Type]) throws -> Store {
      try Store(at: "b", types: types, options: .simulated(disk))
    }
    var store = try open([Author.self, EarlierBook.self])
    try fill(store.makeContext())
    try store.closeAndWait()
    let before = store.snapshot.sequence
    // Opening changes neither records nor definitions.
    store = try open([Author.self, Book.self])
    #expect(store.openingReport.isEmpty)
    #expect(store.snapshot.sequence == before)
    try store.closeAndWait()
    let stored = try Store(reading: "b", types: [], options: .simulated(disk)).snapshot.entities
    #expect(stored.first { $0.name == "Book" } == EarlierBook.schema.definition)
    // The first transaction contains the new definition.
    store = try open([Author.self, Book.self])
    let context = store.makeContext()
    try context.delete(Author.self, id: 1)
    try context.saveAndWait()
    #expect(try store.snapshot.object(Book.self, id: 1)?.author == Reference(1))
    try store.closeAndWait()
    // A program that declares nullify goes on with that rule.
    store = try open([Author.self, EarlierBook.self])
    let other = store.makeContext()
    try other.delete(Author.self, id: 2)
    try other.saveAndWait()
    let book = try #require(try store.snapshot.object(EarlierBook.self, id: 2))
    #expect(book.author == nil && book.editor == nil && book.readers == [])
    #expect(try store.snapshot.object(EarlierBook.self, id: 1)?.author == Reference(1))
  }
}
