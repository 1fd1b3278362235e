import Daybook
import DaybookEssentials
import DaybookJournal
@_spi(Tools) import DaybookResults
@_spi(Tools) import DaybookStore

/// A list over a range of transactions, as the data of a report: the first picture, the difference
/// of each transaction that changed the list, and further pictures between them.
///
/// A picture is the whole list after a step: the numbers of the row versions, section by section.
/// With a picture, the script of the page shows a moment without applying all differences before
/// it. A difference contains the versions before and after, so the script can apply it in both
/// directions.
///
/// The data is one JSON object with these keys:
///
/// | key | value |
/// | --- | --- |
/// | `first` | the transaction of the first picture |
/// | `versions` | the row versions of the first picture: `[row, cells, origins]` |
/// | `pictures` | the pictures, each with `at`, the number of steps before it |
/// | `steps` | the steps, see ``RecordedStep`` |
/// | `ids` | the identifiers of the rows, by row number |
/// | `earlier` | the time and metadata of transactions that set values and are not steps |
/// | `tags` | the names of moments: `[name, transaction]`, the earliest moment first |
struct ListRecording {
  /// The size limits of a report. If a report exceeds them, its oldest steps are left out.
  struct Limits {
    var stepCountMax = 20_000
    /// The maximum size of the data in bytes. The lists that a page shows without scripts need the
    /// rest of about 25 MB; see ``ReportPage``.
    var byteCountMax = 22 << 20
  }

  let columns: ListColumns
  let isSectioned: Bool
  /// A Boolean value that indicates whether the request has a limit or an offset.
  let isWindowed: Bool
  let measures: [String]
  /// The number of steps that were left out before the first one.
  private(set) var omittedCount = 0
  /// The transaction of the first picture.
  private(set) var firstSequence: SequenceNumber
  /// The list of the first picture.
  let firstObjects: ListObjects
  /// The list after the last step.
  private(set) var lastObjects: ListObjects
  private(set) var summary: ReportSummary
  private(set) var rows = RecordedRows()
  private var steps: [[UInt8]] = []
  private var pictures: [[UInt8]] = []
  private var firstVersions: [UInt8] = []
  /// The transactions and sizes of all steps, also of the steps that were not kept.
  private var sizes: [(sequence: SequenceNumber, byteCount: Int)] = []
  private var byteCount = 0
  private var byteCountSincePicture = 0
  private var stepCountSincePicture = 0

  /// The smallest number of steps between two pictures.
  private static let pictureDistanceMin = 64

  private init(
    _ replay: ListReplay<DynamicRecord>, columns: ListColumns, of request: DynamicRequest,
    after first: SequenceNumber
  ) {
    self.columns = columns
    isSectioned = request.sectioning != nil
    isWindowed = request.limit != nil || request.offset > 0
    measures = request.totals.map(\.name)
    firstSequence = first
    firstObjects = replay.objects
    lastObjects = replay.objects
    summary = ReportSummary(replay.objects, measures: measures)
  }

  /// Records a list.
  ///
  /// If the recording exceeds a limit, the list is recorded again from a later transaction.
  static func recorded(
    _ request: DynamicRequest, columns: ListColumns, in journal: OpenJournal,
    range: (first: SequenceNumber?, last: SequenceNumber?), limits: Limits = Limits()
  ) throws -> ListRecording {
    var request = request
    request.contentPaths = columns.paths
    var (first, omittedCount) = (range.first, 0)
    var limits = limits
    while true {
      let replay = try journal.reading {
        try journal.store.replay(request, from: first, to: range.last)
      }
      let start = first.map { SequenceNumber($0.rawValue - min(1, $0.rawValue)) } ?? .zero
      var recording = ListRecording(replay, columns: columns, of: request, after: start)
      try journal.reading { try recording.record(replay, in: journal, limits: limits) }
      recording.omittedCount = omittedCount
      guard let firstStep = recording.firstStepWithin(limits) else { return recording }
      omittedCount += firstStep
      first = recording.sizes[firstStep].sequence
      // The size of the new first picture is only estimated, so each attempt allows less.
      limits.byteCountMax -= limits.byteCountMax / 16
    }
  }

  private mutating func record(
    _ replay: ListReplay<DynamicRecord>, in journal: OpenJournal, limits: Limits
  ) throws {
    var origins = try ValueOrigins(columns, in: journal.store)
    try origins.advance(through: firstSequence)
    try recordFirstPicture(origins)
    let last = journal.store.snapshot.sequence.rawValue
    while let step = try replay.next() {
      guard let sequence = step.transaction.sequence else {
        preconditionFailure("a transaction of a journal has no number")
      }
      Progress.shared.show(
        "recording \(columns.entity.name)", done: sequence.rawValue, of: last,
        in: .things("transactions"))
      lastObjects = step.difference.after
      if sizes.count > limits.stepCountMax {
        // A later attempt records the newest steps, so this attempt only counts the steps.
        sizes.append((sequence, 0))
        continue
      }
      try origins.advance(through: sequence)
      let recorded = RecordedStep(step, columns: columns, hasTotals: !measures.isEmpty)
      let bytes = ReportText.inScript(
        try recorded.json(addingVersionsTo: &rows, origins: origins))
      summary.add(step)
      sizes.append((sequence, bytes.count))
      byteCount += bytes.count
      byteCountSincePicture += bytes.count
      stepCountSincePicture += 1
      // A recording with one step is kept, even if it exceeds the limit.
      if byteCount <= limits.byteCountMax || sizes.count == 1 { steps.append(bytes) }
      addPictureIfFar()
    }
  }

