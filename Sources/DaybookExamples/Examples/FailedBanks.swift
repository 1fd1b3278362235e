import Daybook
import DaybookTesting
import FoundationEssentials

// A list of failed banks in sections by state. In each section, the bank with the latest closing
// date is first. This date is an attribute of a second record, the details of the bank. The
// controller computes the order of all banks without creating records. When the user scrolls, it
// reads the records in batches of twenty. A cache beside the journal contains the order for the
// next launch.

/// A bank.
struct FailedBankInfo: Record {
  var id = 0
  var name = ""
  var city = ""
  var state = ""
  var details: Reference<FailedBankDetails>?

  static let schema = RecordSchema<FailedBankInfo>("FailedBankInfo")
    .attribute("name", at: \.name)
    .attribute("city", at: \.city)
    .attribute("state", at: \.state)
    .owned("details", at: \.details, inverse: "info")
}

/// The details of a bank, which are a record of their own.
struct FailedBankDetails: Record {
  var id = 0
  var zip = ""
  var closeDate = Date(timeIntervalSince1970: 0)
  var updateDate = Date(timeIntervalSince1970: 0)

  static let schema = RecordSchema<FailedBankDetails>("FailedBankDetails")
    .attribute("zip", at: \.zip)
    .attribute("closeDate", at: \.closeDate)
    .attribute("updateDate", at: \.updateDate)
}

/// The view controller of an app that shows the banks.
final class FailedBankList {
  /// The table, with a screen of ten rows.
  let tableView = TableView(height: 10)
  let controller: FetchedResultsController<FailedBankInfo>
  private let stage: Stage
  /// The statistics at the last call of `logFetches()`.
  private var logged = FetchStatistics()

  init(_ context: EditingContext, on stage: Stage) {
    controller = FetchedResultsController(
      fetchRequest: ListRequest<FailedBankInfo>(
        sortedBy: [.descending(\FailedBankInfo.details, at: \.closeDate)],
        sectionedBy: .by(\FailedBankInfo.state), batchSize: 20),
      context: context, cacheName: "FailedBanks")
    self.stage = stage
  }

  func viewDidLoad() throws {
    controller.delegate = self
    try controller.performFetch()
    if let origin = controller.cacheStatistics?.origin { stage.log("cache: \(origin)") }
    logFetches()
    tableView.dataSource = self
    logFetches()
  }

  func scrollToEnd() {
    let count = controller.fetchedObjects?.count ?? 0
    for _ in stride(from: 10, to: count, by: 10) {
      tableView.scroll(by: 10)
      logFetches()
    }
    stage.log("\(logged.batchRecordCount) rows in \(logged.batchCount) fetches")
  }

  /// Prints the fetches after the last call of this method, like the log of a database.
  private func logFetches() {
    let fetches = controller.context.store.statistics.fetches
    let new = fetches.since(logged)
    logged = fetches
    if new.fetchCount > 0 {
      stage.log(
        "fetch of sorted identifiers: \(new.foundRowCount) rows", took: new.fetchDuration)
    }
    if new.batchCount > 0 {
      stage.log("fetch: \(new.batchRecordCount) rows", took: new.batchDuration)
    }
  }
}

// MARK: - Table view data source

extension FailedBankList: TableViewDataSource {
  func numberOfSections(in tableView: TableView) -> Int { controller.sections?.count ?? 0 }

  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int {
    controller.sections?[section].numberOfObjects ?? 0
  }

  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
    let cell = TableViewCell("")
    configureCell(cell, at: indexPath)
    return cell
  }

  func configureCell(_ cell: TableViewCell, at indexPath: IndexPath) {
    let info = controller.object(at: indexPath)
    let closeDate = try? controller.context.object(info.details)?.closeDate
    let day = closeDate?.formatted(.iso8601.year().month().day()) ?? "unknown"
    cell.text = "\(day) \(info.name), \(info.city), \(info.state)"
  }

  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) -> String? {
    controller.sections?[section].name
  }
}

// MARK: - Fetched results controller delegate

