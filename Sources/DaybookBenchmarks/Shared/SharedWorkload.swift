/// The workload `shared`. It measures a store that shares a log in PostgreSQL. It needs the package
/// trait `Postgres`, and an empty database. A test of `DaybookPostgres` starts a server for it.
enum SharedWorkload {
  #if !Postgres
    static func run(_ settings: Settings) throws -> [Measurement] {
      Command.report("the workload shared needs the package trait: swift run --traits Postgres …")
      return []
    }
  #endif
}

#if Postgres
  import DaybookJournal
  import DaybookPlatform
  import DaybookPostgres
  import DaybookStore

  extension SharedWorkload {
    static func run(_ settings: Settings) throws -> [Measurement] {
      guard let url = CurrentProcess.environment(variable) else {
        Command.report("the workload shared measures nothing: \(variable) is not set.")
        return []
      }
      return try measure(settings, on: url)
    }

    /// The environment variable with the URL of a database for the measurements.
    static let variable = "DAYBOOK_POSTGRES_URL"

    /// Measures with a database, in which it creates logs and a table.
    static func measure(_ settings: Settings, on url: String) throws -> [Measurement] {
      let scratch = try Scratch(in: settings.directory)
      defer { scratch.remove() }
      try blocking { try await PostgresLog.createSchema(url) }
      var measurements = try singleSaves(settings, on: url, in: scratch)
      measurements += try concurrentSavers(settings, on: url, in: scratch)
      measurements += try loadAndClone(settings, on: url, in: scratch)
      measurements += try following(settings, on: url, in: scratch)
      return measurements
    }

    /// Opens a replica of a log. No checkpoints are written, so no background work affects a
    /// measurement.
    static func open(
      _ name: String, of log: String, on url: String, in scratch: Scratch
    ) throws -> Store {
      let path = scratch.path(name)
      return try blocking {
        var options = JournalOptions()
        options.keepsCheckpoints = false
        return try await Store(
          at: path, sharing: PostgresLog(url, name: log), records: Row.self, options: options)
      }
    }

    // MARK: One save

    private static func singleSaves(
      _ settings: Settings, on url: String, in scratch: Scratch
    ) throws -> [Measurement] {
      let count = settings.count(500)
      let raw = try RawConnection(url)
      let store = try open("single", of: "single", on: url, in: scratch)
      let context = store.makeContext()
      let generator = RowGenerator()
      var next = 1
      func insert() throws {
        try context.insert(generator.row(next))
        try context.saveAndWait()
        next += 1
      }
      for _ in 0..<20 { try insert() }
      let byteCountBefore = StoreWorkload.journalByteCount(store)
      for _ in 0..<20 { try insert() }
      let byteCount = (StoreWorkload.journalByteCount(store) - byteCountBefore) / 20
      let bytes = [UInt8](repeating: 7, count: byteCount)
      var samples: [Measurement.Sample] = []
      for _ in 0..<settings.repetitionCount {
        samples.append(
          try interleaved(count, ours: insert) {
            try raw.insert(next, bytes: bytes)
          })
      }
      try store.closeAndWait()
      scratch.removeFiles()
      return [
        try appends(settings, on: url, raw: raw, bytes: bytes),
        Measurement(
          work: "one save in a shared log", yardstick: "an insert by hand of \(byteCount) bytes",
          unit: "save", promise: .atMost(1.3), samples: samples),
      ]
    }

    /// Measures the part of a save that is in the log: the append of a group, by a task.
    private static func appends(
      _ settings: Settings, on url: String, raw: RawConnection, bytes: [UInt8]
    ) throws -> Measurement {
      let count = settings.count(500)
      let log = PostgresLog(url, name: "appended")
      let samples = try blocking {
        var end = SharedHead(next: 0, checksum: 0)
        func append() async throws {
          // The log does not interpret the bytes.
          let group = FrameGroup(
            first: end.next, next: end.next.next, previousChecksum: end.checksum,
            checksum: end.checksum &+ 1,
            bytes: bytes, nonce: 1)
          guard case .appended = try await log.append(group) else {
            preconditionFailure("a log with one writer has a conflict")
          }
          end = group.end
        }
        try await append()
        var samples: [Measurement.Sample] = []
        var number = 1_000_000
        for _ in 0..<settings.repetitionCount {
          var times: (ours: [Double], raw: [Double]) = ([], [])
          for _ in 0..<count {
            times.ours.append(try await timed { try await append() })
            times.raw.append(try timed { try raw.insert(number, bytes: bytes) })
            number += 1
          }
          samples.append(
            Measurement.Sample(ours: median(times.ours), yardstick: median(times.raw)))
        }
        return samples
      }
      try blocking { await log.close() }
      return Measurement(
        work: "one append of a task to a log in PostgreSQL",
        yardstick: "an insert by hand of \(bytes.count) bytes", unit: "append", promise: .none,
        samples: samples)
    }

    // MARK: Many savers

    private static func concurrentSavers(
      _ settings: Settings, on url: String, in scratch: Scratch
    ) throws -> [Measurement] {
      let each = settings.count(100)
      let generator = RowGenerator()
      let store = try open("concurrent", of: "concurrent", on: url, in: scratch)
      @Sendable func save(_ rows: [Row]) async throws {
        let context = store.makeContext()
        for row in rows {
          try context.insert(row)
          try await context.save()
        }
      }
      var samples: [Measurement.Sample] = []
      for repetition in 0..<settings.repetitionCount {
        func rows(_ saver: Int) -> [Row] {
          generator.rows(from: 1 + (saver + 100 * repetition) * 1_000_000, count: each)
        }
        let (first, others) = (rows(0), (1...64).map(rows))
        samples.append(
          try blocking {
            let alone = try await timed { try await save(first) }
            let together = try await timed {
              try await withThrowingTaskGroup(of: Void.self) { group in
                for rows in others { group.addTask { try await save(rows) } }
                try await group.waitForAll()
              }
            }
            return Measurement.Sample(
              ours: together / Double(64 * each), yardstick: alone / Double(each))
          })
      }
      try store.closeAndWait()
      scratch.removeFiles()
      return [
        Measurement(
          work: "64 concurrent savers in a shared log", yardstick: "one saver", unit: "save",
          promise: .atLeast(10), samples: samples)
      ]
    }
  }
#endif
