import Daybook
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

/// A transcript of live notifications equals the transcript of a replay, byte for byte.
@Suite struct `Transcripts` {
  /// A word, for identifiers and names of every kind.
  private struct Word: Record {
    var id = ""
    var kind: String?
    static let schema = RecordSchema<Word>("Word").attribute("kind", at: \.kind)
  }

  private let words = ListRequest<Word>(
    sortedBy: [.ascending(\Word.kind)], sectionedBy: .by(\Word.kind))

  @Test func `a transcript has the calls in documented order`() throws {
    let store = try Store.inMemory(types: [Word.self])
    let context = store.makeContext()
    let controller = FetchedResultsController(fetchRequest: words, context: context)
    let transcript = Transcript<Word>()
    controller.delegate = transcript
    try controller.performFetch()
    for (id, kind) in [("a", "x \"y\""), ("12", nil), ("b c", ""), ("-7", "x \"y\"")] {
      try context.insert(Word(id: id, kind: kind))
    }
    try context.saveAndWait()
    try context.insert(Word(id: "a.b:c-d_e", kind: "é"))
    try context.delete(Word.self, id: "a")
    try context.update(Word.self, id: "12") { $0.kind = "é" }
    try context.saveAndWait()
    let text = """
      tx 1
      willChange
      section insert 0 ""
      section insert 1 ""
      section insert 2 "x \\"y\\""
      insert [0, 0] "12"
      insert [1, 0] "b c"
      insert [2, 0] a
      insert [2, 1] "-7"
      didChange
      tx 2
      willChange
      section insert 2 "é"
      delete [2, 0] a
      insert [2, 1] a.b:c-d_e
      move [0, 0] -> [2, 0] "12"
      section delete 0 ""
      didChange

      """
    #expect(transcript.text == text)
    #expect(transcript.lines.count == 18)
    #expect(transcript.take() == text && transcript.lines.isEmpty)
    try transcript.write(store.replay(words))
    #expect(transcript.text == text)
  }

