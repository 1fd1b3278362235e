import DaybookStore
import Glibc

/// What many tasks that save at once cost each.
extension StoreWorkload {
  static func concurrentSavers(
    _ settings: Settings, _ scratch: Scratch, _ generator: RowGenerator
  ) throws -> [Measurement] {
    let each = settings.count(500)
    let savers = try samples(settings, scratch) { store, first in
      let context = store.makeContext()
      for id in first..<first + each {
        try context.insert(generator.row(id))
        try await context.save()
      }
      return each
    }
    return [
      Measurement(
        work: "64 concurrent savers, a context each", yardstick: "one saver", unit: "save",
        promise: .atLeast(20), samples: savers.times),
      Measurement(
        work: "the same, if no processor ever waited", yardstick: "one saver", unit: "save",
        promise: .none, samples: savers.floors),
      Measurement(
        work: "64 concurrent writers", yardstick: "one writer", unit: "write",
        promise: .none,
        samples: try samples(settings, scratch) { store, first in
          for id in first..<first + each {
            try await store.write { try $0.insert(generator.row(id)) }
          }
          return each
        }.times),
      Measurement(
        work: "64 concurrent proposals", yardstick: "one proposer", unit: "proposal",
        promise: .none,
        samples: try samples(settings, scratch) { store, first in
          for id in first..<first + each {
            _ = try await store.save(inserts([generator.row(id)], store))
          }
          return each
        }.times),
    ]
  }

  /// What one and 64 take for each save.
  private struct SaverSamples {
    var times: [Measurement.Sample] = []
    /// The time for which all processors work on a save of the 64, shared out among them: a program that does that
    /// work can be no faster on this machine, whatever it does when.
    var floors: [Measurement.Sample] = []
  }

  /// One saver, and then 64 of them: each is given the identifier with which to begin, and answers
  /// how often it has saved.
  private static func samples(
    _ settings: Settings, _ scratch: Scratch,
    _ saver: @escaping @Sendable (Store, _ first: Int) async throws -> Int
  ) throws -> SaverSamples {
    let processorCount = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    var samples = SaverSamples()
    for _ in 0..<settings.repetitionCount {
      let store = try StoreWorkload.open(scratch.path("concurrent"))
      let (time, floor) = try blocking {
        var aloneCount = 0
        // The first saves of a new journal make room for the others.
        _ = try await saver(store, 500_000)
        let alone = try await timed { aloneCount = try await saver(store, 1) }
        var togetherCount = 0
        let workBefore = processorTimeOfAll()
        let together = try await timed {
          togetherCount = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...64 {
              group.addTask { try await saver(store, 1 + number * 1_000_000) }
            }
            return try await group.reduce(0, +)
          }
        }
        let work = processorTimeOfAll() - workBefore
        let (one, all) = (alone / Double(aloneCount), Double(togetherCount))
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
