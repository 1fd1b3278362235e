import DaybookResults
import DaybookStore

extension ListWorkload {
  typealias Kind = ChangeStream.Change.Kind

  /// The times of one change at the smallest and at the largest number of rows. The two times show
  /// the growth of the time with the number of rows.
  struct Growth {
    private var first: [Kind: [Double]] = [:]
    private var last: [Kind: [Double]] = [:]
    private var sizes: [Int] = []

    mutating func record(rowCount: Int, times: [Kind: [Double]]) {
      sizes.append(rowCount)
      if sizes.count == 1 { first = times } else { last = times }
    }

    var measurements: [Measurement] {
      guard let least = sizes.first, let most = sizes.last, least < most else { return [] }
      return Kind.allCases.compactMap { kind in
        guard let small = first[kind], let large = last[kind] else { return nil }
        return Measurement(
          work: "one \(kind.rawValue) at \(most) rows", yardstick: "the same at \(least) rows",
          unit: "boundary", promise: .atMost(4),
          samples: zip(large, small).map { Measurement.Sample(ours: $0, yardstick: $1) })
      }
    }
  }

  // MARK: One change

  /// Measures boundaries with one change each, from the change in the context to the difference of
  /// the list. Boundaries that do not change the list are left out. The times are separate for each
  /// kind of change.
  static func oneChange(
    _ settings: Settings, in store: Store, rows: [Row], generator: RowGenerator,
    growth: inout Growth
  ) throws -> [Measurement] {
    var samples: [Kind: [Measurement.Sample]] = [:]
    var folds: [Measurement.Sample] = []
    var slowest: [Measurement.Sample] = []
    var naive: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      let list = try LiveList(in: store.makeContext(), request: LiveList.request)
      var changes = ChangeStream(generator, rowCount: rows.count)
      var times: [Kind: [Double]] = [:]
      var foldTimes: [Double] = []
      for _ in 0..<settings.count(4000) {
        let change = changes.next()
        list.difference = nil
        let time = try processorTime {
          try change.make(in: list.context)
          list.context.processPendingChanges()
        }
        if list.difference == nil { continue }
        times[change.kind, default: []].append(time)
        foldTimes.append(list.foldTime)
      }
      list.stop()
      for (kind, times) in times {
        samples[kind, default: []].append(
          Measurement.Sample(ours: median(times), yardstick: sorting))
      }
      let all = times.values.flatMap { $0 }.sorted()
      slowest.append(Measurement.Sample(ours: all[all.count * 99 / 100], yardstick: sorting))
      folds.append(Measurement.Sample(ours: median(foldTimes), yardstick: 0))
      naive.append(
        Measurement.Sample(ours: filteringAndSorting(rows, changing: 1), yardstick: median(all)))
    }
    growth.record(rowCount: rows.count, times: samples.mapValues { $0.map(\.ours) })
    var measurements = Kind.allCases.compactMap { kind in
      samples[kind].map { samples in
        Measurement(
          work: "one \(kind.rawValue) to its difference, \(rows.count) rows",
          yardstick: "sort of a million numbers", unit: "boundary",
          promise: .within(15_000).ofAMillion(rows.count), samples: samples)
      }
    }
    measurements.append(
      Measurement(
        work: "one change, the 99th of 100, \(rows.count) rows",
        yardstick: "sort of a million numbers", unit: "boundary",
        promise: .within(60_000).ofAMillion(rows.count), samples: slowest))
    measurements.append(
      shown("one change, the list's part", rowCount: rows.count, unit: "boundary", samples: folds))
    measurements.append(
      shown(
        "one change by filter, sort, difference(from:)", rowCount: rows.count, unit: "change",
        samples: naive,
        yardstick: "the live list"))
    return measurements
  }

  /// Returns the time to compute the difference of some changes without a live list: by filtering,
  /// sorting and comparing arrays.
  private static func filteringAndSorting(_ rows: [Row], changing count: Int) -> Double {
    var list = StructList(rows)
    var stream: UInt64 = 7
    return median(
      (0..<3).map { _ in
        processorTime { blackHole(UInt64(list.move(count, randomizedBy: &stream).count)) }
      })
  }

  // MARK: Many changes

  /// Measures boundaries with many changes each, from the boundary to the difference of the list.
  static func manyChanges(
    _ settings: Settings, in store: Store, rows: [Row], generator: RowGenerator
  ) throws -> [Measurement] {
    try [10, 100, 1000].flatMap { count in
      var boundaries: [Measurement.Sample] = []
      var folds: [Measurement.Sample] = []
      var changing: [Measurement.Sample] = []
      var naive: [Measurement.Sample] = []
      var finding: [Measurement.Sample] = []
      for _ in 0..<settings.repetitionCount {
        let sorting = sortingTime()
        let list = try LiveList(in: store.makeContext(), request: LiveList.request)
        var changes = ChangeStream(generator, rowCount: rows.count)
        var stream: UInt64 = 7
        var times: (change: [Double], boundary: [Double], fold: [Double], find: [Double]) = (
          [], [], [], []
        )
        for _ in 0..<20 {
          let others = (0..<count).map { _ in
            Int64(1 + RowGenerator.next(&stream) % UInt64(rows.count))
          }
          let snapshot = list.projection.snapshot
          times.find.append(
            processorTime {
              blackHole(UInt64(others.count { snapshot.path(of: .int($0)) != nil }))
            })
          let next = (0..<count).map { _ in changes.next() }
          times.change.append(
            try processorTime { for change in next { try change.make(in: list.context) } })
          times.boundary.append(processorTime { list.context.processPendingChanges() })
          times.fold.append(list.foldTime)
        }
        list.stop()
        boundaries.append(Measurement.Sample(ours: median(times.boundary), yardstick: sorting))
        folds.append(Measurement.Sample(ours: median(times.fold), yardstick: 0))
        changing.append(Measurement.Sample(ours: median(times.change), yardstick: 0))
        finding.append(Measurement.Sample(ours: median(times.find), yardstick: 0))
        if count == 1000 {
          naive.append(
            Measurement.Sample(
              ours: filteringAndSorting(rows, changing: count), yardstick: median(times.boundary)))
        }
      }
      var measurements = [
        Measurement(
          work: "boundary of \(count) changes to its difference, \(rows.count) rows",
          yardstick: "sort of a million numbers", unit: "boundary",
          promise: count == 1000 ? .within(3_000_000).ofAMillion(rows.count) : .none,
          samples: boundaries),
        shown(
          "\(count) changes, the list's part", rowCount: rows.count, unit: "boundary",
          samples: folds),
        shown(
          "\(count) changes made in the context", rowCount: rows.count, unit: "boundary",
          samples: changing),
        shown(
          "\(count) records found in the list", rowCount: rows.count, unit: "search",
          samples: finding),
      ]
      if count == 1000 {
        measurements.append(
          shown(
            "\(count) changes by filter, sort, difference(from:)", rowCount: rows.count,
            unit: "boundary", samples: naive,
            yardstick: "the live list"))
      }
      return measurements
    }
  }

  // MARK: Windows

  /// Measures changes at the start of a list, for a list that is limited to its first hundred rows
  /// and for the complete list.
  static func window(
    _ settings: Settings, in store: Store, rowCount: Int
  ) throws -> [Measurement] {
    var samples: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let context = store.makeContext()
      var top = LiveList.request
      top.limit = 100
      let window = try LiveList(in: context, request: top)
      let full = try LiveList(in: context, request: LiveList.request)
      var times: (window: [Double], full: [Double]) = ([], [])
      let second = RowGenerator.moment(100_000_000_000)
      for step in 0..<settings.count(2000) {
        let id = 2_000_000 + step / 4
        switch step % 4 {
        case 0:
          var row = Row()
          row.id = id
          row.state = RowGenerator.states[0]
          row.amount = 900_000
          row.createdAt = second
          try context.insert(row)
        case 1: try context.update(Row.self, id: id) { $0.note = "another" }
        case 2: try context.update(Row.self, id: id) { $0.createdAt = RowGenerator.moment(0) }
        default: try context.delete(Row.self, id: id)
        }
        window.difference = nil
        context.processPendingChanges()
        // The third step moves the row out of the window. So the last step deletes a row outside of
        // the window and does not change the limited list. In a short list, the row is still in the
        // window.
        precondition((window.difference != nil) == (step % 4 != 3 || rowCount < 5000))
        times.window.append(window.foldTime)
        times.full.append(full.foldTime)
      }
      samples.append(
        Measurement.Sample(ours: median(times.window), yardstick: median(times.full)))
    }
    return [
      Measurement(
        work: "one change at the top of the first 100, \(rowCount) rows",
        yardstick: "the list of all", unit: "difference",
        promise: .atMost(1.5).ofAMillion(rowCount), samples: samples)
    ]
  }

  // MARK: Sections

  /// Measures one change of several lists. All lists contain the same rows, but in different
  /// numbers of sections.
  static func sections(
    _ settings: Settings, in store: Store, generator: RowGenerator
  ) throws -> [Measurement] {
    let rowCount = try store.snapshot.count(of: Row.self)
    let ways: [Sectioning?] = [
      nil, .by(\Row.state), .by(\Row.amount, each: .range(width: 100)),
      .by(\Row.amount, each: .range(width: 10)),
    ]
    return try ways.map { way in
      var request = LiveList.request
      // The list contains all rows, so that none of the hundred thousand ranges of amounts is
      // empty.
      request.filter = nil
      request.sectioning = way
      request.sortKeys = [.ascending(\Row.name)]
      var samples: [Measurement.Sample] = []
      var sectionCount = 0
      for _ in 0..<settings.repetitionCount {
        let list = try LiveList(in: store.makeContext(), request: request)
        var changes = ChangeStream(generator, rowCount: rowCount)
        var times: [Double] = []
        for _ in 0..<settings.count(1000) {
          list.difference = nil
          try changes.next().make(in: list.context)
          list.context.processPendingChanges()
          if list.difference != nil { times.append(list.foldTime) }
        }
        sectionCount = list.projection.snapshot.sectionCount
        list.stop()
        samples.append(Measurement.Sample(ours: median(times), yardstick: 0))
      }
      return shown(
        "one change of all rows, in \(sectionCount) sections", rowCount: rowCount,
        unit: "difference", samples: samples)
    }
  }
}
