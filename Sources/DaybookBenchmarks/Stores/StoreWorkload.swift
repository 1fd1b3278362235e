import DaybookJournal
import DaybookStore

/// The workload `store`. It measures saves of one change, concurrent savers, bulk loads, opening a
/// store, scans, memory, and changes in a context.
enum StoreWorkload {
  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let generator = RowGenerator()
    var measurements = try singleSaves(settings, in: scratch, generator: generator)
    measurements += try concurrentSavers(settings, in: scratch, generator: generator)
    measurements += try bulkLoads(settings, in: scratch, generator: generator)
    measurements += try reading(settings, in: scratch, generator: generator)
    measurements += try finding(settings, in: scratch)
    measurements += try pages(settings, in: scratch, generator: generator)
    measurements += try aggregates(settings, in: scratch, generator: generator)
    measurements += codecs(settings, generator: generator)
    measurements += try contexts(settings, in: scratch, generator: generator)
    return measurements
  }

  /// Returns the number of bytes of the journal's file up to the last transaction.
  static func journalByteCount(_ store: Store) -> Int { store.snapshot.frozen.memory.file.count }

  /// Opens a store without checkpoints. It reads its journal from the beginning, and no background
  /// work affects a measurement.
  static func open<R: Record>(
    _ path: String, records type: R.Type = Row.self, durability: Durability = .full
  ) throws -> Store {
    var options = JournalOptions()
    options.durability = durability
    options.keepsCheckpoints = false
    return try Store(at: path, records: type, options: options)
  }

  /// Creates a store with a number of rows. The saves are not durable, so that this is fast.
  static func makeStore(
    at path: String, rowCount: Int, _ generator: RowGenerator
  ) throws {
    let store = try StoreWorkload.open(path, durability: .none)
    for first in stride(from: 1, through: rowCount, by: 1000) {
      _ = try store.saveAndWait(
        inserts(of: generator.rows(from: first, count: min(1000, rowCount - first + 1)), in: store))
    }
    try store.closeAndWait()
  }

  /// Returns a proposal that inserts rows, for loads without a context.
  static func inserts(of rows: [Row], in store: Store) -> Proposal {
    let snapshot = store.snapshot
    guard let codec = snapshot.frozen.catalog.types.codec(Row.self),
      let entity = snapshot.frozen.catalog.index(of: Row.schema.entity)
    else { preconditionFailure("a store without rows") }
    var proposal = Proposal()
    proposal.changes.reserveCapacity(rows.count)
    for row in rows {
      let start = proposal.rows.count
      codec.append(row, to: &proposal.rows)
      proposal.changes.append(
        Proposal.Change(
          .insert, entity: entity, id: .int(Int64(row.id)), row: start..<proposal.rows.count))
    }
    return proposal
  }

  /// Returns a proposal that changes the notes of existing rows.
  static func newNotes(of rows: [Row], in store: Store) -> Proposal {
    let frozen = store.snapshot.frozen
    guard let codec = frozen.catalog.types.codec(Row.self),
      let entity = frozen.catalog.index(of: Row.schema.entity),
      let note = frozen.catalog.newest(entity).entity.index(of: "note")
    else { preconditionFailure("a store without rows") }
    var changed = AttributeSet(count: frozen.catalog.newest(entity).entity.attributes.count)
    changed.insert(note)
    var proposal = Proposal()
    for row in rows {
      let start = proposal.rows.count
      codec.append(row, to: &proposal.rows)
      let id = RecordIdentifier.int(Int64(row.id))
      proposal.changes.append(
        Proposal.Change(
          .update, entity: entity, id: id, row: start..<proposal.rows.count,
          base: frozen.reader.location(of: IdentifierBytes(id), in: entity), changed: changed))
    }
    return proposal
  }

  // MARK: One change, durable

  private static func singleSaves(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator
  ) throws -> [Measurement] {
    let count = settings.count(1000)
    let rowCount = 10_000
    var inserts: [Measurement.Sample] = []
    var updates: [Measurement.Sample] = []
    var insertSizes: [Measurement.Sample] = []
    var updateSizes: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      try makeStore(at: scratch.path("single"), rowCount: rowCount, generator)
      let store = try StoreWorkload.open(scratch.path("single"))
      let context = store.makeContext()
      // The rows are created before the measurement, because creating them is not part of a save.
      var rows = generator.rows(from: rowCount + 1, count: count + 21)[...]
      var stream: UInt64 = 7
      var changes = (0..<count + 21).map { _ in
        let id = 1 + Int(RowGenerator.next(&stream) % UInt64(rowCount))
        return (
          id, RowGenerator.letters(26 + Int(RowGenerator.next(&stream) % 9), randomizedBy: &stream)
        )
      }[...]
      func insert() throws {
        try context.insert(rows.removeFirst())
        try context.saveAndWait()
      }
      func update() throws {
        let (id, note) = changes.removeFirst()
        try context.update(Row.self, id: id) { $0.note = note }
        try context.saveAndWait()
      }
      for (save, isInsert) in [(insert, true), (update, false)] {
        // The first saves determine the average size of a save. The yardstick writes this number of
        // bytes.
        try save()
        let start = journalByteCount(store)
        for _ in 0..<20 { try save() }
        let size = (journalByteCount(store) - start) / 20
        let frame = [UInt8](repeating: 7, count: size)
        let raw = try RawFile(at: scratch.path("raw"), zeroed: (2 * count + 1) * size)
        let sample = try interleaved(count, ours: save) { raw.append(frame) }
        let bytes = Double(journalByteCount(store) - start) / Double(count + 20)
        if isInsert {
          inserts.append(sample)
          insertSizes.append(Measurement.Sample(ours: bytes, yardstick: 0))
        } else {
          updates.append(sample)
          updateSizes.append(Measurement.Sample(ours: bytes, yardstick: 0))
        }
      }
      try store.closeAndWait()
      scratch.removeFiles()
    }
    let yardstick = "pwrite + fdatasync of the same bytes into zeros"
    return [
      Measurement(
        work: "one insert saved by a context", yardstick: yardstick, unit: "save",
        promise: .atMost(1.25), samples: inserts),
      Measurement(
        work: "one update saved by a context", yardstick: yardstick, unit: "save",
        promise: .atMost(1.25), samples: updates),
      Measurement(
        work: "journal of one insert", yardstick: "none", unit: "save",
        promise: .bytesAtMost(200), samples: insertSizes, quantity: .bytes),
      Measurement(
        work: "journal of one update", yardstick: "none", unit: "save",
        promise: .bytesAtMost(200), samples: updateSizes, quantity: .bytes),
    ]
  }

  // MARK: Bulk loads

  /// The number of transactions in a load. A load prepares one transaction while it writes the
  /// transaction before it. At the start and at the end of a load, this overlap is not possible, so
  /// a short load would be slower for each transaction.
  static let transactionCount = 100

  /// The number of bytes of a row in the reference format.
  static let referenceRowByteCount = 104.4

  private static func bulkLoads(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator
  ) throws -> [Measurement] {
    let roundCount = settings.count(4)
    var sizes: [Measurement.Sample] = []
    /// - Parameters:
    ///   - saverCount: The number of concurrent savers.
    ///   - rowCount: The number of rows that each saver receives at a time.
    func load(
      savers saverCount: Int = 2, rowCount: Int = 1000,
      _ save: @escaping @Sendable (Store, [Row]) async throws -> Void
    ) throws -> [Measurement.Sample] {
      let reference = [UInt8](repeating: 7, count: Int(referenceRowByteCount * 1000))
      var samples: [Measurement.Sample] = []
      for _ in 0..<settings.repetitionCount {
        let store = try StoreWorkload.open(scratch.path("bulk"))
        let raw = try RawFile(at: scratch.path("raw"))
        var ours: [Double] = []
        var theirs: [Double] = []
        var next = 1
        for _ in 0..<roundCount {
          let each = transactionCount * 1000 / saverCount / rowCount
          let batches = (0..<saverCount).map { saver in
            (0..<each).map { index in
              generator.rows(
                from: next + (index * saverCount + saver) * rowCount, count: rowCount)
            }
          }
          next += transactionCount * 1000
          ours.append(
            try blocking {
              try await timed {
                try await withThrowingTaskGroup(of: Void.self) { group in
                  for batch in batches {
                    group.addTask { for rows in batch { try await save(store, rows) } }
                  }
                  try await group.waitForAll()
                }
              }
            } / Double(transactionCount))
          // The caller keeps the rows until here, so that the time to release them is not measured.
          withExtendedLifetime(batches) {}
          for _ in 0..<transactionCount { theirs.append(timed { raw.append(reference) }) }
        }
        samples.append(Measurement.Sample(ours: median(ours), yardstick: median(theirs)))
        sizes.append(
          Measurement.Sample(
            ours: Double(journalByteCount(store)) / Double(next - 1), yardstick: 0))
        try store.closeAndWait()
        scratch.removeFiles()
      }
      return samples
    }
    let yardstick = "pwrite + fdatasync of reference frames, growing"
    return [
      Measurement(
        work: "bulk load, 1,000 rows a transaction", yardstick: yardstick, unit: "transaction",
        promise: .atLeast(0.6),
        samples: try load(savers: 1, rowCount: transactionCount * 1000) { store, rows in
          try await store.insert(contentsOf: rows)
        }),
      Measurement(
        work: "bulk load, 1,000 rows a write", yardstick: yardstick, unit: "write", promise: .none,
        samples: try load { store, rows in
          try await store.write { context in for row in rows { try context.insert(row) } }
        }),
      Measurement(
        work: "bulk load, 1,000 rows a proposal", yardstick: yardstick, unit: "proposal",
        promise: .none,
        samples: try load { store, rows in _ = try await store.save(inserts(of: rows, in: store)) }),
      Measurement(
        work: "journal of bulk loads", yardstick: "none", unit: "row",
        promise: .bytesAtMost(130), samples: sizes, quantity: .bytes),
    ]
  }
}
