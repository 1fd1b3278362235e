import Daybook
import DaybookEssentials
@_spi(Tools) import DaybookResults
@_spi(Tools) import DaybookStore

/// A maker of charts from the history of a list.
struct ChartMaker {
  let journal: OpenJournal
  let request: DynamicRequest
  /// The state at the end of the charts.
  let snapshot: StoreSnapshot

  /// Returns a chart of the ranks of the first rows of the list over time.
  func ranks(ofFirst count: Int) throws -> Chart {
    let ids = try journal.reading { try snapshot.fetch(request) }.identifiers.prefix(count)
    var ranks = RankCurves(Array(ids))
    var chart = try emptyChart("ranks of \(request.entity)")
    chart.quantity = .rank
    try forEachStep { ranks.apply($1, after: $0.sequence) }
    chart.curves = ranks.curves
    return chart
  }

  /// Returns a chart of the number of rows over time.
  func counts() throws -> Chart {
    var chart = try emptyChart("number of \(request.entity)")
    var curve = Curve("count")
    try forEachStep { curve.append(Double($1.after.count), after: $0.sequence) }
    chart.curves = [curve]
    return chart
  }

  /// Returns a chart of totals over time, with a curve for each total.
  func totals(_ argument: String) throws -> Chart {
    var request = request
    request.totals = try TotalArguments.measures(argument)
    var chart = try emptyChart("\(argument) of \(request.entity)")
    var curves = request.totals.map { Curve($0.name) }
    var hasDates = false
    var hasNumbers = false
    try forEachStep(of: request) { moment, difference in
      for index in curves.indices {
        let total = difference.after.totals[index]
        if case .value(.date) = total {
          hasDates = true
        } else if total.number != nil {
          hasNumbers = true
        }
        curves[index].append(total.number, after: moment.sequence)
      }
    }
    chart.curves = curves
    if hasDates, !hasNumbers { chart.quantity = .date }
    return chart
  }

  /// Returns a chart of the values of an attribute over time, with a curve for each row of the
  /// list.
  ///
  /// - Parameters:
  ///   - key: The attribute, as the user typed it.
  ///   - id: The identifier of the only record to draw; nil for all rows of the list.
  func values(of key: String, id: String?) throws -> Chart {
    let name = KeyText.name(key[...])
    let entity = try RecordArguments.entity(request.entity, in: snapshot)
    guard let index = entity.index(of: name) else {
      let nearest = NearestName.nearest(to: name, among: entity.attributes.map(\.name))
      throw ToolError(
        .usage,
        sentence: "\(entity.name) has no attribute '\(name)'"
          + (nearest.map { "; did you mean '\($0)'?" } ?? "."),
        correction: nearest.map {
          Correction(subject: .key, written: name, meant: "\(SortKey(path: [$0]))")
        })
    }
    let type = entity.attributes[index].type
    guard type.isCharted else {
      throw ToolError(
        .usage,
        sentence: "a chart needs numbers or dates; \(entity.name).\(name) is of type \(type.name).")
    }
    var log = JournalLog(journal)
    try log.narrow(toEntity: entity.name)
    try log.narrow(from: nil, to: "\(snapshot.sequence)")
    let ids: [RecordIdentifier] =
      try id.map { [try RecordArguments.identifier($0, of: entity)] }
      ?? journal.reading { try snapshot.fetch(request) }.identifiers
    let title = "\(name) of \(entity.name)" + (id.map { " \($0)" } ?? "")
    var chart = try emptyChart(title)
    if type == .scalar(.date) { chart.quantity = .date }
    chart.curves = ids.map { Curve(ValueText.text(of: $0)) }
    let curveIndexes = Dictionary(uniqueKeysWithValues: zip(ids, ids.indices))
    try log.forEach { transaction in
      for change in transaction.changes {
        guard let curveIndex = curveIndexes[change.id] else { continue }
        chart.curves[curveIndex].append(
          change.newValue(of: index)?.number, after: transaction.sequence.rawValue)
      }
    }
    if id != nil, chart.curves[0].points.isEmpty {
      throw ToolError(
        .problem, sentence: "no transaction of \(journal.name) gave \(title) a value.")
    }
    return chart
  }

  /// Returns the number of changed rows on each day.
  func calendar() throws -> ActivityCalendar {
    var calendar = ActivityCalendar("changes of \(request.entity), days in UTC")
    try forEachStep { moment, difference in
      calendar.add(
        difference.deleted.count + difference.inserted.count + difference.moved.count
          + difference.updated.count, at: moment.time)
    }
    return calendar
  }

  /// A transaction of the history.
  private typealias Moment = (sequence: UInt64, time: JournalTime)

  /// Calls a closure with the difference of each transaction.
  private func forEachStep(
    of changed: DynamicRequest? = nil, _ body: (Moment, RecordDifference) throws -> Void
  ) throws {
    let replay = try journal.reading {
      try journal.store.replay(changed ?? request, to: snapshot.sequence)
    }
    while let step = try journal.reading({ try replay.next() }) {
      guard let sequence = step.transaction.sequence, let time = step.transaction.time else {
        preconditionFailure("a transaction of a journal has no number")
      }
      try body((sequence.rawValue, time), step.difference)
      Progress.shared.show(
        "reading the history of \(journal.name)", done: sequence.rawValue,
        of: snapshot.sequence.rawValue, in: .things("transactions"))
    }
  }

  /// Returns a chart without curves, from the start of the history to the end of the chart.
  private func emptyChart(_ title: String) throws -> Chart {
    let first = max(journal.store.base, min(SequenceNumber(1), snapshot.sequence))
    let start = try journal.reading { try journal.store.snapshot(at: first) }
    return Chart(
      title: title, curves: [], first: (first, start.time),
      last: (snapshot.sequence, snapshot.time))
  }
}

extension AttributeType {
  /// A Boolean value that indicates whether values of the type can be drawn.
  fileprivate var isCharted: Bool {
    guard case .scalar(let type) = self else { return false }
    return switch type {
    case .string, .uuid, .data, .url: false
    default: true
    }
  }
}

extension AttributeValue {
  /// The number that a chart draws; nil if there is none. A date is a number of seconds.
  fileprivate var number: Double? {
    let number: Double? =
      switch self {
      case .bool(let value): value ? 1 : 0
      case .int(let value): Double(value)
      case .uint(let value): Double(value)
      case .float(let value): Double(value)
      case .double(let value): value
      case .decimal(let value): Double("\(value)")
      case .date(let value): value.timeIntervalSinceReferenceDate
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}

extension TotalValue {
  /// The number that a chart draws; nil if there is none.
  fileprivate var number: Double? {
    if let integer { return Double(integer) }
    return attributeValue.number
  }
}
