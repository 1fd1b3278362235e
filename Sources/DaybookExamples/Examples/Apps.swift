import Daybook
import FoundationEssentials

// An app store client downloads a source, lists its apps and installs one of them. Its model has
// eleven types of records. A reference is stored in one record only. Its inverse is computed, so
// the two directions cannot disagree.

/// A server that offers apps.
struct Source: Record, Decodable {
  var id = ""
  var name = ""
  /// The apps that the source recommends, in its order.
  var featuredApps: [Reference<StoreApp>] = []
  // A schema does not have to save all properties. Only a download has these values.
  var featuredIDs: [String] = []
  var apps: [StoreApp] = []
  enum CodingKeys: String, CodingKey { case id = "identifier", name, featuredIDs, apps }

  static let schema = RecordSchema<Source>("Source").attribute("name", at: \.name)
    .references(
      "featuredApps", at: \.featuredApps, inverse: "featuredBy", whenTargetDeleted: .nullify
    )
    .unsaved(\.featuredIDs, \.apps)
}

/// An app. Two sources can offer one bundle identifier, but one source offers it only once.
struct StoreApp: Record, Decodable {
  var id = UUID()
  var bundleID = ""
  var name = ""
  var source: Reference<Source>?
  var versions: [AppVersion] = []
  var permissions: [AppPermission]?
  enum CodingKeys: String, CodingKey { case bundleID, name, versions, permissions }

  static let schema = RecordSchema<StoreApp>("StoreApp")
    .attribute("bundleID", at: \.bundleID).attribute("name", at: \.name)
    .reference("source", at: \.source, required: true, inverse: "apps", whenTargetDeleted: .cascade)
    .unique(\.source, \.bundleID)
    .unsaved(\.versions, \.permissions)
}

struct AppVersion: Record, Decodable {
  var id = UUID()
  var version = ""
  var app: Reference<StoreApp>?
  enum CodingKeys: String, CodingKey { case version }

  static let schema = RecordSchema<AppVersion>("AppVersion").attribute("version", at: \.version)
    .reference("app", at: \.app, required: true, inverse: "versions", whenTargetDeleted: .cascade)
    .unique(\.app, \.version)
}

struct AppPermission: Record, Decodable {
  var id = UUID()
  var type = ""
  var app: Reference<StoreApp>?
  enum CodingKeys: String, CodingKey { case type }

  static let schema = RecordSchema<AppPermission>("AppPermission").attribute("type", at: \.type)
    .reference(
      "app", at: \.app, required: true, inverse: "permissions", whenTargetDeleted: .cascade
    )
    .unique(\.app, \.type)
}

struct NewsItem: Record {
  var id = ""
  var title = ""
  var source: Reference<Source>?
  var app: Reference<StoreApp>?

  static let schema = RecordSchema<NewsItem>("NewsItem").attribute("title", at: \.title)
    .reference("source", at: \.source, required: true, inverse: "news", whenTargetDeleted: .cascade)
    .reference("app", at: \.app, inverse: "news", whenTargetDeleted: .nullify)
}

struct Account: Record {
  var id = ""

  static let schema = RecordSchema<Account>("Account")
}

struct Team: Record {
  var id = ""
  var account: Reference<Account>?

  static let schema = RecordSchema<Team>("Team")
    .reference(
      "account", at: \.account, required: true, inverse: "teams", whenTargetDeleted: .cascade)
}

/// An app on the device. It stays if its source is deleted. While it exists, its team cannot be
/// deleted. As `storeApp` is unique, its inverse `installed` is a single record.
struct InstalledApp: Record {
  var id = ""
  var version = ""
  var storeApp: Reference<StoreApp>?
  var team: Reference<Team>?

  static let schema = RecordSchema<InstalledApp>("InstalledApp").attribute("version", at: \.version)
    .reference("storeApp", at: \.storeApp, inverse: "installed", whenTargetDeleted: .nullify)
    .reference(
      "team", at: \.team, required: true, inverse: "installedApps", whenTargetDeleted: .deny
    )
    .unique(\.storeApp)
}

struct InstalledExtension: Record {
  var id = ""
  var app: Reference<InstalledApp>?

  static let schema = RecordSchema<InstalledExtension>("InstalledExtension")
    .reference("app", at: \.app, required: true, inverse: "extensions", whenTargetDeleted: .cascade)
}

/// An attempt to sign several installed apps again.
struct RefreshAttempt: Record {
  var id = UUID()
  var apps: [Reference<InstalledApp>] = []

  static let schema = RecordSchema<RefreshAttempt>("RefreshAttempt")
    .references("apps", at: \.apps, inverse: "attempts", whenTargetDeleted: .nullify)
}

/// An error, which stays in the log if its app is deleted.
struct LoggedError: Record {
  var id = UUID()
  var message = ""
  var app: Reference<InstalledApp>?

  static let schema = RecordSchema<LoggedError>("LoggedError").attribute("message", at: \.message)
    .reference("app", at: \.app, inverse: "errors", whenTargetDeleted: .nullify)
}

