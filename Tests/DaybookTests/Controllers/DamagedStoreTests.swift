import Daybook
import DaybookJournal
import DaybookStore
import DaybookTesting
import Testing

/// A checkpoint lets opening skip bytes, which may be damaged. A fetch of a list then throws, and
/// no list shows data that depends on them.
@Suite struct `Lists of a store that was damaged before a checkpoint` {
  private struct Note: Record, Hashable {
    var id = 0
    var text = ""
    static let schema = RecordSchema<Note>("Note").attribute("text", at: \.text)
  }

  private enum Act: CaseIterable {
    case fetch, count, performFetch, results, resultsSince, difference, replay, contextFetch
    case values, waitingFetch

    func perform(_ store: Store, _ request: ListRequest<Note>) async throws {
      let context = store.makeContext()
      switch self {
      case .fetch: _ = try store.snapshot.fetch(request)
      case .count: _ = try store.snapshot.count(for: request)
      case .performFetch:
        try FetchedResultsController(fetchRequest: request, context: context).performFetch()
      case .results: _ = try store.results(request)
      case .resultsSince: _ = try store.results(request, since: store.snapshot.sequence)
      case .difference: _ = try store.snapshot.difference(to: store.snapshot, of: request)
      case .replay: _ = try store.replay(request, from: store.snapshot.sequence)
      case .contextFetch: _ = try context.fetch(request)
      case .values: _ = try store.snapshot.fetchValues(request, of: [.attribute(\.text)])
      case .waitingFetch: _ = try await store.fetch(request, progress: nil)
      }
    }
  }

  @Test func `invalid requests are refused in one sentence`() async throws {
    let disk = SimulatedDisk()
    disk.mapsFiles = true
    var options = JournalOptions()
    options.disk = disk
    options.worksInBackground = false
    options.checkpointRule.closingByteCountMin = 1
    let first = try Store(at: "j", types: [Note.self], options: options)
    let context = first.makeContext()
    for piece in 0..<4 {
      for id in 0..<200 {
        try context.insert(
          Note(id: piece * 200 + id, text: "note \(id) " + String(repeating: "x", count: 200)))
      }
      try await context.save()
    }
    try await first.close()
    let bytes = try #require(disk.contents(of: "j"))
    let wanted = Array("note 7 xx".utf8)
    let offset = try #require(
      bytes.indices.first { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) })
    disk.corrupt("j", at: offset, xor: 4)
    let request = ListRequest<Note>(
      filter: \Note.text != "", sortedBy: [.ascending(\Note.text)])
    for act in Act.allCases {
      let store = try Store(at: "j", types: [Note.self], options: options)
      #expect(store.statistics.checkpoints?.openedFrom == 4)
      let error = await #expect(throws: StoreError.self, "\(act)") {
        try await act.perform(store, request)
      }
      #expect(
        error?.description == """
          j: byte 16384: a saved frame can no longer be read. No transaction before it can be read. \
          The file was not changed. Verify the journal to find out what else is affected.
          """, "\(act)")
      disk.killProcess()
    }
  }
}
