import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite("Deletions of referenced records") struct TargetDeletionTests {
  private struct Project: Record, Equatable {
    var id = 0
    var lead: Reference<Person>?
    var board: Reference<Board>?
    static let schema = RecordSchema<Project>("Project")
      .reference("lead", at: \.lead, whenTargetDeleted: .deny)
      .owned("board", at: \.board)
  }

  private struct Board: Record, Equatable {
    var id = 0
    static let schema = RecordSchema<Board>("Board")
  }

  private struct Person: Record, Equatable {
    var id = 0
    static let schema = RecordSchema<Person>("Person")
  }

  private struct Issue: Record, Equatable {
    var id = 0
    var title = ""
    var project: Reference<Project>?
    var parent: Reference<Issue>?
    var assignee: Reference<Person>?
    var author: Reference<Person>?
    var watchers: [Reference<Person>] = []
    var approvers: [Reference<Person>] = []
    var draft: Reference<Board>?
    static let schema = RecordSchema<Issue>("Issue")
      .attribute("title", at: \.title)
      .reference("project", at: \.project, inverse: "issues", whenTargetDeleted: .cascade)
      .reference("parent", at: \.parent, inverse: "children", whenTargetDeleted: .cascade)
      .reference("assignee", at: \.assignee, whenTargetDeleted: .nullify)
      .reference("author", at: \.author, whenTargetDeleted: .keep)
      .references("watchers", at: \.watchers, whenTargetDeleted: .nullify)
      .references("approvers", at: \.approvers, whenTargetDeleted: .deny)
      .owned("draft", at: \.draft)
  }

  private let disk = SimulatedDisk()
  private static let types: [any Record.Type] = [
    Project.self, Board.self, Person.self, Issue.self,
  ]

  private func open() throws -> Store {
    let store = try Store(at: "j", types: Self.types, options: .simulated(disk))
    let context = store.makeContext(isolation: nil)
    for id in 1...3 { try context.insert(Person(id: id)) }
    for id in 1...3 { try context.insert(Board(id: id)) }
    try context.insert(Project(id: 1, lead: Reference(1), board: Reference(1)))
    try context.insert(Project(id: 2))
    try context.saveAndWait()
    return store
  }

  /// Saves changes and returns the description of the error, or nil if the save succeeds.
  private func refusal(
    _ store: Store, _ change: (EditingContext) throws -> Void
  ) throws -> String? {
    let context = store.makeContext(isolation: nil)
    try change(context)
    return refusal(context)
  }

  private func refusal(_ context: EditingContext) -> String? {
    do throws(StoreError) { try context.saveAndWait() } catch { return "\(error)" }
    return nil
  }

  // MARK: Rules

  @Test func `a cascade deletes the records that refer to a deleted record and what these own`()
    throws
  {
    let store = try open()
    #expect(
      try refusal(store) {
        try $0.insert(Issue(id: 1, project: Reference(1), draft: Reference(2)))
        try $0.insert(Issue(id: 2, parent: Reference(1)))
        try $0.insert(Issue(id: 3, parent: Reference(2)))
        try $0.insert(Issue(id: 4, project: Reference(2)))
      } == nil)
    let context = store.makeContext(isolation: nil)
    try context.delete(Project.self, id: 1)
    var changes: [[String]] = []
    let token = context.observe { event in
      guard case .transaction(let transaction) = event else { return }
      changes.append(transaction.changes.map { "\($0.kind) \($0.entity) \($0.id)" })
    }
    withExtendedLifetime(token) { context.processPendingChanges() }
    #expect(
      changes == [
        [
          "delete Project 1", "delete Board 1", "delete Issue 1", "delete Board 2",
          "delete Issue 2", "delete Issue 3",
        ]
      ])
    #expect(refusal(context) == nil)
    #expect(try store.snapshot.objects(Issue.self) == [Issue(id: 4, project: Reference(2))])
    #expect(try store.snapshot.objects(Board.self).map(\.id) == [3])
  }

  @Test func `records that refer to each other in a circle are deleted together`() throws {
    let store = try open()
    #expect(
      try refusal(store) {
        try $0.insert(Issue(id: 1, parent: Reference(3)))
        try $0.insert(Issue(id: 2, parent: Reference(1)))
        try $0.insert(Issue(id: 3, parent: Reference(2)))
      } == nil)
    #expect(try refusal(store) { try $0.delete(Issue.self, id: 2) } == nil)
    #expect(try store.snapshot.count(of: Issue.self) == 0)
  }

  @Test func `survivors lose nullified references and keep those without a rule`() throws {
    let store = try open()
    #expect(
      try refusal(store) {
        try $0.insert(
          Issue(
            id: 1, assignee: Reference(2), author: Reference(2),
            watchers: [Reference(2), Reference(3), Reference(2)]))
      } == nil)
    #expect(try refusal(store) { try $0.delete(Person.self, id: 2) } == nil)
    #expect(
      try store.snapshot.objects(Issue.self) == [
        Issue(id: 1, author: Reference(2), watchers: [Reference(3)])
      ])
    #expect(try store.snapshot.object(Reference<Person>(2)) == nil)
  }

  @Test func `a denied deletion refuses the whole boundary and names the referring record`()
    throws
  {
    let store = try open()
    #expect(try refusal(store) { try $0.insert(Issue(id: 1, approvers: [Reference(3)])) } == nil)
    let sentence = try refusal(store) {
      try $0.insert(Issue(id: 2))
      try $0.delete(Person.self, id: 1)
      try $0.delete(Person.self, id: 3)
    }
    #expect(
      sentence == """
        j: Person 1 cannot be deleted while lead of Project 1 refers to it; Person 3 cannot be \
        deleted while approvers of Issue 1 refers to it. Nothing was saved.
        """)
    #expect(try store.snapshot.count(of: Issue.self) == 1)
    // Nothing denies the deletion if the referring records are deleted or changed as well.
    #expect(
      try refusal(store) {
        try $0.delete(Person.self, id: 1)
        try $0.delete(Person.self, id: 3)
        try $0.delete(Project.self, id: 1)
        try $0.update(Issue.self, id: 1) { $0.approvers = [] }
      } == nil)
  }

  @Test func `a deletion that a cascade causes can be denied`() throws {
    let store = try Store.inMemory(records: Folder.self, Note.self, Pin.self)
    #expect(
      try refusal(store) {
        try $0.insert(Folder(id: 1))
        try $0.insert(Note(id: 1, folder: Reference(1)))
        try $0.insert(Pin(id: 1, note: Reference(1)))
      } == nil)
    #expect(
      try refusal(store) { try $0.delete(Folder.self, id: 1) } == """
        store in memory: Note 1 cannot be deleted while note of Pin 1 refers to it. Nothing was \
        saved.
        """)
    #expect(
      try refusal(store) {
        try $0.delete(Folder.self, id: 1)
        try $0.delete(Pin.self, id: 1)
      } == nil)
    #expect(try store.snapshot.count(of: Note.self) == 0)
  }

  private struct Folder: Record {
    var id = 0
    static let schema = RecordSchema<Folder>("Folder")
  }

  private struct Note: Record {
    var id = 0
    var folder: Reference<Folder>?
    static let schema = RecordSchema<Note>("Note")
      .reference("folder", at: \.folder, required: true, whenTargetDeleted: .cascade)
  }

  private struct Pin: Record {
    var id = 0
    var note: Reference<Note>?
    static let schema = RecordSchema<Pin>("Pin")
      .reference("note", at: \.note, required: true, whenTargetDeleted: .nullify)
  }

  // MARK: One boundary

  @Test func `a deletion deletes children that the same boundary inserts or moves`() throws {
    let store = try open()
    #expect(try refusal(store) { try $0.insert(Issue(id: 1, project: Reference(2))) } == nil)
    #expect(
      try refusal(store) {
        try $0.insert(Issue(id: 2, project: Reference(1)))
        try $0.insert(Issue(id: 3, parent: Reference(2)))
        try $0.update(Issue.self, id: 1) { $0.project = Reference(1) }
        try $0.insert(Issue(id: 4, assignee: Reference(3)))
        try $0.delete(Project.self, id: 1)
        try $0.delete(Person.self, id: 3)
      } == nil)
    #expect(try store.snapshot.objects(Issue.self) == [Issue(id: 4)])
  }

  @Test func `a child stays that is moved away before its parent is deleted`() throws {
    let store = try open()
    #expect(try refusal(store) { try $0.insert(Issue(id: 1, project: Reference(1))) } == nil)
    #expect(
      try refusal(store) {
        try $0.update(Issue.self, id: 1) { $0.project = Reference(2) }
        try $0.delete(Project.self, id: 1)
      } == nil)
    #expect(try store.snapshot.objects(Issue.self) == [Issue(id: 1, project: Reference(2))])
  }

  @Test func `a child cannot be inserted under a missing parent`() throws {
    let store = try open()
    let sentence = try refusal(store) {
      try $0.delete(Project.self, id: 2)
      $0.processPendingChanges()
      try $0.insert(Issue(id: 1, project: Reference(2)))
      try $0.insert(Issue(id: 2, parent: Reference(9)))
    }
    #expect(
      sentence == """
        j: project of Issue 1 refers to Project 2, which does not exist; parent of Issue 2 refers to \
        Issue 9, which does not exist. Nothing was saved.
        """)
  }

  @Test func `an undo brings back the records that a cascade has deleted`() throws {
    let store = try open()
    let context = store.makeContext(isolation: nil)
    context.undoLimit = 10
    try context.insert(Issue(id: 1, project: Reference(1), assignee: Reference(2)))
    try context.saveAndWait()
    try context.delete(Project.self, id: 1)
    try context.delete(Person.self, id: 2)
    try context.saveAndWait()
    #expect(try store.snapshot.count(of: Issue.self) == 0)
    #expect(try context.undo() == [])
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Issue.self) == [
        Issue(id: 1, project: Reference(1), assignee: Reference(2))
      ])
    #expect(try store.snapshot.count(of: Board.self) == 3)
  }

  // MARK: Several writers

  /// The writer of a race that saves first.
  private enum First: CaseIterable { case inserts, deletes }

  @Test(arguments: First.allCases)
  private func `a child of a racing deletion is deleted too or refused`(first: First) throws {
    let store = try open()
    let inserting = store.makeContext(isolation: nil)
    let deleting = store.makeContext(isolation: nil)
    try inserting.insert(Issue(id: 1, project: Reference(1), draft: Reference(2)))
    try inserting.insert(Issue(id: 2, parent: Reference(1)))
    try deleting.delete(Project.self, id: 1)
    inserting.processPendingChanges()
    deleting.processPendingChanges()
    switch first {
    case .inserts:
      #expect(refusal(inserting) == nil)
      #expect(refusal(deleting) == nil)
      // The cascade includes the children, and what they own. The context shows it.
      #expect(try deleting.objects(Issue.self).isEmpty)
      #expect(try store.snapshot.objects(Board.self).map(\.id) == [3])
    case .deletes:
      #expect(refusal(deleting) == nil)
      #expect(
        refusal(inserting) == """
          j: project of Issue 1 refers to Project 1, which does not exist. Nothing was saved.
          """)
    }
    #expect(try store.snapshot.count(of: Issue.self) == 0)
  }

  @Test(arguments: First.allCases)
  private func `exactly one of a denying reference and a racing deletion is refused`(
    first: First
  ) throws {
    let store = try open()
    let inserting = store.makeContext(isolation: nil)
    let deleting = store.makeContext(isolation: nil)
    try inserting.insert(Issue(id: 1, approvers: [Reference(3)]))
    try deleting.delete(Person.self, id: 3)
    inserting.processPendingChanges()
    deleting.processPendingChanges()
    switch first {
    case .inserts:
      #expect(refusal(inserting) == nil)
      #expect(
        refusal(deleting) == """
          j: Person 3 cannot be deleted while approvers of Issue 1 refers to it. Nothing was saved.
          """)
    case .deletes:
      #expect(refusal(deleting) == nil)
      #expect(
        refusal(inserting) == """
          j: approvers of Issue 1 refers to Person 3, which does not exist. Nothing was saved.
          """)
    }
  }

  @Test func `a deletion of a record that another writer has changed and guarded is a conflict`()
    throws
  {
    let store = try Store.inMemory(types: [RuledNode.self])
    try store.writing { try $0.insert(RuledNode(id: 1)) }
    let deleting = store.makeContext(isolation: nil)
    try deleting.delete(RuledNode.self, id: 1)
    try store.writing {
      try $0.update(RuledNode.self, id: 1) { $0.mark = 1 }
      try $0.insert(RuledNode(id: 2, guardian: Reference(1)))
    }
    #expect(
      refusal(deleting) == """
        store in memory: Node 1 was changed in one place and deleted in the other. Nothing was saved.
        """)
    // After a merge, the reference is the reason.
    try deleting.rollback()
    try deleting.mergeChanges()
    try deleting.delete(RuledNode.self, id: 1)
    #expect(
      refusal(deleting) == """
        store in memory: Node 1 cannot be deleted while guardian of Node 2 refers to it. Nothing was \
        saved.
        """)
  }

  @Test func `a deletion removes references that another writer has added in the meantime`() throws
  {
    let store = try open()
    #expect(try refusal(store) { try $0.insert(Issue(id: 1, title: "a")) } == nil)
    let deleting = store.makeContext(isolation: nil)
    try deleting.delete(Person.self, id: 3)
    try deleting.update(Issue.self, id: 1) { $0.title = "b" }
    deleting.processPendingChanges()
    #expect(
      try refusal(store) {
        try $0.update(Issue.self, id: 1) { $0.watchers = [Reference(2), Reference(3)] }
        try $0.insert(Issue(id: 2, assignee: Reference(3), author: Reference(3)))
      } == nil)
    #expect(refusal(deleting) == nil)
    #expect(
      try store.snapshot.objects(Issue.self) == [
        Issue(id: 1, title: "b", watchers: [Reference(2)]), Issue(id: 2, author: Reference(3)),
      ])
  }

  @Test func `a racing child that owns records with a denying rule refuses the deletion`() throws {
    let store = try Store.inMemory(records: Holder.self, Child.self, Board.self)
    #expect(
      try refusal(store) {
        try $0.insert(Holder(id: 1))
        try $0.insert(Board(id: 1))
      } == nil)
    let deleting = store.makeContext(isolation: nil)
    try deleting.delete(Holder.self, id: 1)
    deleting.processPendingChanges()
    #expect(
      try refusal(store) {
        try $0.insert(Child(id: 5, holder: Reference(1), boards: [Reference(1)]))
      } == nil)
    #expect(
      refusal(deleting) == """
        store in memory: Child 5 cannot be deleted while its boards is set. Nothing was saved.
        """)
  }

  private struct Step: Record, Equatable {
    var id = 0
    var parent: Reference<Step>?
    var next: Reference<Step>?
    static let schema = RecordSchema<Step>("Step")
      .reference("parent", at: \.parent, whenTargetDeleted: .cascade)
      .reference("next", at: \.next, whenTargetDeleted: .nullify)
  }

  @Test func `a new record loses its reference to a record that a racing cascade deletes`() throws {
    let store = try Store.inMemory(records: Step.self)
    #expect(try refusal(store) { for id in 1...2 { try $0.insert(Step(id: id)) } } == nil)
    let deleting = store.makeContext(isolation: nil)
    try deleting.delete(Step.self, id: 1)
    try deleting.insert(Step(id: 3, next: Reference(2)))
    deleting.processPendingChanges()
    #expect(
      try refusal(store) { try $0.update(Step.self, id: 2) { $0.parent = Reference(1) } } == nil)
    #expect(refusal(deleting) == nil)
    #expect(try store.snapshot.objects(Step.self) == [Step(id: 3)])
  }

  private struct Holder: Record {
    var id = 0
    static let schema = RecordSchema<Holder>("Holder")
  }

  private struct Child: Record {
    var id = 0
    var holder: Reference<Holder>?
    var boards: [Reference<Board>] = []
    static let schema = RecordSchema<Child>("Child")
      .reference("holder", at: \.holder, whenTargetDeleted: .cascade)
      .owned("boards", at: \.boards, whenOwnerDeleted: .deny)
  }

  // MARK: Programs without types

  @Test func `a program without the types applies the stored rules`() throws {
    let store = try open()
    #expect(
      try refusal(store) { try $0.insert(Issue(id: 1, project: Reference(1))) } == nil)
    try store.closeAndWait()
    let untyped = try Store(at: "j", types: [], options: .simulated(disk))
    let context = untyped.makeContext(isolation: nil)
    try context.delete("Project", id: .int(1))
    try context.delete("Person", id: .int(1))
    #expect(refusal(context) == nil)
    #expect(try untyped.snapshot.objects("Issue").isEmpty)
    #expect(try untyped.snapshot.objects("Board").map(\.id) == [.int(2), .int(3)])
  }

  @Test func `a reference without a rule becomes nil`() throws {
    let definition = SchemaDeclaration(Pin.schema).definition.attributes[0]
    #expect(definition.whenTargetDeleted == nil && definition.targetDeleteRule == .nullify)
    let issue = SchemaDeclaration(Issue.schema).definition
    #expect(
      issue.attributes.map(\.targetDeleteRule) == [
        .nullify, .cascade, .cascade, .nullify, .keep, .nullify, .deny, .nullify,
      ])
    #expect(
      issue.attributes.map(\.whenTargetDeleted) == [
        nil, .cascade, .cascade, nil, nil, nil, .deny, nil,
      ])
  }

  // MARK: Schemas

  private struct Group: Record {
    var id = 0
    var members: [Reference<Group>] = []
    static let schema = RecordSchema<Group>("Group")
      .references("members", at: \.members, whenTargetDeleted: .cascade)
  }

  private struct Item: Record {
    var id = 0
    var group: Reference<Item>?
    static let schema = RecordSchema<Item>("Item")
      .reference("group", at: \.group, inverse: "id")
  }

  @Test func `a schema cannot cascade from several references or call an inverse id`() {
    #expect(
      sentence { _ = try Store.inMemory(records: Group.self) } == """
        store in memory: Group.members has several references and declares whenTargetDeleted: .cascade. \
        Only a reference to one record can cascade. Use .nullify, .deny or .none.
        """)
    #expect(
      sentence { _ = try Store.inMemory(records: Item.self) } == """
        store in memory: the inverse of Item.group is named id, which is reserved for the \
        identifier.
        """)
  }
}
