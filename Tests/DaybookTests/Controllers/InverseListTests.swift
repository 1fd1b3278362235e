import Daybook
import DaybookResults
import DaybookStore
import TestSupport
import Testing

/// Lists whose requests read the records that refer to their rows.
@Suite struct `A list that reads inverses` {
  struct Project: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Project>("Project").attribute("name", at: \.name)
  }

  struct Issue: Record {
    var id = 0
    var title = ""
    var project: Reference<Project>?
    var votes = 0
    var plain: Reference<Project>?
    static let schema = RecordSchema<Issue>("Issue")
      .attribute("title", at: \.title).attribute("votes", at: \.votes)
      .reference("project", at: \.project, inverse: "issues", whenTargetDeleted: .keep)
      .reference("plain", at: \.plain, whenTargetDeleted: .keep)
  }

  struct Comment: Record {
    var id = 0
    var issue: Reference<Issue>?
    static let schema = RecordSchema<Comment>("Comment")
      .reference("issue", at: \.issue, inverse: "comments", whenTargetDeleted: .keep)
  }

  struct Deployment: Record {
    var id = 0
    var project: Reference<Project>?
    var host = ""
    static let schema = RecordSchema<Deployment>("Deployment")
      .reference("project", at: \.project, inverse: "deployment", whenTargetDeleted: .keep)
      .attribute("host", at: \.host).unique(\.project)
  }

  /// A list of a context, and the differences that it reports.
  private final class Story<R: Record>: FetchedResultsDifferenceDelegate {
    let context: EditingContext
    private let controller: FetchedResultsController<R>
    private var lines: [String] = []

    init(
      _ filter: String? = nil, sortedBy keys: [SortKey], sections: Sectioning? = nil,
      fill: (EditingContext) throws -> Void
    ) throws {
      let store = try Store.inMemory(
        types: [Project.self, Issue.self, Comment.self, Deployment.self])
      context = store.makeContext()
      context.undoLimit = 10
      try fill(context)
      try context.saveAndWait()
      controller = FetchedResultsController(
        fetchRequest: ListRequest<R>(
          filter: try filter.map { try Filter($0) }, sortedBy: keys, sectionedBy: sections),
        context: context)
      try controller.performFetch()
      controller.delegate = self
    }

    func controller(
      _ controller: FetchedResultsController<R>,
      didChangeContentWith difference: ListDifference<R>
    ) {
      lines += difference.callbackLines().dropFirst().dropLast()
    }

    var identifiers: [R.ID] { controller.fetchedObjects?.map(\.id) ?? [] }

    /// Changes the context up to a boundary, and returns the differences.
    func lines(_ change: (EditingContext) throws -> Void) throws -> [String] {
      try change(context)
      context.processPendingChanges()
      defer { lines = [] }
      return lines
    }
  }

  private static func fill(_ context: EditingContext) throws {
    for id in 1...3 { try context.insert(Project(id: id, name: "p\(id)")) }
    for (id, project) in [(11, 1), (12, 1), (13, 2)] {
      try context.insert(Issue(id: id, title: "t\(id)", project: Reference(project)))
    }
  }

  @Test func `a child that comes or changes its parent moves the parents`() throws {
    let story = try Story<Project>(
      sortedBy: [.descending(Filter.objects(\Issue.project).count), .ascending(\Project.name)],
      fill: Self.fill)
    #expect(story.identifiers == [1, 2, 3])
    #expect(
      try story.lines { context in
        for id in 21...22 { try context.insert(Issue(id: id, project: Reference(3))) }
      } == ["move [0, 2] -> [0, 1] 3"])
    #expect(story.identifiers == [1, 3, 2])
    #expect(
      try story.lines { try $0.update(Issue.self, id: 11) { $0.project = Reference(2) } }
        == ["move [0, 2] -> [0, 0] 2", "move [0, 0] -> [0, 2] 1"])
  }

  @Test func `a change of a child's attribute that the request reads filters its parent`() throws {
    let story = try Story<Project>(
      #"ANY issues.title CONTAINS "x""#, sortedBy: [.ascending(\Project.name)], fill: Self.fill)
    #expect(story.identifiers == [])
    #expect(
      try story.lines { try $0.update(Issue.self, id: 13) { $0.title = "x" } }
        == ["insert [0, 0] 2"])
    // The title is content of the row; the votes are not.
    #expect(
      try story.lines { try $0.update(Issue.self, id: 13) { $0.title = "xy" } }
        == ["update [0, 0] -> [0, 0] 2"])
    #expect(try story.lines { try $0.update(Issue.self, id: 13) { $0.votes = 1 } } == [])
    #expect(
      try story.lines { try $0.update(Issue.self, id: 13) { $0.project = nil } }
        == ["delete [0, 0] 2"])
    #expect(try story.lines { try $0.undo() } == ["insert [0, 0] 2"])
    #expect(try story.lines { try $0.delete(Issue.self, id: 13) } == ["delete [0, 0] 2"])
  }

  @Test func `an inverse of a unique reference has one value`() throws {
    let story = try Story<Project>(
      "deployment == nil OR deployment.host BEGINSWITH 'a'",
      sortedBy: [.ascending(named: "deployment.host"), .ascending(named: "deployment")],
      fill: Self.fill)
    #expect(story.identifiers == [1, 2, 3])
    #expect(
      try story.lines { try $0.insert(Deployment(id: 7, project: Reference(1), host: "b")) }
        == ["delete [0, 0] 1"])
    #expect(
      try story.lines { try $0.update(Deployment.self, id: 7) { $0.host = "a" } }
        == ["insert [0, 2] 1"])
    #expect(
      try story.lines { try $0.update(Deployment.self, id: 7) { $0.project = Reference(2) } }
        == ["move [0, 2] -> [0, 0] 1", "move [0, 0] -> [0, 2] 2"])
    // Before the save two deployments have the same project. The first one counts.
    #expect(
      try story.lines { try $0.insert(Deployment(id: 6, project: Reference(2), host: "z")) } == [])
    #expect(
      try story.lines { try $0.delete(Deployment.self, id: 7) } == ["delete [0, 2] 2"])
  }

  @Test func `paths lead from a child to its parent and back to other children`() throws {
    let story = try Story<Issue>(
      "project.issues.@count > 1",
      sortedBy: [.ascending(named: "project.deployment.host"), .ascending(\Issue.id)],
      fill: Self.fill)
    #expect(story.identifiers == [11, 12])
    #expect(
      try story.lines { try $0.update(Issue.self, id: 12) { $0.project = Reference(2) } }
        == ["delete [0, 0] 11", "insert [0, 1] 13", "update [0, 1] -> [0, 0] 12"])
  }

  @Test func `sections are made of counts and of values through inverses`() throws {
    let story = try Story<Project>(
      sortedBy: [.ascending(\Project.name)], sections: .by(named: "issues.@count"), fill: Self.fill)
    #expect(story.identifiers == [3, 2, 1])
    #expect(
      try story.lines { try $0.delete(Issue.self, id: 12) } == [
        "move [2, 0] -> [1, 0] 1", #"section delete 2 "2""#,
      ])
  }

  @Test func `a record that returns has the children that kept their references`() throws {
    let story = try Story<Project>(
      "issues.@count == 2", sortedBy: [.ascending(\Project.name)], fill: Self.fill)
    #expect(try story.lines { try $0.delete(Project.self, id: 1) } == ["delete [0, 0] 1"])
    #expect(try story.lines { try $0.insert(Project(id: 1)) } == ["insert [0, 0] 1"])
  }

  @Test func `an earlier moment has the inverses of that moment`() throws {
    let store = try Store.inMemory(
      types: [Project.self, Issue.self, Comment.self, Deployment.self])
    let context = store.makeContext()
    try Self.fill(context)
    try context.saveAndWait()
    try context.update(Issue.self, id: 11) { $0.project = Reference(3) }
    try context.delete(Issue.self, id: 12)
    try context.saveAndWait()
    let request = ListRequest<Project>(
      filter: Filter.objects(\Issue.project).count > 0,
      sortedBy: [.descending(Filter.objects(\Issue.project).count), .ascending(\Project.id)])
    #expect(try store.snapshot(at: 1).fetch(request).map(\.id) == [1, 2])
    #expect(try store.snapshot.fetch(request).map(\.id) == [2, 3])
    let back = try store.difference(of: request, from: 2, to: 1)
    #expect(
      back.callbackLines().dropFirst().dropLast() == ["delete [0, 1] 3", "insert [0, 0] 1"])
    #expect(try store.snapshot.referencedEntities(of: request) == ["Issue"])
  }

  @Test func `values of inverses are fetched without records`() throws {
    let store = try Store.inMemory(
      types: [Project.self, Issue.self, Comment.self, Deployment.self])
    let context = store.makeContext()
    try Self.fill(context)
    try context.insert(Deployment(id: 7, project: Reference(1), host: "a"))
    try context.saveAndWait()
    let paths = ["id", "issues", "issues.@count", "deployment", "deployment.host"]
    let values = try store.snapshot.fetchValues(
      ListRequest<Project>(sortedBy: [.ascending(\Project.id)]),
      of: paths.map { .attribute(named: $0) })
    #expect(
      values.map { row in paths.indices.map { row[$0] } } == [
        [
          .int(1), .array([.reference(.int(11)), .reference(.int(12))]), .int(2), .int(7),
          .string("a"),
        ],
        [.int(2), .array([.reference(.int(13))]), .int(1), .null, .null],
        [.int(3), .array([]), .int(0), .null, .null],
      ])
  }

  @Test func `requests with inverses are refused with the reason`() throws {
    let store = try Store.inMemory(
      types: [Project.self, Issue.self, Comment.self, Deployment.self])
    func problem(_ filter: Filter? = nil, key: SortKey = .ascending(\Project.id)) -> String {
      sentence {
        _ = try store.snapshot.fetch(ListRequest<Project>(filter: filter, sortedBy: [key]))
      }
    }
    #expect(
      problem(try Filter("issues.title == 'a'"))
        == "filter, column 1: issues.title has several values; write ANY, ALL or NONE before it, or .@count after it."
    )
    #expect(
      problem(try Filter("ANY issues.comments.id == 1"))
        == "filter, column 12: only one name of a path can have several values; issues and comments both have."
    )
    #expect(
      problem(try Filter("ANY deployment.host == 'a'"))
        == "filter, column 5: ANY needs an attribute with several values; deployment.host (a string) is a single value."
    )
    #expect(
      problem(try Filter("ANY issue.title == 'a'"))
        == "filter, column 5: Project has no attribute 'issue'; did you mean 'issues'?")
    #expect(
      problem(key: .ascending(named: "issues"))
        == "sorting by issues: a sort key needs a single value; the type refs:Issue has several.")
    #expect(
      problem(key: .ascending(named: "issues.title"))
        == "Project.issues is not a reference to one record, so no other name can follow it.")
    #expect(
      problem(key: .ascending(named: "name.@count"))
        == "Project.name is not a reference to one record, so no other name can follow it.")
    #expect(
      problem(key: .ascending(named: "comments.@count"))
        == "Project has no attribute 'comments'; it has id, name, issues and deployment.")
    #expect(
      problem(Filter.objects(\Comment.issue).count > 0)
        == "filter: comments.@count is a property of Issue, but the rows are of Project.")
    #expect(
      problem(Filter.objects(\Issue.plain).count > 0)
        == "filter: Project has no attribute 'inverse of Issue.plain'. It has id, name, issues and deployment."
    )
  }
}
