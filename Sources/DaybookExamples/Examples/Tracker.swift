import Daybook
import FoundationEssentials

// The core of an issue tracker's server. Requests run in tasks, at the same time. The output does
// not depend on their order.

struct Organization: Record, Codable {
  var id = ""
  var name = ""

  static let schema = RecordSchema<Organization>("Organization").attribute("name", at: \.name)
}

struct Project: Record, Codable {
  /// The key of the project: the start of the identifiers of its issues.
  var id = ""
  var name = ""
  /// The number of issues that were created in the project.
  var issueCount = 0
  var organization: Reference<Organization>?

  static let schema = RecordSchema<Project>("Project")
    .attribute("name", at: \.name).attribute("issueCount", at: \.issueCount)
    .reference(
      "organization", at: \.organization, required: true, inverse: "projects",
      whenTargetDeleted: .cascade)
}

struct Issue: Record, Codable {
  /// The key of the project and the number, as in `API-7`.
  var id = ""
  var number = 0
  var title = ""
  var votes = 0
  var project: Reference<Project>?

  // Two issues of a project never have the same number. The index serves pages of a project.
  static let schema = RecordSchema<Issue>("Issue")
    .attribute("number", at: \.number).attribute("title", at: \.title)
    .attribute("votes", at: \.votes)
    .reference(
      "project", at: \.project, required: true, inverse: "issues", whenTargetDeleted: .cascade
    )
    .unique(\.project, \.number).indexed(\.project, \.number)
}

struct Comment: Record, Codable {
  var id = UUID()
  var author = ""
  var text = ""
  var issue: Reference<Issue>?

  static let schema = RecordSchema<Comment>("Comment")
    .attribute("author", at: \.author).attribute("text", at: \.text)
    .reference(
      "issue", at: \.issue, required: true, inverse: "comments", whenTargetDeleted: .cascade)

  /// The identifier of a comment is not a part of answers.
  enum CodingKeys: String, CodingKey { case author, text, issue }
}

/// The operations of the server.
struct Tracker: Sendable {
  let store: Store

  /// Creates the next issue of a project from a list of titles. Returns false if all issues exist.
  ///
  /// The store runs the bodies of writes one after another, so no two of them get the same number.
  func createNextIssue(of project: Project.ID, titled titles: [String]) async throws -> Bool {
    try await store.write { context in
      guard let count = try context.object(Project.self, id: project)?.issueCount,
        count < titles.count
      else { return false }
      try context.update(Project.self, id: project) { $0.issueCount += 1 }
      try context.insert(
        Issue(
          id: "\(project)-\(count + 1)", number: count + 1, title: titles[count],
          project: Reference(project)))
      return true
    }
  }

  /// Adds a vote and a comment, in a context that does not wait for other writers.
  ///
  /// If another writer has changed the votes in the meantime, the save throws `conflict`, and the
  /// change is made again on the newest state.
  func vote(_ author: String, for issue: Issue.ID) async throws {
    let context = store.makeContext()
    while true {
      try context.update(Issue.self, id: issue) { $0.votes += 1 }
      try context.insert(Comment(author: author, text: "+1", issue: Reference(issue)))
      do {
        try await context.save()
        return
      } catch {
        guard case .conflict = error.reason else { throw error }
        try context.rollback()
        try context.mergeChanges()
      }
    }
  }

  /// The answer to a request for a page of issues.
  struct Page: Encodable {
    let issues: FetchedObjects<Issue>
    /// The end of the page. The client sends it to get the next page.
    let next: ListPosition?
  }

  /// The part of an answer that a client needs to get the next page.
  struct Link: Decodable { let next: ListPosition? }

  /// Returns the page of two issues after a position, the issue with the highest number first.
  func page(of project: Project.ID, after position: ListPosition? = nil) throws -> Page {
    let request = ListRequest<Issue>(
      filter: \Issue.project == Reference(project), sortedBy: [.descending(\.number)], limit: 2)
    let issues = try store.fetch(request.after(position))
    return Page(issues: issues, next: issues.endPosition)
  }

  /// Returns the first two comments on an issue, by author.
  func comments(on issue: Issue.ID) throws -> FetchedObjects<Comment> {
    try store.fetch(
      ListRequest(
        filter: \Comment.issue == Reference(issue), sortedBy: [.ascending(\.author)], limit: 2))
  }
}

// MARK: - The story

extension Example {
  static let tracker = Example(
    "tracker", summary: "an issue tracker's server: eight writers, pages, JSON answers",
    repeatsJournal: false
  ) { stage in
    stage.heading("The core of an issue tracker's server")
    let store = try Store(
      at: stage.path("tracker.daybook"), records: Organization.self, Project.self, Issue.self,
      Comment.self, options: stage.options)
    let tracker = Tracker(store: store)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    func log(_ answer: some Encodable) throws {
      stage.log(String(decoding: try encoder.encode(answer), as: UTF8.self))
    }
    func logCounts(_ snapshot: StoreSnapshot) {
      stage.log(
        snapshot.entities.map { "\($0.name) \(snapshot.count(of: $0.name))" }
          .joined(separator: ", "))
    }
    try await store.write { context in
      try context.insert(Organization(id: "acme", name: "Acme"))
      for (key, name) in [("API", "Server"), ("WEB", "Site")] {
        try context.insert(Project(id: key, name: name, organization: Reference("acme")))
      }
    }

    stage.act("eight writers create the issues of two projects")
    let titles = ["Crash at start", "Slow search", "Wrong time zone", "Typo", "Lost draft"]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 1...8 {
        group.addTask {
          for project in writer % 2 == 0 ? ["API", "WEB"] : ["WEB", "API"] {
            while try await tracker.createNextIssue(of: project, titled: titles) {}
          }
        }
      }
      try await group.waitForAll()
    }
    let issues = try store.fetch(
      Issue.self, sortedBy: [.ascending(\.project), .ascending(\.number)])
    stage.log(issues.identifiers.joined(separator: " "))

    stage.act("read the issues of a project in pages of two")
    var page = try tracker.page(of: "API")
    while !page.issues.isEmpty {
      try log(page.issues)
      let answer = try encoder.encode(page)
      let link = try JSONDecoder().decode(Tracker.Link.self, from: answer)
      page = try tracker.page(of: "API", after: link.next)
    }

    stage.act("two clients edit one issue at the same time")
    let (ada, bo) = (store.makeContext(), store.makeContext())
    try ada.update(Issue.self, id: "API-1") { $0.title = "Crash at launch" }
    try bo.update(Issue.self, id: "API-1") { $0.title = "Crash" }
    try await ada.save()
    do { try await bo.save() } catch { stage.log("\(error)") }
    bo.mergePolicy = .storeWins
    try await bo.save()
    stage.log("the title is \(try store.object(Issue.self, id: "API-1")?.title ?? "")")

    stage.act("a client chooses a number that exists")
    try ada.insert(Issue(id: "API-x", number: 1, title: "Twice", project: Reference("API")))
    do { try await ada.save() } catch { stage.log("\(error)") }
    try ada.rollback()

    stage.act("eight clients vote for one issue at the same time")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 1...8 {
        group.addTask { try await tracker.vote("client \(client)", for: "API-1") }
      }
      try await group.waitForAll()
    }
    try log(store.object(Issue.self, id: "API-1"))
    try log(tracker.comments(on: "API-1"))

    stage.act("delete the organization, with its projects, issues and comments")
    let before = store.snapshot
    try await store.write { try $0.delete(Organization.self, id: "acme") }
    logCounts(store.snapshot)
    stage.say("The snapshot from before still has them:")
    logCounts(before)
    try await store.close()
  }
}