extension FailedBankList: FetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ controller: FetchedResultsController<FailedBankInfo>) {
    stage.log("willChange")
    tableView.beginUpdates()
  }

  func controller(
    _ controller: FetchedResultsController<FailedBankInfo>,
    didChange section: FetchedResultsSectionInfo<FailedBankInfo>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    stage.log("section \(type) \(index) \(section.name)")
    switch type {
    case .insert: tableView.insertSections([index])
    case .delete: tableView.deleteSections([index])
    default: break
    }
  }

  func controller(
    _ controller: FetchedResultsController<FailedBankInfo>, didChange info: FailedBankInfo,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    stage.log(type, of: info.name, at: indexPath, newIndexPath: newIndexPath)
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, let newIndexPath?):
      tableView.insertRows(at: [newIndexPath])
    case (.delete, let indexPath?, _):
      tableView.deleteRows(at: [indexPath])
    case (.update, let indexPath?, let newIndexPath?):
      if let cell = tableView.cellForRow(at: indexPath) {
        configureCell(cell, at: newIndexPath)
      }
    case (.move, let indexPath?, let newIndexPath?):
      tableView.deleteRows(at: [indexPath])
      tableView.insertRows(at: [newIndexPath])
    default: break
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<FailedBankInfo>) {
    stage.log("didChange")
    do { try tableView.endUpdates() } catch { preconditionFailure("\(error)") }
  }
}

// MARK: - The story

extension Example {
  static let failedBanks = Example(
    "failed-banks",
    summary: "234 banks, sorted by a date of another record, cached"
  ) { stage in
    stage.heading("Failed banks by state, the latest first")
    stage.act("import \(FailedBankData.count) banks")
    try importBanks(FailedBankData.banks(), on: stage)

    stage.act("launch")
    try launch(on: stage) { list, context in
      stage.act("scroll to the end, one screen at a time")
      list.scrollToEnd()
      stage.show(list.tableView)
      try changeBanks(of: list, in: context, on: stage)
    }

    stage.act("quit, and launch again")
    try launch(on: stage) { _, _ in }

    stage.act("quit; a program without this list imports another bank")
    let details = FailedBankDetails(
      id: 235, zip: "99501", closeDate: FailedBankData.date(1500),
      updateDate: FailedBankData.date(1501))
    let info = FailedBankInfo(
      id: 235, name: "Last Bank of Spruceditch", city: "Spruceditch", state: "AK",
      details: Reference(details))
    try importBanks([(info, details)], on: stage)

    stage.act("launch again")
    try launch(on: stage) { _, _ in }
  }

  private static func openStore(_ stage: Stage) throws -> Store {
    try Store(
      at: stage.path("failed-banks.daybook"), records: FailedBankInfo.self,
      FailedBankDetails.self, options: stage.options)
  }

  private static func importBanks(
    _ banks: [(info: FailedBankInfo, details: FailedBankDetails)], on stage: Stage
  ) throws {
    let store = try openStore(stage)
    let context = store.makeContext()
    for (info, details) in banks {
      try context.insert(info)
      try context.insert(details)
    }
    try context.saveAndWait()
    try store.closeAndWait()
  }

  /// Simulates one launch of the app: opens the store, shows the list, calls a closure with the
  /// list and its context, and closes the store.
  private static func launch(
    on stage: Stage, use: (FailedBankList, EditingContext) throws -> Void
  ) throws {
    let store = try openStore(stage)
    let context = store.makeContext()
    let list = FailedBankList(context, on: stage)
    try list.viewDidLoad()
    stage.show(list.tableView)
    try use(list, context)
    try store.closeAndWait()
  }

  /// Changes banks and their details, so that rows of the list move, change or are deleted.
  private static func changeBanks(
    of list: FailedBankList, in context: EditingContext, on stage: Stage
  ) throws {
    var first: FailedBankInfo { list.controller.object(at: IndexPath(row: 0, section: 0)) }

    stage.act("correct the closing date of the first bank: it closed before all others")
    if let details = first.details {
      try context.update(FailedBankDetails.self, id: details.id) {
        $0.closeDate = FailedBankData.date(0)
      }
    }
    try context.saveAndWait()

    stage.act("correct the state of the bank that is now first to Puerto Rico")
    try context.update(FailedBankInfo.self, id: first.id) { $0.state = "PR" }
    try context.saveAndWait()

    stage.act("delete the first bank, and its details with it")
    try context.delete(first)
    try context.saveAndWait()
    stage.log("\(try context.store.snapshot.count(of: FailedBankDetails.self)) details are left")
  }
}