  @Test func `a transcript names the transaction of each difference`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    let other = store.makeContext()
    context.undoLimit = 1
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
    let controller = FetchedResultsController(fetchRequest: request, context: context)
    let transcript = Transcript<Game>()
    controller.delegate = transcript
    try controller.performFetch()
    func marks() -> [String] {
      transcript.take().split(separator: "\n").map(String.init).filter {
        $0.hasPrefix("tx") || $0 == "willChange"
      }
    }
    // Unsaved changes have the number that a save would assign.
    try context.insert(Game(id: 1, name: "Go"))
    context.processPendingChanges()
    try context.undo()
    #expect(marks() == ["tx 1", "willChange", "tx 1", "willChange"])
    try context.redo()
    try context.rollback()
    #expect(marks() == ["tx 1", "willChange", "tx 1", "willChange"])
    // What others have saved: the last.
    for id in 2...3 {
      try other.insert(Game(id: id, name: "\(id)"))
      try other.saveAndWait()
    }
    try context.mergeChanges()
    #expect(marks() == ["tx 2", "willChange"])
    // Another request: none.
    var one = request
    one.limit = 1
    try controller.refetch(with: one)
    #expect(marks() == ["willChange"])
    // A journey: the moment that it led to.
    let past = try store.makeContext(at: 2)
    let traveller = FetchedResultsController(fetchRequest: request, context: past)
    traveller.delegate = transcript
    try traveller.performFetch()
    try past.travel(to: 1)
    #expect(marks() == ["tx 1", "willChange"])
  }

  // MARK: The law

  private enum Place: CaseIterable {
    case memory, file
  }

  /// A list that records its notifications.
  private struct Observer {
    let context: EditingContext
    let controller: FetchedResultsController<Game>

    init(
      _ store: Store, _ request: ListRequest<Game>, _ transcript: Transcript<Game>
    ) throws {
      context = store.makeContext()
      context.undoLimit = 3
      controller = FetchedResultsController(fetchRequest: request, context: context)
      controller.delegate = transcript
      try controller.performFetch()
    }
  }

  @Test(arguments: Place.allCases)
  private func `live transcripts equal replayed ones over reopened files`(
    place: Place
  ) throws {
    for seed in 0..<UInt64(FaultRow.count(80, full: 2500)) {
      var changes = GameChanges(seed: seed)
      var options = JournalOptions()
      (options.disk, options.worksInBackground) = (SimulatedDisk(), false)
      func open() throws -> Store {
        place == .memory
          ? try Store.inMemory(types: [Game.self, Club.self])
          : try Store(at: "games", records: Game.self, Club.self, options: options)
      }
      let request = changes.request()
      var store = try open()
      let (live, followed) = (Transcript<Game>(), Transcript<Game>())
      var here = try Observer(store, request, live)
      var follower: (store: Store, observer: Observer)?
      if place == .file {
        let reader = try Store(
          following: "games", records: Game.self, Club.self, options: options)
        follower = (reader, try Observer(reader, request, followed))
      }
      for _ in 0..<14 {
        switch changes.below(10) {
        case 0 where place == .file:
          try store.closeAndWait()
          store = try open()
          here = try Observer(store, request, live)
        case 1:
          let other = store.makeContext()
          for _ in 0...changes.below(3) { try changes.change(other) }
          try other.saveAndWait()
          try here.context.mergeChanges()
        case 2:
          _ = try? here.context.undo()
          try here.context.saveAndWait()
        default:
          for _ in 0...changes.below(3) { try changes.change(here.context) }
          here.context.processPendingChanges()
          try here.context.saveAndWait()
        }
        try follower?.store.catchUp()
        try follower?.observer.context.mergeChanges()
      }
      let replayed = Transcript<Game>()
      try replayed.write(store.replay(request))
      #expect(replayed.text == live.text, "seed \(seed)")
      if place == .file { #expect(followed.text == live.text, "followed, seed \(seed)") }
      try hold(store, request, replayed.lines, &changes, "seed \(seed)")
      try store.closeAndWait()
      try follower?.store.closeAndWait()
    }
  }

  /// Checks that a replay of some transactions equals their part of a complete replay, and leads
  /// from the list before them to the list after them.
  private func hold(
    _ store: Store, _ request: ListRequest<Game>, _ lines: [String],
    _ changes: inout GameChanges, _ what: String
  ) throws {
    let last = Int(store.snapshot.sequence.rawValue)
    guard last > 0 else { return }
    let from = 1 + changes.below(last)
    let to = from + changes.below(last - from + 1)
    let replay = try store.replay(
      request, from: SequenceNumber(UInt64(from)), to: SequenceNumber(UInt64(to)))
    let before = try store.snapshot(at: SequenceNumber(UInt64(from - 1)))
    #expect(replay.objects.identifiers == (try before.fetch(request).identifiers), "\(what)")
    let part = Transcript<Game>()
    try part.write(replay)
    let after = try store.snapshot(at: SequenceNumber(UInt64(to)))
    #expect(replay.objects.map(\.text) == (try after.fetch(request).map(\.text)), "\(what)")
    var isPart = false
    let expected = lines.filter { line in
      if line.hasPrefix("tx "), let number = Int(line.dropFirst(3)) {
        isPart = (from...to).contains(number)
      }
      return isPart
    }
    #expect(part.lines == expected, "\(what), \(from) to \(to)")
  }
}

/// A replay returns the difference that each transaction made in a list.
@Suite struct `A replay` {
  private func history() throws -> Store {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for (author, id) in [("Ada", 1), ("Ben", 2)] {
      context.metadata = TransactionMetadata(author: author)
      try context.insert(Game(id: id, name: "\(id)"))
      try context.saveAndWait()
    }
    try context.insert(Club(id: 1, name: "Ajax"))
    try context.saveAndWait()
    return store
  }

