import DaybookJournal
import DaybookResults
import DaybookStore
import Glibc

/// What live lists cost: one boundary of a context to its difference, over lists of growing sizes.
enum ListWorkload {
  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let generator = RowGenerator()
    let sizes = settings.isQuick ? [1000, 100_000] : [1000, 10_000, 100_000, 1_000_000]
    return try sizes.flatMap { try boundaries($0, settings, scratch, generator) }
  }

  /// Half of all rows, by when they were created, the latest first; in sections by state.
  static func plan(_ catalog: Catalog) throws -> ResultPlan {
    let entity = catalog.index(of: "Row") ?? 0
    let state = try ValuePath(["state"], from: entity, in: catalog)
    let amount = try ValuePath(["amount"], from: entity, in: catalog)
    let createdAt = try ValuePath(["createdAt"], from: entity, in: catalog)
    return ResultPlan(
      entity: entity,
      matches: { row, frozen in
        amount.withBytes(of: row, in: frozen) { bytes -> Bool in
          guard let bytes else { return false }
          return (bytes.number(at: 0, as: Int64.self) ?? 0) >= 500_000
        }
      },
      section: { row, frozen, buffer in
        state.withBytes(of: row, in: frozen) { bytes in
          if let bytes { buffer.append(bytes) }
        }
      },
      order: { row, frozen, buffer in
        createdAt.withBytes(of: row, in: frozen) { bytes in
          let bits = bytes?.number(at: 0, as: UInt64.self) ?? 0
          let mask = bits >> 63 == 1 ? UInt64.max : 1 << 63
          buffer.append((~(bits ^ mask)).byteSwapped)
        }
      },
      nameOfSection: { String(decoding: $0, as: UTF8.self) })
  }

  private enum Kind: String, CaseIterable {
    case insert, delete, content, move
  }

  /// Boundaries of one change that change the list, by kind, in time of the thread's processor.
  private static func boundaries(
    _ rowCount: Int, _ settings: Settings, _ scratch: Scratch, _ generator: RowGenerator
  ) throws -> [Measurement] {
    try StoreWorkload.makeStore(at: scratch.path("list"), rowCount: rowCount, generator)
    let store = try Store(at: scratch.path("list"), records: Row.self)
    defer { scratch.removeFiles() }
    let plan = try plan(store.snapshot.frozen.catalog)
    var samples: [Kind: [Measurement.Sample]] = [:]
    var folds: [Measurement.Sample] = []
    var builds: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let context = store.makeContext()
      var projection: Projection?
      let buildTime = timed { projection = Projection(plan, context.frozen) }
      guard let projection else { preconditionFailure("no projection") }
      builds.append(
        Measurement.Sample(ours: buildTime / Double(max(1, rowCount)), yardstick: 0))
      var foldTime = 0.0
      var wasChanged = false
      let token = context.listen { event in
        guard case .transaction(let transaction) = event else { return }
        foldTime = processorTime {
          let difference = projection.fold(transaction.changedKeys, to: context.frozen)
          wasChanged = difference != nil
        }
      }
      var times: [Kind: [Double]] = [:]
      var foldTimes: [Double] = []
      var stream: UInt64 = 7
      var live = (1...rowCount).map { $0 }
      var nextID = rowCount
      for _ in 0..<settings.count(4000) {
        let kind: Kind
        let time: Double
        switch RowGenerator.next(&stream) % 100 {
        case ..<40:
          let id = live[Int(RowGenerator.next(&stream) % UInt64(live.count))]
          kind = .move
          let row = generator.row(Int(RowGenerator.next(&stream) % 1_000_000))
          let isState = RowGenerator.next(&stream) % 2 == 0
          time = try processorTime {
            try context.update(Row.self, id) {
              if isState { $0.state = row.state } else { $0.createdAt = row.createdAt }
            }
            context.processPendingChanges()
          }
        case ..<80:
          let id = live[Int(RowGenerator.next(&stream) % UInt64(live.count))]
          let note = RowGenerator.letters(26 + Int(RowGenerator.next(&stream) % 9), &stream)
          kind = .content
          time = try processorTime {
            try context.update(Row.self, id) { $0.note = note }
            context.processPendingChanges()
          }
        case ..<90:
          nextID += 1
          let row = generator.row(nextID)
          live.append(nextID)
          kind = .insert
          time = try processorTime {
            try context.insert(row)
            context.processPendingChanges()
          }
        default:
          let place = Int(RowGenerator.next(&stream) % UInt64(live.count))
          let id = live[place]
          live.swapAt(place, live.count - 1)
          live.removeLast()
          kind = .delete
          time = try processorTime {
            try context.delete(Row.self, id)
            context.processPendingChanges()
          }
        }
        if wasChanged {
          times[kind, default: []].append(time)
          foldTimes.append(foldTime)
        }
        wasChanged = false
      }
      for (kind, times) in times {
        samples[kind, default: []].append(Measurement.Sample(ours: median(times), yardstick: 0))
      }
      folds.append(Measurement.Sample(ours: median(foldTimes), yardstick: 0))
      withExtendedLifetime(token) {}
    }
    try store.closeAndWait()
    func shown(
      _ work: String, _ unit: String, _ samples: [Measurement.Sample]
    ) -> Measurement {
      Measurement(
        work: "\(work), \(rowCount) rows", yardstick: "none", unit: unit, promise: .none,
        samples: samples)
    }
    return Kind.allCases.compactMap { kind in
      samples[kind].map { shown("one \(kind.rawValue) to its difference", "boundary", $0) }
    } + [shown("the difference alone", "boundary", folds), shown("a list built", "row", builds)]
  }

  /// How long the thread's processor works on something, in nanoseconds.
  private static func processorTime(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
  }
}