  private mutating func recordFirstPicture(_ origins: ValueOrigins) throws {
    var writer = JSONWriter()
    writer.beginArray()
    for start in stride(from: 0, to: firstObjects.count, by: 64) {
      let piece = start..<min(start + 64, firstObjects.count)
      for row in try columns.rows(of: firstObjects, in: piece) {
        _ = rows.insert(row, origins: origins.sequences(of: row.id), sequence: 0, to: &writer)
      }
    }
    writer.endArray()
    firstVersions = ReportText.inScript(writer.bytes)
    byteCount = firstVersions.count
    addPicture()
  }

  /// Adds a picture if there are many steps after the last one, and if they have more bytes than
  /// the estimated size of the picture. So the added pictures together are about as large as the
  /// steps at most.
  private mutating func addPictureIfFar() {
    let count = lastObjects.count
    guard stepCountSincePicture >= ListRecording.pictureDistanceMin,
      byteCountSincePicture > 7 * count + 32 * (isSectioned ? lastObjects.sections.count : 0)
    else { return }
    addPicture()
  }

  private mutating func addPicture() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("at")
    writer.write(sizes.count)
    writer.key("sections")
    writer.beginArray()
    for section in lastObjects.sections {
      writer.beginArray()
      writer.write(DisplayWidth.shown(section.name))
      writer.beginArray()
      for id in section.objects.identifiers { writer.write(rows.version(of: id)) }
      writer.endArray()
      if !measures.isEmpty { writer.write(cells: section.totals) }
      writer.endArray()
    }
    writer.endArray()
    if !measures.isEmpty {
      writer.key("totals")
      writer.write(cells: lastObjects.totals)
      if isWindowed {
        writer.key("allTotals")
        writer.write(cells: lastObjects.allTotals)
      }
    }
    writer.endObject()
    let picture = ReportText.inScript(writer.bytes)
    pictures.append(picture)
    byteCount += picture.count
    (byteCountSincePicture, stepCountSincePicture) = (0, 0)
  }

  /// Returns the index of the first step to keep, so that the recording is within the limits; nil
  /// if it already is. At least one step is kept.
  private func firstStepWithin(_ limits: Limits) -> Int? {
    // A transaction that set a value and is not a step needs about 80 bytes.
    let byteCount = byteCount + 80 * rows.earlierOrigins.count
    guard sizes.count > 1, sizes.count > limits.stepCountMax || byteCount > limits.byteCountMax
    else { return nil }
    // The new first picture contains all its cells. Each step counts twice, because the later
    // pictures can be as large as the steps.
    let pictureByteCount = rows.byteCount
    var (first, sum) = (sizes.count - 1, pictureByteCount + 2 * sizes[sizes.count - 1].byteCount)
    while first > 0, sizes.count - first < limits.stepCountMax {
      sum += 2 * sizes[first - 1].byteCount
      if sum > limits.byteCountMax { break }
      first -= 1
    }
    return max(1, first)
  }

  /// The numbers of the transactions that set values of the rows and are not steps.
  var otherOrigins: Set<UInt64> {
    rows.earlierOrigins.subtracting(sizes.map(\.sequence.rawValue))
  }

  // MARK: The data

  /// Writes the data as one JSON object that is safe inside a script element.
  func writeData(
    _ heading: ReportHeading, notes: ReportNotes, to output: ([UInt8]) throws -> Void
  ) throws {
    var writer = JSONWriter()
    writer.beginObject()
    heading.write(to: &writer)
    writer.key("columns")
    writer.beginArray()
    for (index, name) in columns.names.enumerated() {
      writer.beginArray()
      writer.write(DisplayWidth.shown(name))
      writer.write(ValueText.alignsRight(columns.type(at: index)))
      writer.endArray()
    }
    writer.endArray()
    writer.key("alignsIDsRight")
    let kind = columns.entity.identifierKind
    writer.write(kind == .int || kind == .uint)
    writer.key("isSectioned")
    writer.write(isSectioned)
    writer.key("measures")
    writer.beginArray()
    for measure in measures { writer.write(DisplayWidth.shown(measure)) }
    writer.endArray()
    writer.key("first")
    writer.write(firstSequence.rawValue)
    writer.key("ids")
    writer.beginArray()
    for name in rows.names { writer.write(name) }
    writer.endArray()
    notes.write(to: &writer)
    writer.key("versions")
    writer.write(text: firstVersions.span.bytes)
    for (key, elements) in [("pictures", pictures), ("steps", steps)] {
      writer.key(key)
      writer.beginArray()
      for element in elements {
        try output(ReportText.inScript(writer.takePiece()))
        // These elements are escaped already.
        writer.write(text: element.span.bytes)
        try output(writer.takePiece())
      }
      writer.endArray()
    }
    writer.endObject()
    try output(ReportText.inScript(writer.takePiece()))
  }
}