private let firstDownload = """
  {"identifier": "org.example", "name": "Example", "featuredIDs": ["delta", "clip"], "apps": [
    {"bundleID": "clip", "name": "Clip", "versions": [{"version": "1.0"}, {"version": "1.1"}]},
    {"bundleID": "delta", "name": "Delta, an emulator", "permissions": [{"type": "camera"}],
     "versions": [{"version": "1.5"}]},
    {"bundleID": "quill", "name": "Quill", "versions": [{"version": "3.0"}]}]}
  """

private let secondDownload = """
  {"identifier": "org.example", "name": "Example", "featuredIDs": ["sketch", "delta"], "apps": [
    {"bundleID": "clip", "name": "Clip", "versions": [{"version": "1.0"}, {"version": "1.1"}]},
    {"bundleID": "delta", "name": "Delta, an emulator", "permissions": [{"type": "camera"}],
     "versions": [{"version": "1.5"}, {"version": "1.6"}, {"version": "1.7"}]},
    {"bundleID": "sketch", "name": "Sketch", "versions": [{"version": "0.9"}]}]}
  """

extension EditingContext {
  /// Deletes the apps that a downloaded source no longer offers, updates the records that exist,
  /// and inserts the others.
  func importSource(_ download: String) throws {
    var source = try JSONDecoder().decode(Source.self, from: Data(download.utf8))
    let isOffered = Filter.at(\StoreApp.bundleID).isOne(of: source.apps.map(\.bundleID))
    try delete(StoreApp.self, where: \StoreApp.source == Reference(source) && !isOffered)
    var references: [String: Reference<StoreApp>] = [:]
    for var app in source.apps {
      app.source = Reference(source)
      // The unique values find an app that exists. It keeps its identifier.
      app.id = try upsert(app, by: \.source, \.bundleID)
      references[app.bundleID] = Reference(app)
      for var version in app.versions {
        version.app = Reference(app)
        try upsert(version, by: \.app, \.version)
      }
      for var permission in app.permissions ?? [] {
        permission.app = Reference(app)
        try upsert(permission, by: \.app, \.type)
      }
    }
    source.featuredApps = source.featuredIDs.compactMap { references[$0] }
    try upsert(source)
  }
}

extension Example {
  static let apps = Example(
    "apps", summary: "an app store: eleven record types, delete rules, upsert, undo",
    repeatsJournal: false
  ) { stage in
    stage.heading("The model of an app store")
    let store = try Store(
      at: stage.path("apps.daybook"), records: Source.self, StoreApp.self, AppVersion.self,
      AppPermission.self, NewsItem.self, Account.self, Team.self, InstalledApp.self,
      InstalledExtension.self, RefreshAttempt.self, LoggedError.self, options: stage.options)
    let context = store.makeContext()
    context.undoLimit = 10
    // The filter and the sort key read computed inverses. The app with most versions is first.
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<StoreApp>(
        filter: Filter.object(\InstalledApp.storeApp) == nil,
        sortedBy: [.descending(Filter.objects(\AppVersion.app).count), .ascending(\.name)]),
      context: context)
    let printer = ListPrinter<StoreApp>(on: stage) { $0.name }
    controller.delegate = printer
    try controller.performFetch()
    func save() async throws {
      do { try await context.save() } catch {
        stage.log("\(error)")
        try context.rollback()
      }
    }
    func logCounts() throws {
      let versions = try context.count(of: AppVersion.self)
      stage.log("\(try context.count(of: StoreApp.self)) apps, \(versions) versions")
    }

    stage.act("download a source")
    try context.importSource(firstDownload)
    try await save()
    try logCounts()

    stage.act("download it again: Delta has two new versions, Sketch is new, and Quill is gone")
    try context.importSource(secondDownload)
    try await save()
    try logCounts()

    stage.act("find an app by the start of a word, and install it")
    let found = try context.fetch(StoreApp.self, where: .matches(\StoreApp.name, words: "emu"))
    let delta = found[0]
    let installed = InstalledApp(
      id: "delta", version: "1.7", storeApp: Reference(delta), team: Reference("T1"))
    try context.insert(Account(id: "ada@example.org"))
    try context.insert(Team(id: "T1", account: Reference("ada@example.org")))
    try context.insert(installed)
    try context.insert(InstalledExtension(id: "delta.widget", app: Reference(installed)))
    try context.insert(RefreshAttempt(apps: [Reference(installed)]))
    try await save()

    stage.act("read references from both ends")
    stage.log("featured by: \(try context.objects(\Source.featuredApps, of: delta).map(\.name))")
    stage.log("versions: \(try context.objects(\AppVersion.app, of: delta).map(\.version))")
    stage.log("installed: \(try context.object(\InstalledApp.storeApp, of: delta)?.version ?? "")")

    stage.act("install the app a second time")
    try context.insert(
      InstalledApp(id: "delta.copy", storeApp: Reference(delta), team: Reference("T1")))
    try await save()

    stage.act("delete the team that signed the app")
    try context.delete(Team.self, id: "T1")
    try await save()

    stage.act("delete the source: its apps are deleted, and the installed app stays")
    try context.delete(Source.self, id: "org.example")
    try logCounts()
    let apps = try context.fetch(InstalledApp.self)
    stage.log("installed: \(apps.map(\.id)), with \(apps.compactMap(\.storeApp).count) references")

    stage.act("undo")
    try context.undo()
    try logCounts()
    try await store.close()
  }
}
