import Daybook
import DaybookEssentials
import DaybookStore

/// A record with an index.
private struct Indexed: Record {
  var id = 0
  var state = ""
  var createdAt = Date(timeIntervalSince1970: 0)
  var name = ""

  static let schema = RecordSchema<Indexed>("Indexed")
    .attribute("state", at: \.state).attribute("createdAt", at: \.createdAt)
    .attribute("name", at: \.name)
    .indexed(\.state, \.createdAt)
}

extension StoreWorkload {
  // MARK: Pages

  /// The number of pages of one repetition.
  private static let pageCount = 2000

  /// Measures fetching pages of 20 records by a declared index: the first page from a random date
  /// on, and the page after it by the position of its end. Then measures the same fetch in a new
  /// context, after more and more inserts.
  static func pages(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator
  ) throws -> [Measurement] {
    let rowCount = settings.rowCount
    var options = JournalOptions()
    (options.durability, options.keepsCheckpoints) = (.none, false)
    let store = try Store(at: scratch.path("pages"), records: Indexed.self, options: options)
    try blocking {
      _ = try await store.insert(
        contentsOf: (1...rowCount).lazy.map { id in
          let row = generator.row(id)
          return Indexed(
            id: id, state: row.state, createdAt: row.createdAt, name: row.name)
        })
    }
    var samples: [Measurement.Sample] = []
    var stream: UInt64 = 20
    _ = try page(from: generator.row(1), in: store, after: nil)
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      let starts = (0..<pageCount / 2).map { _ in
        generator.row(Int(RowGenerator.next(&stream) % UInt64(rowCount)) + 1)
      }
      let time = try processorTime {
        for start in starts {
          let position = try page(from: start, in: store, after: nil)
          _ = try page(from: start, in: store, after: position)
        }
      }
      samples.append(Measurement.Sample(ours: time / Double(pageCount), yardstick: sorting))
    }
    let inContexts = try pagesInContexts(settings, in: store, generator: generator)
    try store.closeAndWait()
    scratch.removeFiles()
    return [
      inContexts,
      Measurement(
        work: "a page of 20 by a declared index, \(rowCount) rows",
        yardstick: "sort of a million numbers",
        unit: "page", promise: .within(20_000).ofAMillion(rowCount), samples: samples),
    ]
  }

  /// Measures a fetch in a new context, beside the same fetch in a snapshot. Each fetch follows
  /// twenty new records.
  private static func pagesInContexts(
    _ settings: Settings, in store: Store, generator: RowGenerator
  ) throws -> Measurement {
    let (rowCount, roundCount) = (settings.rowCount, 100)
    var (samples, lastID) = ([Measurement.Sample](), rowCount)
    func time(_ fetch: (ListRequest<Indexed>) throws -> Void) throws -> Double {
      try store.insertAndWait(
        contentsOf: (lastID + 1...lastID + 20).map { id in
          let row = generator.row(id)
          return Indexed(id: id, state: row.state, createdAt: row.createdAt, name: row.name)
        })
      lastID += 20
      let request = request(from: generator.row(lastID))
      return try processorTime { try fetch(request) }
    }
    for _ in 0..<settings.repetitionCount {
      var (inContexts, inSnapshots) = (0.0, 0.0)
      for _ in 0..<roundCount {
        inContexts += try time { request in
          let context = store.makeContext()
          blackHole(UInt64(try context.fetch(request).reduce(0) { $0 + $1.name.utf8.count }))
        }
        inSnapshots += try time { request in
          let page = try store.snapshot.fetch(request)
          blackHole(UInt64(page.reduce(0) { $0 + $1.name.utf8.count }))
        }
      }
      samples.append(
        Measurement.Sample(
          ours: inContexts / Double(roundCount), yardstick: inSnapshots / Double(roundCount)))
    }
    return Measurement(
      work: "a page of 20 in a new context, \(rowCount) rows",
      yardstick: "the page in a snapshot", unit: "page", promise: .atMost(1.5), samples: samples)
  }

  private static func request(from start: Row) -> ListRequest<Indexed> {
    ListRequest<Indexed>(
      filter: \Indexed.state == start.state && \Indexed.createdAt >= start.createdAt,
      sortedBy: [.ascending(\.createdAt)], limit: 20, batchSize: 20)
  }

  /// Fetches and reads a page, and returns the position of its end.
  private static func page(
    from start: Row, in store: Store, after position: ListPosition?
  ) throws -> ListPosition? {
    let page = try store.fetch(request(from: start).after(position))
    blackHole(UInt64(page.reduce(0) { $0 + $1.name.utf8.count }))
    return page.endPosition
  }
}
