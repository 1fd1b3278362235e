#if Postgres
  import DaybookPlatform
  import DaybookPostgres
  import DaybookStore

  /// The part of the workload `shared` that measures loads and clones.
  extension SharedWorkload {
    /// Loads a log with a transaction for each thousand rows, and then clones it.
    static func loadAndClone(
      _ settings: Settings, on url: String, in scratch: Scratch
    ) throws -> [Measurement] {
      let raw = try RawConnection(url)
      try raw.execute("truncate plain")
      let store = try open("loaded", of: "loaded", on: url, in: scratch)
      let generator = RowGenerator()
      let roundCount = settings.rowCount / 1000 / settings.repetitionCount
      var samples: [Measurement.Sample] = []
      var next = 1
      for _ in 0..<settings.repetitionCount {
        var times: (ours: [Double], raw: [Double]) = ([], [])
        for _ in 0..<roundCount / 2 {
          // Two savers, as for the load of a store without a log.
          let batches = (0..<2).map { generator.rows(from: next + 1000 * $0, count: 1000) }
          let byteCountBefore = StoreWorkload.journalByteCount(store)
          times.ours.append(
            try blocking {
              try await timed {
                try await withThrowingTaskGroup(of: Void.self) { group in
                  for rows in batches {
                    group.addTask {
                      _ = try await store.save(StoreWorkload.inserts(of: rows, in: store))
                    }
                  }
                  try await group.waitForAll()
                }
              }
            } / 2000)
          withExtendedLifetime(batches) {}
          let byteCount = (StoreWorkload.journalByteCount(store) - byteCountBefore) / 2000
          times.raw.append(
            try timed {
              try raw.copyIn(from: next, count: 1000, byteCount: byteCount)
              try raw.copyIn(from: next + 1000, count: 1000, byteCount: byteCount)
            } / 2000)
          next += 2000
        }
        samples.append(
          Measurement.Sample(ours: median(times.ours), yardstick: median(times.raw)))
      }
      let load = Measurement(
        work: "load of a shared log, 1,000 rows a transaction",
        yardstick: "binary COPY of the same bytes, 1,000 rows a transaction", unit: "row",
        promise: .atLeast(0.5), samples: samples)
      try store.closeAndWait()
      return [load, try clone(settings, rowCount: next - 1, from: raw, on: url, in: scratch)]
    }

    /// Measures the creation of a replica, and as its yardstick a COPY into a file and a verified
    /// replay of a replica.
    private static func clone(
      _ settings: Settings, rowCount: Int, from raw: RawConnection, on url: String,
      in scratch: Scratch
    ) throws -> Measurement {
      var samples: [Measurement.Sample] = []
      for _ in 0..<min(3, settings.repetitionCount) {
        let ours = try timed {
          let store = try open("clone", of: "loaded", on: url, in: scratch)
          let clonedCount = try store.snapshot.count(of: Row.self)
          precondition(clonedCount == rowCount, "a clone lacks rows")
          try store.closeAndWait()
        }
        for name in ["clone", "clone-shared"] { try SystemDisk().remove(scratch.path(name)) }
        let theirs = try timed {
          let file = try FileDescriptor.create(scratch.path("copy"), permissions: 0o600)
          defer { file.close() }
          try raw.copyOut(
            """
            select frames from daybook.groups join daybook.logs on log = id
            where name = 'loaded' order by first
            """
          ) { bytes in
            var copy = [UInt8](repeating: 0, count: bytes.count)
            copy.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
            try file.writeAll(copy.span.bytes)
          }
          let store = try Store(reading: scratch.path("loaded"), records: Row.self)
          let replayedCount = try store.snapshot.count(of: Row.self)
          precondition(replayedCount == rowCount, "a replay lacks rows")
        }
        try SystemDisk().remove(scratch.path("copy"))
        samples.append(
          Measurement.Sample(
            ours: ours / Double(rowCount), yardstick: theirs / Double(rowCount)))
      }
      scratch.removeFiles()
      return Measurement(
        work: "clone of \(rowCount) changes", yardstick: "COPY to a file and a verified replay",
        unit: "change", promise: .atLeast(0.5), samples: samples)
    }
  }
#endif
