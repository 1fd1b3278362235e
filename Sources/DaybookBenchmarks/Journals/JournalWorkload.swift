import DaybookJournal
import Synchronization

/// The workload `journal`. It measures the journal without records: single saves, concurrent
/// savers, groups, and replay.
enum JournalWorkload {
  static let payloadByteCounts = [100, 260]

  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    var measurements: [Measurement] = []
    for byteCount in payloadByteCounts {
      measurements += try singleSaves(settings, in: scratch, byteCount: byteCount)
      measurements.append(try concurrentSavers(settings, in: scratch, byteCount: byteCount))
      measurements += try groups(settings, in: scratch, byteCount: byteCount)
      measurements += try replay(settings, in: scratch, byteCount: byteCount)
    }
    return measurements
  }

  // MARK: One change, durable

  private static func singleSaves(
    _ settings: Settings, in scratch: Scratch, byteCount: Int
  ) throws -> [Measurement] {
    let payload = somePayload(byteCount)
    let frame = [UInt8](repeating: 7, count: Frame.byteCount(payload: byteCount))
    let count = settings.count(1000)
    var waiting: [Measurement.Sample] = []
    var suspending: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let journal = try FileJournal(at: scratch.path("single"))
      let raw = try RawFile(at: scratch.path("raw"), zeroed: (2 * count + 1) * frame.count)
      waiting.append(
        try interleaved(count) {
          _ = try journal.appendAndWait(payload)
        } yardstick: {
          raw.append(frame)
        })
      suspending.append(
        try blocking {
          var ours: [Double] = []
          var theirs: [Double] = []
          for _ in 0..<count {
            ours.append(try await timed { _ = try await journal.append(payload) })
            theirs.append(timed { raw.append(frame) })
          }
          return Measurement.Sample(ours: median(ours), yardstick: median(theirs))
        })
      try journal.closeAndWait()
      scratch.removeFiles()
    }
    let yardstick = "pwrite + fdatasync of the same bytes into zeros"
    return [
      Measurement(
        work: "single save, \(byteCount) B, waiting", yardstick: yardstick, unit: "save",
        promise: .atMost(1.25), samples: waiting),
      Measurement(
        work: "single save, \(byteCount) B, suspending", yardstick: yardstick, unit: "save",
        promise: .atMost(1.25), samples: suspending),
    ]
  }

  // MARK: Many savers

  private static func concurrentSavers(
    _ settings: Settings, in scratch: Scratch, byteCount: Int
  ) throws -> Measurement {
    let payload = somePayload(byteCount)
    let saverCount = 64
    let each = settings.count(500)
    var samples: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let journal = try FileJournal(at: scratch.path("concurrent"))
      samples.append(
        try blocking {
          let alone = try await timed {
            for _ in 0..<each { _ = try await journal.append(payload) }
          }
          let together = try await timed {
            try await withThrowingTaskGroup(of: Void.self) { group in
              for _ in 0..<saverCount {
                group.addTask {
                  for _ in 0..<each { _ = try await journal.append(payload) }
                }
              }
              try await group.waitForAll()
            }
          }
          return Measurement.Sample(
            ours: together / Double(saverCount * each), yardstick: alone / Double(each))
        })
      try journal.closeAndWait()
      scratch.removeFiles()
    }
    return Measurement(
      work: "64 concurrent savers, \(byteCount) B", yardstick: "one saver", unit: "save",
      promise: .atLeast(12), samples: samples)
  }

  // MARK: Groups

  /// The number of bytes of a row in the reference format. The yardstick of bulk loads writes this
  /// number of bytes for each row.
  private static let referenceRowByteCount = 104.4

  private static func groups(
    _ settings: Settings, in scratch: Scratch, byteCount: Int
  ) throws -> [Measurement] {
    let rowCount = 1000
    let payloads = Array(repeating: somePayload(byteCount), count: rowCount)
    let joined = somePayload(byteCount * rowCount)
    let scale = Double(byteCount) / 100
    let reference = [UInt8](
      repeating: 7, count: Int(referenceRowByteCount * scale * Double(rowCount)))
    let count = settings.count(200)
    var separate: [Measurement.Sample] = []
    var single: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let journal = try FileJournal(at: scratch.path("groups"))
      let raw = try RawFile(at: scratch.path("raw"))
      separate.append(
        try interleaved(count) {
          _ = try journal.appendAndWait(together: payloads)
        } yardstick: {
          raw.append(reference)
        })
      single.append(
        try interleaved(count) {
          _ = try journal.appendAndWait(joined)
        } yardstick: {
          raw.append(reference)
        })
      try journal.closeAndWait()
      scratch.removeFiles()
    }
    let yardstick = "pwrite + fdatasync of reference frames, growing"
    return [
      Measurement(
        work: "group of 1,000 transactions, \(byteCount) B", yardstick: yardstick, unit: "group",
        promise: .none, samples: separate),
      Measurement(
        work: "transaction of 1,000 rows, \(byteCount) B", yardstick: yardstick,
        unit: "transaction", promise: .atLeast(0.6), samples: single),
    ]
  }

  // MARK: Replay

  private static func replay(
    _ settings: Settings, in scratch: Scratch, byteCount: Int
  ) throws -> [Measurement] {
    let count = settings.count(500_000)
    var options = JournalOptions()
    options.durability = .none
    let journal = try FileJournal(at: scratch.path("replay"), options: options)
    let payloads = Array(repeating: somePayload(byteCount), count: 1000)
    for _ in 0..<(count + 999) / 1000 { _ = try journal.appendAndWait(together: payloads) }
    try journal.syncAndWait()

    let total = Int(journal.head.sequence.rawValue)
    var frames: [Measurement.Sample] = []
    var values: [Measurement.Sample] = []
    // The first read of the file takes longer, because the system maps its pages. So it is not
    // measured.
    try hashFrames(of: journal, count: total, byteCount: byteCount)
    for _ in 0..<max(5, settings.repetitionCount) {
      let hashing =
        try timed { try hashFrames(of: journal, count: total, byteCount: byteCount) }
        / Double(total)
      let verifying = try timed { try readFrames(journal) } / Double(total)
      let reading = try timed { try readTransactions(journal) } / Double(total)
      frames.append(Measurement.Sample(ours: verifying, yardstick: hashing))
      values.append(Measurement.Sample(ours: reading, yardstick: hashing))
    }
    try journal.closeAndWait()
    scratch.removeFiles()
    return [
      Measurement(
        work: "verified replay, \(byteCount) B", yardstick: "XXH64 over the same frames",
        unit: "frame", promise: .atLeast(0.6), samples: frames),
      Measurement(
        work: "verified replay, a value for each, \(byteCount) B",
        yardstick: "XXH64 over the same frames", unit: "frame", promise: .none, samples: values),
    ]
  }

  private static func hashFrames(of journal: FileJournal, count: Int, byteCount: Int) throws {
    let size = Frame.byteCount(payload: byteCount)
    let view = try journal.file.view(
      at: JournalLayout.firstFrameOffset, atLeast: count * size)
    let sum = view.withSpan { bytes in
      (0..<count).reduce(0 as UInt64) { sum, index in
        let start = index * size
        return sum
          ^ XXH64.checksum(
            bytes.extracting(start..<start + size - Frame.checksumByteCount),
            seed: journal.header.salt)
      }
    }
    blackHole(sum)
  }

  private static func readFrames(_ journal: FileJournal) throws {
    var (reader, last, _) = journal.frames(from: 1)
    var byteCount = 0
    while try reader.advance() { byteCount += reader.header.payloadByteCount }
    precondition(reader.chain.sequence == last, "replay ended at \(reader.chain.sequence)")
    blackHole(UInt64(byteCount))
  }

  private static func readTransactions(_ journal: FileJournal) throws {
    var reader = try journal.transactions(from: 1)
    var byteCount = 0
    while let transaction = try reader.next() { byteCount += transaction.payload.count }
    blackHole(UInt64(byteCount))
  }

  private static func somePayload(_ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
  }
}
