import DaybookJournal
import DaybookStore

extension StoreWorkload {
  // MARK: Opening, holding, scanning

  static func reading(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator
  ) throws -> [Measurement] {
    let rowCount = settings.rowCount
    let path = scratch.path("large")
    try makeStore(at: path, rowCount: rowCount, generator)
    var measurements = [try memory(at: path, rowCount: rowCount)]
    measurements += try opening(settings, at: path, rowCount: rowCount)
    measurements.append(
      try scanning(
        settings, at: path, rowCount: rowCount, state: "freshly loaded",
        promise: .perSecond(40_000_000)))
    try rewriteHalf(at: path, rowCount: rowCount, generator: generator)
    measurements.append(
      try scanning(
        settings, at: path, rowCount: rowCount, state: "half rewritten",
        promise: .perSecond(8_000_000)))
    scratch.removeFiles()
    return measurements
  }

  private static func memory(at path: String, rowCount: Int) throws -> Measurement {
    ProcessMemory.releaseFreeMemory()
    let before = ProcessMemory.anonymousByteCount
    let store = try StoreWorkload.open(path)
    let after = ProcessMemory.anonymousByteCount
    let openedCount = try store.snapshot.count(of: Row.self)
    precondition(openedCount == rowCount)
    try store.closeAndWait()
    return Measurement(
      work: "memory beyond mapped files, \(rowCount) rows", yardstick: "none", unit: "row",
      promise: .bytesAtMost(48).ofAMillion(rowCount),
      samples: [
        Measurement.Sample(ours: Double(after - before) / Double(rowCount), yardstick: 0)
      ], quantity: .bytes)
  }

