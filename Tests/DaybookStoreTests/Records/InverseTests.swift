import DaybookSimulation
@_spi(Tools) import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `The inverse of a reference` {
  private struct Department: Record {
    var id = 0
    static let schema = RecordSchema<Department>("Department")
  }

  private struct Employee: Record {
    var id = 0
    var department: Reference<Department>?
    var helps: [Reference<Department>] = []
    var boss: Reference<Employee>?
    static let schema = RecordSchema<Employee>("Employee")
      .reference("department", at: \.department, inverse: "staff")
      .references("helps", at: \.helps, inverse: "helpers")
      .reference("boss", at: \.boss)
  }

  private let disk = SimulatedDisk()
  private func open() throws -> Store {
    try Store(at: "j", types: [Department.self, Employee.self], options: .simulated(disk))
  }

  private func fill(_ context: EditingContext) throws {
    for id in 1...2 { try context.insert(Department(id: id)) }
    try context.insert(Employee(id: 12, department: Reference(1)))
    try context.insert(
      Employee(id: 11, department: Reference(1), helps: [Reference(1), Reference(2)]))
    try context.insert(Employee(id: 10, department: Reference(2), helps: [Reference(2)]))
  }

  @Test func `an inverse contains the referring records in creation order`() throws {
    let store = try open()
    let context = store.makeContext()
    try fill(context)
    #expect(try context.records(referringTo: 1, by: \Employee.department).map(\.id) == [12, 11])
    #expect(try context.records(referringTo: 2, by: \Employee.helps).map(\.id) == [11, 10])
    #expect(
      try context.records(referringTo: .int(2), of: "Department", by: "staff").map(\.id) == [
        .int(10)
      ])
    try context.saveAndWait()
    #expect(
      try store.snapshot.records(referringTo: 1, by: \Employee.department).map(\.id) == [12, 11])
    #expect(
      try store.snapshot.records(referringTo: .int(2), of: "Department", by: "helpers").map(\.id)
        == [.int(11), .int(10)])
    #expect(try store.snapshot.records(referringTo: 3, by: \Employee.department).isEmpty)
    try store.closeAndWait()
    let again = try open()
    #expect(
      try again.snapshot.records(referringTo: 1, by: \Employee.department).map(\.id) == [12, 11])
  }

  @Test func `an inverse follows each boundary without marking its record as changed`() throws {
    let store = try open()
    let context = store.makeContext()
    try fill(context)
    try context.saveAndWait()
    let before = store.snapshot
    try context.update(Employee.self, id: 12) { $0.department = Reference(2) }
    #expect(try context.records(referringTo: 1, by: \Employee.department).map(\.id) == [11])
    #expect(try context.records(referringTo: 2, by: \Employee.department).map(\.id) == [12, 10])
    #expect(try context.updatedObjects(Department.self).isEmpty)
    try context.saveAndWait()
    #expect(try before.records(referringTo: 1, by: \Employee.department).map(\.id) == [12, 11])
    #expect(
      try store.snapshot.records(referringTo: .int(1), of: "Department", by: "staff").map(\.id) == [
        .int(11)
      ])
  }

  @Test func `an inverse cannot be set and is read by its name`() throws {
    let store = try open()
    let context = store.makeContext()
    try fill(context)
    #expect(
      sentence {
        try context.setValue(.array([]), forKey: "staff", of: "Department", id: .int(1))
      }
        == "j: Department.staff is computed from its inverse Employee.department. Set Employee.department instead."
    )
    #expect(
      sentence { _ = try context.records(referringTo: .int(1), of: "Department", by: "friends") }
        == "j: Department has no attribute 'friends'.")
    #expect(
      sentence {
        _ = try store.snapshot.records(referringTo: .int(1), of: "Departments", by: "staff")
      }
        == "j: no entity 'Departments'.")
  }

  private struct Badge: Record {
    var id = 0
    var owner: Reference<Employee>?
    var lender: Reference<Employee>?
    static let schema = RecordSchema<Badge>("Badge")
      .reference("owner", at: \.owner, inverse: "badge", whenTargetDeleted: .keep)
      .reference("lender", at: \.lender)
      .unique(\.owner).unique(\.owner, \.lender)
  }

  @Test func `the records that refer to a record are read by the property and the record`() throws {
    let store = try open()
    let context = store.makeContext()
    try fill(context)
    let (one, two) = (Department(id: 1), Department(id: 2))
    #expect(try context.objects(\Employee.department, of: one).map(\.id) == [12, 11])
    #expect(try context.objects(\Employee.helps, of: two).map(\.id) == [11, 10])
    #expect(try store.snapshot.objects(\Employee.department, of: one).isEmpty)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(\Employee.department, of: one).map(\.id) == [12, 11])
    #expect(try store.snapshot.objects(\Employee.helps, of: two).map(\.id) == [11, 10])
    #expect(try store.snapshot.objects(\Employee.helps, of: Department(id: 9)).isEmpty)
  }

  @Test func `a unique reference has a single record as its inverse`() throws {
    let store = try Store(
      at: "b", types: [Department.self, Employee.self, Badge.self], options: .simulated(disk))
    let context = store.makeContext()
    let employee = Employee(id: 1)
    try context.insert(employee)
    #expect(try context.object(\Badge.owner, of: employee)?.id == nil)
    try context.insert(Badge(id: 7, owner: Reference(1), lender: Reference(1)))
    #expect(try context.object(\Badge.owner, of: employee)?.id == 7)
    try context.saveAndWait()
    #expect(try store.snapshot.object(\Badge.owner, of: employee)?.id == 7)
    #expect(try store.snapshot.object(\Badge.owner, of: Employee(id: 2))?.id == nil)
    let problem = """
      b: several records of Badge may have the same lender. Read all of them with \
      objects(_:of:), or declare unique("lender").
      """
    #expect(sentence { _ = try store.snapshot.object(\Badge.lender, of: employee) } == problem)
    #expect(sentence { _ = try context.object(\Badge.lender, of: employee) } == problem)
    // An inverse contains only records that exist. A deleted record still has those that keep
    // their references.
    try context.delete(employee)
    try context.saveAndWait()
    #expect(try store.snapshot.object(\Badge.owner, of: employee)?.id == 7)
  }

  private struct Info: Record {
    var id = 0
    var details: Reference<Details>?
    static let schema = RecordSchema<Info>("Info")
      .owned("details", at: \.details, inverse: "info")
  }

  private struct Details: Record {
    var id = 0
    var info: Reference<Info>?
    static let schema = RecordSchema<Details>("Details")
      .reference("info", at: \.info, inverse: "details")
  }

  /// Declares both references of an earlier version, without an inverse.
  private struct EarlierInfo: Record {
    var id = 0
    var details: Reference<EarlierDetails>?
    static let schema = RecordSchema<EarlierInfo>("Info").owned("details", at: \.details)
  }

  private struct EarlierDetails: Record {
    var id = 0
    var info: Reference<EarlierInfo>?
    static let schema = RecordSchema<EarlierDetails>("Details").reference("info", at: \.info)
  }

  @Test func `opening reports an inverse that the journal stores as an attribute`() throws {
    let earlier = try Store(
      at: "i", types: [EarlierInfo.self, EarlierDetails.self], options: .simulated(disk))
    let context = earlier.makeContext()
    try context.insert(EarlierInfo(id: 1, details: Reference(1)))
    try context.insert(EarlierDetails(id: 1))
    try context.saveAndWait()
    try earlier.closeAndWait()
    let store = try Store(at: "i", types: [Info.self, Details.self], options: .simulated(disk))
    // They are two attributes.
    #expect(try store.snapshot.object(Details.self, id: 1)?.info == nil)
    #expect(
      store.openingReport.description == """
        Info.details and its inverse Details.info are both stored. A change of one does not change \
        the other.
        """)
    #expect(StateCheck(store.snapshot) { _ in }.disagreementCount == 1)
  }

  @Test func `an inverse with the name of an attribute is refused`() throws {
    #expect(
      sentence {
        _ = try Store(at: "i", types: [Info.self, Details.self], options: .simulated(disk))
      }
        == """
        i: the inverse of Info.details is named info, but Details has an attribute with this name. An \
        inverse is computed: remove the attribute, or name the inverse differently.
        """)
  }

  /// Has an attribute that later types do not declare.
  private struct Labeled: Record {
    var id = 0
    var owners = ""
    static let schema = RecordSchema<Labeled>("Employee").attribute("owners", at: \.owners)
  }

  private struct Tool: Record {
    var id = 0
    var owner: Reference<Employee>?
    static let schema = RecordSchema<Tool>("Tool")
      .reference("owner", at: \.owner, inverse: "owners")
  }

  @Test func `an inverse with the name of an attribute of the journal is refused`() throws {
    let earlier = try Store(at: "l", types: [Labeled.self], options: .simulated(disk))
    let context = earlier.makeContext()
    try context.insert(Labeled(id: 1))
    try context.saveAndWait()
    try earlier.closeAndWait()
    let types: [any Record.Type] = [Department.self, Employee.self, Tool.self]
    let before = disk.contents(of: "l")
    #expect(
      sentence { _ = try Store(at: "l", types: types, options: .simulated(disk)) } == """
        l: the inverse of Tool.owner is named owners, but Employee has an attribute with this name. An \
        inverse is computed: remove the attribute, or name the inverse differently.
        """)
    #expect(disk.contents(of: "l") == before)
  }

  private struct Visitor: Record {
    var id = 0
    var host: Reference<Department>?
    static let schema = RecordSchema<Visitor>("Visitor")
      .reference("host", at: \.host, inverse: "staff")
  }

  @Test func `an inverse with the name of another inverse is refused`() throws {
    let problem = "Employee.department and Visitor.host both declare the inverse Department.staff."
    let all: [any Record.Type] = [Department.self, Employee.self, Visitor.self]
    #expect(
      sentence { _ = try Store(at: "m", types: all, options: .simulated(disk)) } == "m: \(problem)")
    let store = try open()
    let context = store.makeContext()
    try fill(context)
    try context.saveAndWait()
    try store.closeAndWait()
    // The program does not declare employees, but the journal contains them.
    #expect(
      sentence {
        _ = try Store(
          at: "j", types: [Department.self, Visitor.self], options: .simulated(disk))
      } == "j: \(problem)")
  }

  private struct Selfish: Record {
    var id = 0
    var department: Reference<Department>?
    static let schema = RecordSchema<Selfish>("Selfish")
      .reference("department", at: \.department, inverse: "id")
  }

  @Test func `an inverse that is named id is refused`() throws {
    #expect(
      sentence {
        _ = try Store(
          at: "n", types: [Department.self, Selfish.self], options: .simulated(disk))
      } == "n: the inverse of Selfish.department is named id, which is reserved for the identifier."
    )
  }

  private struct Stranger: Record {
    var id = 0
    var home: Reference<Department>?
    var other: Reference<Department>?
    static let schema = RecordSchema<Stranger>("Stranger").reference("home", at: \.home)
  }

  @Test func `reading an inverse needs a property that the schema declares`() throws {
    let store = try Store(
      at: "k", types: [Department.self, Stranger.self], options: .simulated(disk))
    #expect(
      sentence { _ = try store.snapshot.records(referringTo: 1, by: \Stranger.other) }
        == "k: Stranger has no attribute '\\Stranger.other'.")
    #expect(
      sentence { _ = try store.snapshot.records(referringTo: 1, by: \Employee.department) }
        == "k: the store was not opened with the type Employee. Add it to the types.")
  }
}
