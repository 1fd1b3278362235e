import Daybook
import DaybookResults
import DaybookStore
import DaybookEssentials

/// A record with the attributes of ``Row`` that the live list uses, and with a random UUID as its
/// identifier.
struct UniversalRow: Record {
  var id = UUID()
  var state = ""
  var amount = 0
  var createdAt = Date(timeIntervalSince1970: 0)

  static let schema = RecordSchema<UniversalRow>("UniversalRow")
    .attribute("state", at: \.state)
    .attribute("amount", at: \.amount)
    .attribute("createdAt", at: \.createdAt)

  /// - Parameter stream: The stream of random numbers for the identifier.
  init(_ row: Row, randomizedBy stream: inout UInt64) {
    id = UUID(from: &stream)
    (state, amount, createdAt) = (row.state, row.amount, row.createdAt)
  }

  init() {}
}

extension ListWorkload {
  // MARK: Identifiers

  /// Measures reads of all identifiers of the live list in order, if the identifiers are UUIDs.
  static func universalIdentifiers(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator, rowCount: Int
  ) throws -> [Measurement] {
    let store = try StoreWorkload.open(
      scratch.path("universal"), records: UniversalRow.self, durability: .none)
    var stream: UInt64 = 0x5EED
    for first in stride(from: 1, through: rowCount, by: 10_000) {
      let rows = generator.rows(from: first, count: min(10_000, rowCount - first + 1))
      try store.insertAndWait(contentsOf: rows.map { UniversalRow($0, randomizedBy: &stream) })
    }
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<UniversalRow>(
        filter: \UniversalRow.amount >= 500_000,
        sortedBy: [
          .ascending(\UniversalRow.state), .descending(\UniversalRow.createdAt),
          .ascending(\UniversalRow.id),
        ],
        sectionedBy: .by(\UniversalRow.state)),
      context: store.makeContext())
    try controller.performFetch()
    let gathering = BareGathering(controller.fetchedObjects?.count ?? 0, of: rowCount)
    var samples: [Measurement.Sample] = []
    var first: [Measurement.Sample] = []
    var floor: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      let times = identifiersTimes(controller)
      samples.append(Measurement.Sample(ours: times.usual, yardstick: sorting))
      first.append(Measurement.Sample(ours: times.first, yardstick: 0))
      let bare = median((0..<5).map { _ in timed { gathering.step() } })
      floor.append(Measurement.Sample(ours: times.usual, yardstick: bare))
    }
    try store.closeAndWait()
    scratch.removeFiles()
    return [
      Measurement(
        work: "all identifiers in order, and counts, UUIDs, \(rowCount) rows",
        yardstick: "sort of a million numbers", unit: "list",
        promise: .within(10_000_000).ofAMillion(rowCount), samples: samples),
      shown(
        "all identifiers, UUIDs, the first time", rowCount: rowCount, unit: "list", samples: first),
      shown(
        "all identifiers in order, UUIDs", rowCount: rowCount, unit: "list", samples: floor,
        yardstick: "as many from a bare array"),
    ]
  }
}

/// The yardstick for reading UUIDs in list order: a loop that copies the same number of UUIDs from
/// random indexes of an array. Reading the identifiers of a list cannot be faster than this loop.
private struct BareGathering {
  private let all: [UUID]
  private let indexes: [UInt32]

  init(_ count: Int, of allCount: Int) {
    var stream: UInt64 = 0x5EED
    all = (0..<allCount).map { _ in UUID(from: &stream) }
    indexes = (0..<count).map { _ in UInt32(RowGenerator.next(&stream) % UInt64(allCount)) }
  }

  func step() {
    let gathered = [UUID](unsafeUninitializedCapacity: indexes.count) { room, filled in
      for index in indexes {
        room.initializeElement(at: filled, to: all[Int(index)])
        filled += 1
      }
    }
    precondition(gathered.count == indexes.count, "\(gathered.count) of \(indexes.count)")
  }
}

extension UUID {
  /// Creates a UUID from two random numbers of a stream.
  fileprivate init(from stream: inout UInt64) {
    let words = (RowGenerator.next(&stream), RowGenerator.next(&stream))
    self = withUnsafeBytes(of: words) { UUID(uuid: $0.load(as: uuid_t.self)) }
  }
}
