import DaybookStore
import TestSupport
import Testing

// The records of the examples, as on the page:

// The declaration begins.
struct Project: Record {
  var id = 0
  var plan: Reference<Plan>?

  static let schema = RecordSchema<Project>("Project")
    .owned("plan", at: \.plan)
}

struct Ticket: Record {
  var id = 0
  var title = ""
  var project: Reference<Project>?
  var assignee: Reference<Member>?
  var reviewer: Reference<Member>?
  var author: Reference<Member>?

  static let schema = RecordSchema<Ticket>("Ticket")
    .attribute("title", at: \.title)
    .reference("project", at: \.project, inverse: "tickets", whenTargetDeleted: .cascade)
    .reference("assignee", at: \.assignee, inverse: "work", whenTargetDeleted: .nullify)
    .reference("reviewer", at: \.reviewer, whenTargetDeleted: .deny)
    .reference("author", at: \.author, whenTargetDeleted: .keep)
}
// The declaration ends.

struct Plan: Record {
  var id = 0
  static let schema = RecordSchema<Plan>("Plan")
}

struct Member: Record {
  var id = 0
  static let schema = RecordSchema<Member>("Member")
}

@Suite struct `The page on relationships` {
  private func makeContext() throws -> EditingContext {
    let store = try Store.inMemory(records: Project.self, Plan.self, Ticket.self, Member.self)
    let context = store.makeContext(isolation: nil)
    for id in 1...4 { try context.insert(Member(id: id)) }
    try context.insert(Plan(id: 1))
    try context.insert(Project(id: 1, plan: Reference(1)))
    try context.insert(
      Ticket(
        id: 1, title: "first", project: Reference(1), assignee: Reference(1),
        reviewer: Reference(2), author: Reference(3)))
    try context.insert(Ticket(id: 2, title: "second", project: Reference(1)))
    try context.saveAndWait()
    return context
  }

  @Test func `the reading example reads both directions`() throws {
    let context = try makeContext()
    // The reading begins.
    let ticket = try context.object(Ticket.self, id: 1)
    let project = try context.object(ticket?.project)  // from the child to its parent

    if let project {
      let tickets = try context.objects(\Ticket.project, of: project)  // and back
      print(tickets.map(\.title))
    }
    // The reading ends.
    func print(_ titles: [String]) { #expect(titles == ["first", "second"]) }
    #expect(project?.id == 1)
  }

  @Test func `the example of each delete rule has the described effect`() throws {
    let context = try makeContext()
    var refusal: String?
    // The rules begins.
    try context.delete(Member.self, id: 1)  // the assignee: ticket 1 stays without an assignee
    try context.delete(Member.self, id: 3)  // the author: ticket 1 keeps the reference
    try context.saveAndWait()

    try context.delete(Member.self, id: 2)  // the reviewer: the save is refused
    do { try context.saveAndWait() } catch { print(error) }
    try context.rollback()

    try context.delete(Project.self, id: 1)  // both tickets are deleted too
    try context.saveAndWait()
    // The rules ends.
    func print(_ error: any Error) {
      refusal = "\(error)"
      let ticket = try? context.store.snapshot.object(Ticket.self, id: 1)
      #expect(ticket?.assignee == nil && ticket?.author == Reference(3))
    }
    #expect(try context.store.snapshot.count(of: Ticket.self) == 0)
    let page = try RelatePage.lines()
    #expect(
      try DocumentationPage.block(
        "```", in: page, following: RelatePage.applied, from: RelatePage.applied)
        == [refusal ?? "no refusal"])
  }

  @Test func `the example of an owner deletes the owned record`() throws {
    let context = try makeContext()
    // The owning begins.
    try context.delete(Project.self, id: 1)
    try context.saveAndWait()  // deletes the plan of the project too
    // The owning ends.
    #expect(try context.store.snapshot.count(of: Plan.self) == 0)
  }

  @Test func `the example of a new owner keeps the owned record`() throws {
    let context = try makeContext()
    try context.insert(Project(id: 2))
    // The keeping begins.
    try context.update(Project.self, id: 2) { $0.plan = Reference(1) }
    try context.delete(Project.self, id: 1)
    try context.saveAndWait()  // plan 1 stays
    // The keeping ends.
    #expect(try context.store.snapshot.object(Plan.self, id: 1) != nil)
  }

  @Test func `the page shows the code of the examples`() throws {
    let page = try RelatePage.lines()
    let source = try ProjectFiles.lines("Tests/DaybookStoreTests/RelatePageTests.swift")
    for (name, heading, indented) in RelatePage.parts {
      let start = try #require(source.firstIndex { $0.hasSuffix("// The \(name) begins.") })
      let end = try #require(source.firstIndex { $0.hasSuffix("// The \(name) ends.") })
      let code = source[(start + 1)..<end].map { String($0.dropFirst(indented)) }
      #expect(
        try DocumentationPage.block("```swift", in: page, following: heading, from: heading) == code
      )
    }
  }
}

private enum RelatePage {
  static let applied = "## When the rules are applied"
  static let parts = [
    ("declaration", "# Relate records", 0), ("reading", "## Read both directions", 4),
    ("rules", "## Choose what deleting the target does", 4),
    ("owning", "## Choose what deleting the owner does", 4), ("keeping", "## Keep a record", 4),
  ]

  static func lines() throws -> [String] {
    try ProjectFiles.lines("Sources/DaybookStore/DaybookStore.docc/Relate.md")
  }
}
