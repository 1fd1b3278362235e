import DaybookStore
import DaybookPlatform

/// The part of the workload `store` that measures saves of many concurrent tasks.
extension StoreWorkload {
  static func concurrentSavers(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator
  ) throws -> [Measurement] {
    let each = settings.count(500)
    let savers = try samples(each, settings: settings, in: scratch, generator: generator) {
      store, rows in
      let context = store.makeContext()
      for row in rows {
        try context.insert(row)
        try await context.save()
      }
    }
    return [
      Measurement(
        work: "64 concurrent savers, a context each", yardstick: "one saver", unit: "save",
        promise: .atLeast(8), samples: savers.times),
      Measurement(
        work: "64 savers, if no processor ever waited", yardstick: "one saver", unit: "save",
        promise: .none, samples: savers.floors),
      Measurement(
        work: "64 concurrent writers", yardstick: "one writer", unit: "write",
        promise: .none,
        samples: try samples(each, settings: settings, in: scratch, generator: generator) {
          store, rows in
          for row in rows { try await store.write { try $0.insert(row) } }
        }.times),
      Measurement(
        work: "64 concurrent proposals", yardstick: "one proposer", unit: "proposal",
        promise: .none,
        samples: try samples(each, settings: settings, in: scratch, generator: generator) {
          store, rows in
          for row in rows { _ = try await store.save(inserts(of: [row], in: store)) }
        }.times),
    ]
  }

  /// The times of one save, with 64 savers and, as the yardstick, with one saver.
  private struct SaverSamples {
    var times: [Measurement.Sample] = []
    /// The processor time of one save with 64 savers, divided by the number of processors. On this
    /// machine, the time of the save cannot be shorter, even if no processor ever waits.
    var floors: [Measurement.Sample] = []
  }

  /// The number of turns of one saver and of 64 savers in each sample. The turns alternate, so that
  /// a change of the machine's speed affects both.
  private static let turnCount = 5

  /// Measures one saver and 64 savers. Each saver receives its own rows and saves one after the
  /// other. The rows are created before the measurement, because creating them is not part of a
  /// save.
  private static func samples(
    _ each: Int, settings: Settings, in scratch: Scratch, generator: RowGenerator,
    saver: @escaping @Sendable (Store, [Row]) async throws -> Void
  ) throws -> SaverSamples {
    let ofOne = generator.rows(from: 1, count: each)
    let ofAll = (1...64).map { generator.rows(from: 1 + $0 * 1_000_000, count: each) }
    let first = generator.rows(from: 500_000, count: each)
    let processorCount = Double(max(1, CurrentProcess.processorCount))
    var samples = SaverSamples()
    for _ in 0..<settings.repetitionCount {
      let store = try StoreWorkload.open(scratch.path("concurrent"))
      let (time, floor) = try blocking {
        // The first saves of a new journal also fill space with zeros for later saves, so they are
        // not measured.
        try await saver(store, first)
        var (alone, together, work) = (0.0, 0.0, 0.0)
        for turn in 0..<turnCount {
          let part = each * turn / turnCount..<each * (turn + 1) / turnCount
          alone += try await timed { try await saver(store, Array(ofOne[part])) }
          let parts = ofAll.map { Array($0[part]) }
          let workBefore = processorTimeOfAll()
          together += try await timed {
            try await withThrowingTaskGroup(of: Void.self) { group in
              for rows in parts { group.addTask { try await saver(store, rows) } }
              try await group.waitForAll()
            }
          }
          work += processorTimeOfAll() - workBefore
        }
        let (one, all) = (alone / Double(each), Double(each * ofAll.count))
        return (
          Measurement.Sample(ours: together / all, yardstick: one),
          Measurement.Sample(ours: work / processorCount / all, yardstick: one)
        )
      }
      samples.times.append(time)
      samples.floors.append(floor)
      try store.closeAndWait()
      scratch.removeFiles()
    }
    return samples
  }
}