  private let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])

  @Test func `a difference names its transactions and their metadata`() throws {
    let replay = try history().replay(request)
    let first = try #require(try replay.next())
    #expect(first.transaction.sequence == 1 && first.transaction.metadata.author == "Ada")
    #expect(first.difference.inserted.map(\.id) == [1] && first.difference.before.isEmpty)
    #expect(first.difference.causes.map(\.metadata.author) == ["Ada"])
    let second = try #require(try replay.next())
    #expect(second.transaction.changes.map(\.id) == [.int(2)])
    #expect(second.difference.before.identifiers == [1])
    // The club changed nothing of the list.
    #expect(try replay.next() == nil)
    #expect(replay.objects.identifiers == [1, 2])
  }

  @Test func `a replay from a moment starts with the list of that moment`() throws {
    let store = try history()
    let replay = try store.replay(request, from: 3)
    let context = store.makeContext()
    try context.delete(Game.self, id: 1)
    try context.saveAndWait()
    #expect(replay.objects.identifiers == [1, 2])
    #expect(try replay.next() == nil)
    #expect(replay.objects.identifiers == [1, 2])
  }

  @Test func `a replay starts with the rows of the base`() throws {
    let disk = SimulatedDisk()
    var options = JournalOptions()
    (options.disk, options.worksInBackground) = (disk, false)
    let store = try Store(at: "j", records: Game.self, Club.self, options: options)
    let context = store.makeContext()
    for id in [2, 1] { try context.insert(Game(id: id, name: "same")) }
    try context.saveAndWait()
    try store.closeAndWait()
    // What the first transaction says is the state after it.
    let journal = try FileJournal(at: "j", options: options)
    var transactions = try journal.transactions(from: 1)
    let first = try #require(try transactions.next())
    try journal.compact(through: 1, state: [first.payload.copy()])
    let again = try Store(at: "j", records: Game.self, Club.self, options: options)
    #expect(again.base == 1)
    let later = again.makeContext()
    try later.delete(Game.self, id: 2)
    try later.saveAndWait()
    let transcript = Transcript<Game>()
    try transcript.write(again.replay(request))
    let text = """
      tx 1
      willChange
      insert [0, 0] 2
      insert [0, 1] 1
      didChange
      tx 2
      willChange
      delete [0, 0] 2
      didChange

      """
    #expect(transcript.take() == text)
    // A follower starts with the same list.
    let reader = try Store(following: "j", records: Game.self, Club.self, options: options)
    #expect(reader.base == 1)
    try transcript.write(reader.replay(request))
    #expect(transcript.take() == text)
    #expect(try reader.makeContext(at: 1).fetch(request).identifiers == [2, 1])
    #expect(
      sentence { _ = try reader.makeContext(at: 0) } == """
        j: no state after transaction 0: the journal contains the states after transactions 1 to 2.
        """)
    try reader.closeAndWait()
    let replay = try again.replay(request, from: 1)
    #expect(try replay.next()?.transaction.changes.map(\.id) == [.int(2), .int(1)])
    let rest = try again.replay(request, from: 2)
    #expect(rest.objects.identifiers == [2, 1])
    #expect(try rest.next()?.difference.deleted.map(\.id) == [2])
    #expect(
      sentence { _ = try again.replay(request, from: 0) } == """
        j: no state after transaction 0: the journal contains the states after transactions 1 to 2.
        """)
    try again.closeAndWait()
  }

  @Test func `a replay reports a missing moment`() throws {
    let store = try history()
    #expect(
      sentence { _ = try store.replay(request, from: 4) } == """
        store in memory: no state after transaction 4: the journal contains the states after \
        transactions 0 to 3.
        """)
    #expect(
      sentence { _ = try store.replay(request, to: 4) } == """
        store in memory: no state after transaction 4: the journal contains the states after \
        transactions 0 to 3.
        """)
    #expect(
      sentence { _ = try store.replay(ListRequest<Game>(sortedBy: [])) } == """
        the request for Game has no sort key; add one to sortedBy.
        """)
    #expect(try store.replay(request, from: 3, to: 1).next() == nil)
    #expect(try store.replay(request, to: 0).next() == nil)
  }
}
