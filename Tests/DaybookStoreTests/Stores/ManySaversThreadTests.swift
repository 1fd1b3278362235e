import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Testing

/// Concurrent saves of many tasks, each with its own context.
@Suite("Concurrent saves") struct ManySaversThreadTests {
  private let disk = SimulatedDisk()

  private func open() throws -> Store {
    try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
  }

  /// The outcomes of the saves of many tasks.
  private struct Ends: Sendable {
    var saved: [Int] = []
    var sequences: [SequenceNumber] = []
    var conflicts = 0
    /// The saves of unknown outcome, and those known to be refused.
    var unknown: [Int] = []
    var refused: [Int] = []

    mutating func add(_ other: Ends) {
      saved += other.saved
      sequences += other.sequences
      conflicts += other.conflicts
      unknown += other.unknown
      refused += other.refused
    }
  }

  /// Inserts records in concurrent tasks, each with its own context, one record per save.
  private func insert(
    tasks: Int, each: Int, into store: Store, _ id: @escaping @Sendable (Int, Int) -> Int
  ) async -> Ends {
    await withTaskGroup(of: Ends.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var ends = Ends()
          for number in 0..<each {
            let id = id(task, number)
            let context = store.makeContext(isolation: nil)
            do {
              try context.insert(Numbered(id: id, name: "\(task)"))
              guard let receipt = try await context.save(isolation: nil) else { continue }
              ends.saved.append(id)
              ends.sequences.append(receipt.sequence)
            } catch let error as StoreError {
              switch error.reason {
              case .conflict, .validation: ends.conflicts += 1
              case .unknown: ends.unknown.append(id)
              default: ends.refused.append(id)
              }
            } catch {
              Issue.record("\(error)")
            }
          }
          return ends
        }
      }
      return await group.reduce(into: Ends()) { $0.add($1) }
    }
  }

  private func ids(_ store: Store) throws -> [Int] {
    try store.snapshot.objects(Numbered.self).map(\.id).sorted()
  }

  @Test func `each concurrent save has its own transaction and is in the store`() async throws {
    let store = try open()
    let ends = await insert(tasks: 64, each: 12, into: store) { $0 * 1000 + $1 }
    #expect(ends.conflicts == 0 && ends.unknown.isEmpty && ends.refused.isEmpty)
    #expect(try ids(store) == ends.saved.sorted())
    #expect(ends.sequences.sorted() == (1...768).map { SequenceNumber(rawValue: $0) })
    try await store.close()
    let again = try open()
    #expect(try ids(again) == ends.saved.sorted())
    try await again.close()
  }

  @Test func `one of many inserts of one record succeeds, and the others fail`()
    async throws
  {
    let store = try open()
    let ends = await insert(tasks: 24, each: 12, into: store) { $1 }
    #expect(try ids(store) == Array(0..<12))
    #expect(ends.saved.sorted() == Array(0..<12))
    // A later task cannot even insert the record.
    #expect(ends.conflicts + ends.refused.count + ends.saved.count == 24 * 12)
    #expect(ends.unknown.isEmpty)
    try await store.close()
  }

  @Test(arguments: [1, 2, 5, 9])
  func `each concurrent save has one outcome when a sync fails`(
    failing: Int
  ) async throws {
    let store = try open()
    disk.clearLog()
    disk.plan = .fail(call: failing, with: EIO, only: [.sync])
    let ends = await insert(tasks: 40, each: 20, into: store) { $0 * 1000 + $1 }
    disk.plan = .none
    #expect(!ends.unknown.isEmpty)
    #expect(ends.saved.count + ends.unknown.count + ends.refused.count == 800)
    try await store.recover()
    let there = Set(try ids(store))
    #expect(Set(ends.saved).isSubset(of: there))
    #expect(there.isSubset(of: ends.saved + ends.unknown))
    let after = await insert(tasks: 40, each: 2, into: store) { 100_000 + $0 * 1000 + $1 }
    #expect(after.saved.count == 80)
    #expect(try ids(store).count == there.count + 80)
    try await store.close()
  }
}
