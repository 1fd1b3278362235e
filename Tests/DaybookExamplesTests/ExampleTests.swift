import Daybook
import DaybookCLibrary
import DaybookTesting
import DaybookText
import TestSupport
import Testing

@testable import DaybookExamples

/// The output and the journal of each example are recorded in `Journal/Samples`. After an intended
/// change:
///
/// ```
/// DAYBOOK_REWRITE_SAMPLES=1 swift test --filter DaybookExamplesTests
/// git diff Journal/Samples
/// ```
@Suite struct `The examples` {
  static let folder = "Journal/Samples"
  static let names = Command.examples.map(\.name)
  /// The examples whose journal is identical in every run.
  static let samples = Command.examples.filter(\.repeatsJournal).map(\.name)

  init() async throws {
    // Tests run concurrently. The first one records for all.
    try await Self.rewriting.value
  }

  static let rewriting = Task {
    guard getenv("DAYBOOK_REWRITE_SAMPLES") != nil else { return }
    for name in names {
      let played = try await play(name)
      try ProjectFiles.write(Array(played.text.utf8), to: "\(folder)/\(name).txt")
      guard samples.contains(name) else { continue }
      try ProjectFiles.write(Array(played.journal.utf8), to: "\(folder)/\(name).jsonl")
    }
  }

  /// Plays an example, and returns its output and its exported journal.
  private static func play(_ name: String) async throws -> (text: String, journal: String) {
    let example = try #require(Command.examples.first { $0.name == name })
    return try await TemporaryDirectory.with { directory in
      var text = ""
      try await example.play(Stage(in: directory.path) { text += $0 + "\n" })
      var journal: [UInt8] = []
      let reader = try JournalReader(at: directory.path("\(name).daybook"))
      try TextJournal.export(reader) { (piece) throws(DiskError) in
        piece.withUnsafeBytes { journal.append(contentsOf: $0) }
      }
      return (text, String(decoding: journal, as: UTF8.self))
    }
  }

  private func stored(_ name: String) throws -> String {
    String(decoding: try ProjectFiles.bytes("\(Self.folder)/\(name)"), as: UTF8.self)
  }

  @Test(arguments: names) func `each example prints its recorded output`(
    _ name: String
  ) async throws {
    #expect(try await Self.play(name).text == stored("\(name).txt"))
  }

  @Test(arguments: samples) func `each example writes its sample`(_ name: String) async throws {
    let isSame = try await Self.play(name).journal == stored("\(name).jsonl")
    #expect(isSame, "\(name)")
  }

  @Test func `each example has a sample and a line in the table`() throws {
    // `books.jsonl` is the history of a table in git, and belongs to no example.
    let journals = try ProjectFiles.names(in: Self.folder).filter {
      $0.hasSuffix(".jsonl") && $0 != "books.jsonl"
    }
    #expect(journals == Self.samples.map { "\($0).jsonl" }.sorted())
    let rows = try ProjectFiles.lines("\(Self.folder)/README.md")
      .drop { $0 != "| sample | content |" }.dropFirst(2)
      .map { $0.split(separator: "`").dropFirst().first.map(String.init) ?? $0 }
      .filter { !$0.isEmpty }
    #expect(rows == Self.samples)
  }

  // MARK: Imported samples

  @Test(arguments: samples) func `each example shows the list of its imported sample`(
    _ name: String
  ) throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("imported.daybook")
      _ = try TextJournal.import(
        .file(ProjectFiles.path("\(Self.folder)/\(name).jsonl")), to: path)
      let table = try shown(name, over: path, Stage(in: directory.path) { _ in })
      #expect(try stored("\(name).txt").hasSuffix("\n\n\(table)\n"))
    }
  }

  /// Returns the final list of an example, shown over another journal.
  private func shown(_ name: String, over path: String, _ stage: Stage) throws -> String {
    switch name {
    case "items":
      let store = try Store(at: path, records: Item.self)
      let list = ItemList(store.makeContext(), on: stage)
      try list.viewDidLoad()
      return "\(list.tableView)"
    case "reorder":
      let store = try Store(at: path, records: Chore.self)
      let list = ChoreList(store.makeContext(), on: stage)
      try list.viewDidLoad()
      return "\(list.tableView)"
    case "games":
      let store = try Store(at: path, records: Game.self)
      let context = store.makeContext()
      let list = GameList(context, manager: GameManager(context), on: stage)
      try list.loadSavedData()
      return "\(list.tableView)"
    case "failed-banks":
      let store = try Store(
        at: path, records: FailedBankInfo.self, FailedBankDetails.self)
      let list = FailedBankList(store.makeContext(), on: stage)
      try list.viewDidLoad()
      return "\(list.tableView)"
    case "food":
      let store = try Store(at: path, records: Food.self)
      let list = FoodList(store.makeContext(), on: stage)
      try list.viewDidLoad()
      list.tableView.scroll(by: list.tableView.numberOfRows(inSection: 0))
      return "\(list.tableView)"
    case "sales":
      let store = try Store(at: path, records: Seller.self, Sale.self)
      return SalesList.text(of: try store.fetch(SalesList.request))
    default: throw Surprise("there is no list for \(name)")
    }
  }
}
