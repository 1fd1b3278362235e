import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite("Concurrent saves with a policy for unique conflicts") struct UniqueConflictThreadTests {
  private struct Person: Record, Hashable {
    var id = 0
    var email = ""
    static let schema = RecordSchema<Person>("Person").attribute("email", at: \.email)
      .unique(\.email)
  }

  private struct Order: Record, Hashable {
    var id = 0
    var buyer: Reference<Person>?
    static let schema = RecordSchema<Order>("Order")
      .reference("buyer", at: \.buyer, whenTargetDeleted: .nullify)
  }

  @Test(arguments: [UniqueConflictPolicy.skip, .update, .replace])
  func `concurrent savers leave one record for each value`(policy: UniqueConflictPolicy) throws {
    let disk = SimulatedDisk()
    let types: [any Record.Type] = [Person.self, Order.self]
    let store = try Store(at: "j", types: types, options: .simulated(disk))
    let roundCount = 30
    let threads = (0..<4).map { thread in
      TestThread {
        (0..<roundCount).map { round in
          sentence {
            let id = thread * roundCount + round
            let context = store.makeContext(isolation: nil)
            context.uniqueConflictPolicy = policy
            try context.insert(Person(id: id, email: "e\(round % 5)"))
            try context.insert(Order(id: id, buyer: Reference(id)))
            try context.saveAndWait()
          }
        }
      }
    }
    let answers = Set(threads.flatMap { $0.value() })
    #expect(answers == ["nothing is thrown"])
    let people = try store.snapshot.objects(Person.self)
    #expect(people.map(\.email).sorted() == (0..<5).map { "e\($0)" })
    let orders = try store.snapshot.objects(Order.self)
    #expect(orders.count == 4 * roundCount)
    let ids = Set(people.map(\.id))
    #expect(orders.allSatisfy { $0.buyer.map { ids.contains($0.id) } ?? (policy == .replace) })
    #expect(ids.isSubset(of: Set(orders.compactMap { $0.buyer?.id })))
    try store.closeAndWait()
    let again = try Store(at: "j", types: types, options: .simulated(disk))
    #expect(try again.snapshot.objects(Order.self) == orders)
    try again.closeAndWait()
  }
}
