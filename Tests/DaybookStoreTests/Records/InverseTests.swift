import DaybookStore
import DaybookTesting
import Testing
import TestSupport

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
    #expect(try context.referrers(to: 1, by: \Employee.department).map(\.id) == [12, 11])
    #expect(try context.referrers(to: 2, by: \Employee.helps).map(\.id) == [11, 10])
    #expect(try context.inverse("staff", of: "Department", id: .int(2)).map(\.id) == [.int(10)])
    try context.saveAndWait()
    #expect(try store.snapshot.referrers(to: 1, by: \Employee.department).map(\.id) == [12, 11])
    #expect(
      try store.snapshot.inverse("helpers", of: "Department", id: .int(2)).map(\.id)
        == [.int(11), .int(10)])
    #expect(try store.snapshot.referrers(to: 3, by: \Employee.department).isEmpty)
    try store.closeAndWait()
    let again = try open()
    #expect(try again.snapshot.referrers(to: 1, by: \Employee.department).map(\.id) == [12, 11])
  }

  @Test func `an inverse follows each boundary without marking its record as changed`() throws {
    let store = try open()
    let context = store.makeContext()
    try fill(context)
    try context.saveAndWait()
    let before = store.snapshot
    try context.update(Employee.self, id: 12) { $0.department = Reference(2) }
    #expect(try context.referrers(to: 1, by: \Employee.department).map(\.id) == [11])
    #expect(try context.referrers(to: 2, by: \Employee.department).map(\.id) == [12, 10])
    #expect(try context.updatedObjects(Department.self).isEmpty)
    try context.saveAndWait()
    #expect(try before.referrers(to: 1, by: \Employee.department).map(\.id) == [12, 11])
    #expect(
      try store.snapshot.inverse("staff", of: "Department", id: .int(1)).map(\.id) == [.int(11)])
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
      sentence { _ = try context.inverse("friends", of: "Department", id: .int(1)) }
        == "j: Department has no attribute 'friends'.")
    #expect(
      sentence { _ = try store.snapshot.inverse("staff", of: "Departments", id: .int(1)) }
        == "j: no entity 'Departments'.")
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
      sentence { _ = try store.snapshot.referrers(to: 1, by: \Stranger.other) }
        == "k: Stranger has no attribute '\\Stranger.other'.")
    #expect(
      sentence { _ = try store.snapshot.referrers(to: 1, by: \Employee.department) }
        == "k: the store was not opened with the type Employee. Add it to the types.")
  }
}