  private static func opening(
    _ settings: Settings, at path: String, rowCount: Int
  ) throws -> [Measurement] {
    var replays: [Measurement.Sample] = []
    var folds: [Measurement.Sample] = []
    var verifications: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      let journal = try FileJournal(at: path)
      // This call finds the frames. It also reads each page of the file, so that the measurements
      // do not include mapping the pages.
      let ranges = try frameRanges(journal)
      let hashing = try timed { try hash(ranges, of: journal) }
      let verifying = try timed { try readFrames(journal) }
      try journal.closeAndWait()
      var opened: Store?
      let opening = try timed { opened = try StoreWorkload.open(path) }
      guard let store = opened, try store.snapshot.count(of: Row.self) == rowCount else {
        preconditionFailure("rows are missing")
      }
      try store.closeAndWait()
      let count = Double(rowCount)
      verifications.append(
        Measurement.Sample(ours: verifying / count, yardstick: hashing / count))
      replays.append(Measurement.Sample(ours: opening / count, yardstick: hashing / count))
      folds.append(Measurement.Sample(ours: opening / count, yardstick: sorting))
    }
    return [
      Measurement(
        work: "frames verified, 1,000 rows each", yardstick: "XXH64 over the same frames",
        unit: "row", promise: .atLeast(0.6), samples: verifications),
      Measurement(
        work: "store opened by replay", yardstick: "XXH64 over the same frames", unit: "row",
        promise: .none, samples: replays),
      Measurement(
        work: "store opened by replay, changes", yardstick: "sort of a million numbers",
        unit: "change", promise: .perSecond(8_000_000), samples: folds),
    ]
  }

  /// Returns the ranges of the file that the checksums of the frames cover.
  private static func frameRanges(_ journal: FileJournal) throws -> [Range<Int>] {
    var (reader, last, _) = journal.frames(from: 1)
    var ranges: [Range<Int>] = []
    while reader.chain.sequence < last, try reader.advance() {
      let start = Int(reader.headerOffset)
      ranges.append(start..<start + reader.header.frameByteCount - Frame.checksumByteCount)
    }
    return ranges
  }

  private static func hash(_ ranges: [Range<Int>], of journal: FileJournal) throws {
    let view = try journal.file.view(at: 0, atLeast: ranges.last?.upperBound ?? 0)
    blackHole(
      view.withSpan { bytes in
        ranges.reduce(0 as UInt64) {
          $0 ^ XXH64.checksum(bytes.extracting($1), seed: journal.header.salt)
        }
      })
  }

  private static func readFrames(_ journal: FileJournal) throws {
    var (reader, last, _) = journal.frames(from: 1)
    var byteCount = 0
    while try reader.advance() { byteCount += reader.header.payloadByteCount }
    precondition(reader.chain.sequence == last, "replay ended at \(reader.chain.sequence)")
    blackHole(UInt64(byteCount))
  }

  /// Changes the notes of half of the rows, in random order, so that these rows are spread over the
  /// file.
  private static func rewriteHalf(
    at path: String, rowCount: Int, generator: RowGenerator
  ) throws {
    let store = try StoreWorkload.open(path, durability: .none)
    var stream: UInt64 = 7
    var ids = Array(1...rowCount)
    for index in 0..<rowCount / 2 {
      let other = index + Int(RowGenerator.next(&stream) % UInt64(rowCount - index))
      ids.swapAt(index, other)
    }
    let context = store.makeContext()
    for first in stride(from: 0, to: rowCount / 2, by: 1000) {
      for id in ids[first..<min(first + 1000, rowCount / 2)] {
        let note = RowGenerator.letters(
          26 + Int(RowGenerator.next(&stream) % 9), randomizedBy: &stream)
        try context.update(Row.self, id: id) { $0.note = note }
      }
      try context.saveAndWait()
    }
    try store.closeAndWait()
  }

  private static func scanning(
    _ settings: Settings, at path: String, rowCount: Int, state: String,
    promise: Measurement.Promise
  ) throws -> Measurement {
    let store = try StoreWorkload.open(path)
    let scan = RowsScan(store)
    if rowCount == 1_000_000 {
      let count = scan.largeCount()
      precondition(count == 500_687, "\(count) rows where the generator makes 500687")
    }
    var samples: [Measurement.Sample] = []
    for _ in 0..<max(5, settings.repetitionCount) {
      let sorting = sortingTime()
      var times: [Double] = []
      for _ in 0..<3 {
        times.append(timed { scan.scanStep() })
      }
      samples.append(
        Measurement.Sample(ours: median(times) / Double(rowCount), yardstick: sorting))
    }
    try store.closeAndWait()
    return Measurement(
      work: "scan of two attributes, \(state)", yardstick: "sort of a million numbers",
      unit: "row", promise: promise, samples: samples)
  }

  // MARK: Rows

  static func codecs(_ settings: Settings, generator: RowGenerator) -> [Measurement] {
    let layout = Layout(number: 0, of: Row.schema.definition)
    guard let codec = try? RecordCodec<Row>([layout]) else {
      preconditionFailure("the schema of rows does not fit itself")
    }
    let rows = generator.rows(from: 1, count: 1000)
    var encoding: [Measurement.Sample] = []
    var decoding: [Measurement.Sample] = []
    var attribute: [Measurement.Sample] = []
    var byteCount = 0
    let roundCount = settings.count(50)
    for _ in 0..<settings.repetitionCount {
      var times: (encode: [Double], decode: [Double], attribute: [Double]) = ([], [], [])
      for _ in 0..<roundCount {
        var buffer = RowBuffer()
        var starts: [Int] = []
        times.encode.append(
          timed {
            for row in rows {
              starts.append(buffer.count)
              codec.append(row, to: &buffer)
            }
          } / 1000)
        byteCount = buffer.count
        let bytes = buffer.bytes
        times.decode.append(
          timed {
            for start in starts {
              let span = bytes.span.bytes
              blackHole(
                UInt64(codec.lenientRecord(span.extracting(start..<span.byteCount))?.amount ?? 0))
            }
          } / 1000)
        times.attribute.append(
          timed {
            var sum: Int64 = 0
            for start in starts {
              let span = bytes.span.bytes
              let row = span.extracting(start..<span.byteCount)
              if let range = layout.range(of: 1, in: row) {
                sum &+= row.extracting(range).wholeNumber(as: Int64.self) ?? 0
              }
            }
            blackHole(UInt64(bitPattern: sum))
          } / 1000)
      }
      encoding.append(Measurement.Sample(ours: median(times.encode), yardstick: 159))
      decoding.append(Measurement.Sample(ours: median(times.decode), yardstick: 122))
      attribute.append(Measurement.Sample(ours: median(times.attribute), yardstick: 0.55))
    }
    return [
      Measurement(
        work: "record into a row", yardstick: "hand-written, 6 fields, noted before",
        unit: "record", promise: .none, samples: encoding),
      Measurement(
        work: "record out of a row", yardstick: "schema closures, 6 fields, noted before",
        unit: "record", promise: .none, samples: decoding),
      Measurement(
        work: "one attribute of a row", yardstick: "field of a struct, noted before",
        unit: "attribute", promise: .none, samples: attribute),
      Measurement(
        work: "row", yardstick: "6 columns packed, noted before", unit: "row", promise: .none,
        samples: [Measurement.Sample(ours: Double(byteCount) / 1000, yardstick: 59.6)],
        quantity: .bytes),
    ]
  }

  // MARK: Contexts

  static func contexts(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator
  ) throws -> [Measurement] {
    let count = settings.count(5000)
    return try [1000, settings.rowCount].map { rowCount in
      try makeStore(at: scratch.path("context"), rowCount: rowCount, generator)
      let store = try StoreWorkload.open(scratch.path("context"))
      var samples: [Measurement.Sample] = []
      for _ in 0..<settings.repetitionCount {
        let context = store.makeContext()
        let token = context.observe { _ in }
        var stream: UInt64 = 7
        var times: [Double] = []
        for _ in 0..<count {
          let id = 1 + Int(RowGenerator.next(&stream) % UInt64(rowCount))
          let amount = Int(RowGenerator.next(&stream) % 1_000_000)
          times.append(
            try timed {
              try context.update(Row.self, id: id) { $0.amount = amount }
              context.processPendingChanges()
            })
        }
        withExtendedLifetime(token) {}
        samples.append(Measurement.Sample(ours: median(times), yardstick: 0))
      }
      try store.closeAndWait()
      scratch.removeFiles()
      return Measurement(
        work: "update and boundary, \(rowCount) rows", yardstick: "none", unit: "boundary",
        promise: .none, samples: samples)
    }
  }
}
