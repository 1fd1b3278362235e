#if Postgres
  import Daybook
  import DaybookJournal
  import DaybookPlatform
  import DaybookPostgres
  import DaybookResults
  import DaybookStore

  /// The part of the workload `shared` that measures replicas that follow.
  extension SharedWorkload {
    static func following(
      _ settings: Settings, on url: String, in scratch: Scratch
    ) throws -> [Measurement] {
      let writer = try open("writer", of: "followed", on: url, in: scratch)
      var rows = RowGenerator().rows(from: 1, count: 2000)[...]
      let first = try open("follower-0", of: "followed", on: url, in: scratch)
      let sorting = sortingTime()
      var samples: [Measurement.Sample] = []
      for _ in 0..<settings.repetitionCount {
        let saved = Array(rows.prefix(settings.count(100)))
        rows = rows.dropFirst(saved.count)
        samples.append(
          Measurement.Sample(
            ours: median(try blocking { try await latencies(saved, from: writer, to: first) }),
            yardstick: sorting))
      }
      let one = Measurement(
        work: "from a commit to the difference of a follower's list, idle",
        yardstick: "the sort of a million numbers", unit: "change", promise: .within(5e6),
        samples: samples)

      let followerCount = 100
      let others = try (1..<followerCount).map {
        try open("follower-\($0)", of: "followed", on: url, in: scratch)
      }
      var all: [Measurement.Sample] = []
      for _ in 0..<settings.repetitionCount {
        let saved = Array(rows.prefix(settings.count(50)))
        rows = rows.dropFirst(saved.count)
        let times = try saved.map { row in
          SystemThread.pause(milliseconds: 20)
          let receipt = try writer.saveAndWait(StoreWorkload.inserts(of: [row], in: writer))
          return timed {
            for store in [first] + others {
              while store.snapshot.sequence < (receipt?.sequence ?? 0) {
                SystemThread.pause(milliseconds: 1)
              }
            }
          }
        }
        all.append(Measurement.Sample(ours: median(times), yardstick: one.ours))
      }
      for store in [writer, first] + others { try store.closeAndWait() }
      scratch.removeFiles()
      return [
        one,
        Measurement(
          work: "from a commit to the last of \(followerCount) followers, in one process",
          yardstick: "one follower", unit: "change", promise: .none, samples: all),
      ]
    }

    /// Saves rows one after the other, and returns the time from the end of each save to the
    /// difference of a list in another store.
    private static func latencies(
      _ rows: [Row], from writer: Store, to follower: Store
    ) async throws -> [Double] {
      let list = try follower.results(ListRequest<Row>(sortedBy: [.descending(\Row.createdAt)]))
      var updates = list.makeAsyncIterator()
      _ = await updates.next()
      var times: [Double] = []
      for row in rows {
        // The log sends at most one notification in five milliseconds.
        try await Task.sleep(for: .milliseconds(20))
        let receipt = try await writer.save(StoreWorkload.inserts(of: [row], in: writer))
        times.append(
          await timed {
            while let update = await updates.next(), update.sequence < (receipt?.sequence ?? 0) {}
          })
      }
      return times
    }
  }
#endif
