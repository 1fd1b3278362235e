import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Records that exist only for their owners.
@Suite struct `Owned records` {
  private struct Plan: Record, Equatable {
    var id = 0
    var title = ""
    static let schema = RecordSchema<Plan>("Plan").attribute("title", at: \.title)
  }

  private struct Project: Record, Equatable {
    var id = 0
    var name: String?
    var plan: Reference<Plan>?
    var drafts: [Reference<Plan>] = []
    var lease: Reference<Plan>?
    static let schema = RecordSchema<Project>("Project")
      .attribute("name", at: \.name)
      .owned("plan", at: \.plan)
      .owned("drafts", at: \.drafts)
      .owned("lease", at: \.lease, whenOwnerDeleted: .deny)
      .unique(\.name)
  }

  private func make(_ projects: Project..., plans: [Int]) throws -> Store {
    let store = try Store.inMemory(records: Project.self, Plan.self)
    try store.writing { context in
      for id in plans { try context.insert(Plan(id: id)) }
      for project in projects { try context.insert(project) }
    }
    return store
  }

  private func plans(_ store: Store) throws -> [Int] {
    try store.snapshot.objects(Plan.self).map(\.id)
  }

  @Test(arguments: [false, true])
  func `a record that was given to a further owner stays`(hasBoundary: Bool) throws {
    let store = try make(Project(id: 1, plan: Reference(1)), Project(id: 2), plans: [1])
    try store.writing { context in
      try context.update(Project.self, id: 1) { $0.plan = nil }
      try context.update(Project.self, id: 2) { $0.plan = Reference(1) }
      if hasBoundary { context.processPendingChanges() }
      try context.delete(Project.self, id: 1)
    }
    #expect(try plans(store) == [1])
    #expect(try store.snapshot.object(Project.self, id: 2)?.plan == Reference(1))
  }

  @Test func `a record of several owners is deleted with the last one`() throws {
    let store = try make(
      Project(id: 1, drafts: [Reference(1), Reference(2)]),
      Project(id: 2, plan: Reference(2), drafts: [Reference(1)]), plans: [1, 2])
    try store.writing { try $0.delete(Project.self, id: 1) }
    #expect(try plans(store) == [1, 2])
    try store.writing { try $0.delete(Project.self, id: 2) }
    #expect(try plans(store) == [])
  }

  @Test(arguments: [false, true])
  func `an owner that is inserted and deleted in one save takes its record along`(
    hasBoundary: Bool
  ) throws {
    let store = try make(plans: [])
    try store.writing { context in
      try context.insert(Plan(id: 1))
      try context.insert(Project(id: 1, plan: Reference(1)))
      if hasBoundary { context.processPendingChanges() }
      try context.delete(Project.self, id: 1)
      // A new owner of the same identifier owns nothing.
      try context.insert(Project(id: 1))
    }
    #expect(try plans(store) == [])
    #expect(try store.snapshot.objects(Project.self) == [Project(id: 1)])
  }

  @Test func `a record that a rule has deleted can be deleted again before the save`() throws {
    let store = try make(Project(id: 1, plan: Reference(1)), plans: [1])
    try store.writing { context in
      try context.delete(Project.self, id: 1)
      try context.delete(Plan.self, id: 1)
      context.processPendingChanges()
      try context.delete(Plan.self, id: 1)
      let error = #expect(throws: StoreError.self) { try context.delete(Project.self, id: 1) }
      #expect(error?.description == "store in memory: Project 1 does not exist.")
    }
    #expect(try plans(store) == [])
    let error = #expect(throws: StoreError.self) {
      try store.writing { try $0.delete(Plan.self, id: 1) }
    }
    #expect(error?.description == "store in memory: Plan 1 does not exist.")
  }

  @Test func `an owner is not denied for what it has released`() throws {
    let store = try make(Project(id: 1, lease: Reference(1)), Project(id: 2), plans: [1, 2])
    try store.writing { context in
      try context.update(Project.self, id: 1) { $0.lease = nil }
      try context.delete(Project.self, id: 1)
    }
    #expect(try store.snapshot.objects(Project.self).map(\.id) == [2])
    #expect(try plans(store) == [1, 2])
    // A different writer gives the owner a record meanwhile.
    let context = store.makeContext()
    context.mergePolicy = .contextWins
    try context.update(Project.self, id: 2) { $0.name = "b" }
    try context.delete(Project.self, id: 2)
    try store.writing { try $0.update(Project.self, id: 2) { $0.lease = Reference(1) } }
    let error = #expect(throws: StoreError.self) { try context.saveAndWait() }
    #expect(
      error?.description
        == "store in memory: Project 2 cannot be deleted while its lease is set. Nothing was saved."
    )
  }

  // MARK: Other writers

  @Test(arguments: [false, true])
  func `a record that is deleted and inserted again needs no owner`(hasBoundary: Bool) throws {
    let store = try make(Project(id: 1, plan: Reference(1)), Project(id: 2), plans: [1])
    try store.writing { context in
      // For a while, the plan has a second owner.
      try context.update(Project.self, id: 2) { $0.plan = Reference(1) }
      try context.delete(Project.self, id: 1)
      if hasBoundary { context.processPendingChanges() }
      try context.delete(Plan.self, id: 1)
      try context.insert(Plan(id: 1, title: "new"))
    }
    #expect(try store.snapshot.objects(Plan.self) == [Plan(id: 1, title: "new")])
    #expect(try store.snapshot.objects(Project.self) == [Project(id: 2)])
  }

  @Test func `what a different writer has given to a deleted owner is deleted with it`() throws {
    let store = try make(Project(id: 1, plan: Reference(1)), plans: [1, 2])
    let context = store.makeContext()
    context.mergePolicy = .contextWins
    try context.delete(Project.self, id: 1)
    try store.writing { context in
      try context.update(Project.self, id: 1) {
        $0.plan = Reference(2)
        $0.drafts = [Reference(1)]
      }
    }
    try context.saveAndWait()
    #expect(try plans(store) == [])
  }

  @Test func `what a different writer has taken from a deleted owner stays`() throws {
    let store = try make(Project(id: 1, plan: Reference(1)), Project(id: 2), plans: [1])
    let context = store.makeContext()
    context.mergePolicy = .contextWins
    try context.delete(Project.self, id: 1)
    try store.writing { context in
      try context.update(Project.self, id: 2) { $0.plan = Reference(1) }
      try context.update(Project.self, id: 1) { $0.plan = nil }
    }
    try context.saveAndWait()
    #expect(try plans(store) == [1])
    #expect(try context.objects(Plan.self).map(\.id) == [1])
  }

  @Test func `two writers that each delete one of two owners leave no record behind`() throws {
    let store = try make(
      Project(id: 1, plan: Reference(1)), Project(id: 2, drafts: [Reference(1)]), plans: [1])
    let context = store.makeContext()
    try context.delete(Project.self, id: 1)
    try store.writing { try $0.delete(Project.self, id: 2) }
    #expect(try plans(store) == [1])
    try context.saveAndWait()
    #expect(try plans(store) == [])
  }

  @Test(arguments: [false, true], [false, true])
  func `an owner that is inserted again leaves no record to an owner that a second writer deletes`(
    hasBoundary: Bool, isDeletedAgain: Bool
  ) throws {
    let store = try make(
      Project(id: 1, plan: Reference(1)), Project(id: 2, drafts: [Reference(1)]), plans: [1])
    let context = store.makeContext()
    try context.delete(Project.self, id: 1)
    if hasBoundary { context.processPendingChanges() }
    try context.insert(Project(id: 1, name: "a"))
    if isDeletedAgain {
      if hasBoundary { context.processPendingChanges() }
      try context.delete(Project.self, id: 1)
    }
    try store.writing { try $0.delete(Project.self, id: 2) }
    #expect(try plans(store) == [1])
    try context.saveAndWait()
    #expect(try plans(store) == [])
  }

  @Test func `a merge does not change what a context has given away`() throws {
    let store = try make(
      Project(id: 1, plan: Reference(1)), Project(id: 2), Project(id: 3), plans: [1])
    let context = store.makeContext()
    try context.update(Project.self, id: 2) { $0.plan = Reference(1) }
    try context.update(Project.self, id: 1) { $0.plan = nil }
    try store.writing { try $0.update(Project.self, id: 3) { $0.name = "c" } }
    try context.mergeChanges()
    try context.delete(Project.self, id: 1)
    try context.saveAndWait()
    #expect(try plans(store) == [1])
  }

  // MARK: Unique values

  @Test func `a new record keeps what it takes over from the record that it replaces`() throws {
    let store = try make(Project(id: 1, name: "a", plan: Reference(1)), plans: [1])
    let context = store.makeContext()
    context.uniqueConflictPolicy = .replace
    try context.insert(Project(id: 2, name: "a", plan: Reference(1)))
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Project.self) == [Project(id: 2, name: "a", plan: Reference(1))])
    #expect(try plans(store) == [1])
  }

  @Test func `a new record that is not saved takes its new record along`() throws {
    let store = try make(Project(id: 1, name: "a"), plans: [1])
    let context = store.makeContext()
    context.uniqueConflictPolicy = .skip
    try context.insert(Plan(id: 2))
    try context.insert(Project(id: 2, name: "a", plan: Reference(2), drafts: [Reference(1)]))
    try context.saveAndWait()
    #expect(try plans(store) == [1])
    context.uniqueConflictPolicy = .update
    try context.insert(Plan(id: 3))
    try context.insert(Project(id: 3, name: "a", plan: Reference(3)))
    try context.saveAndWait()
    #expect(try plans(store) == [1, 3])
    #expect(
      try store.snapshot.objects(Project.self) == [Project(id: 1, name: "a", plan: Reference(3))])
  }

  // MARK: The law

  /// The law: a record exists exactly as long as an owner names it. With a second writer, a save
  /// leaves a record without an owner only if it has itself released the record: the second writer
  /// may have deleted the owner that the record was left to.
  @Test(arguments: [1, 2])
  func `an owned record exists as long as an owner names it`(writerCount: Int) throws {
    for seed in 0..<UInt64(FaultRow.count(60, full: 3000, least: 25)) {
      var random = SplitMix64(seed: seed)
      let store = try make(Project(id: 0), Project(id: 1), plans: [])
      let contexts = (0..<writerCount).map { _ in store.makeContext() }
      var lastPlan = 0
      var released: [Set<Int>] = contexts.map { _ in [] }
      var ownerless: Set<Int> = []
      for _ in 0..<60 {
        let writer = random.below(writerCount)
        let context = contexts[writer]
        if let plan = try change(context, &lastPlan, using: &random) {
          released[writer].insert(plan)
        }
        if random.below(3) == 0 { context.processPendingChanges() }
        if writerCount == 1 {
          let reader = try context.objects(Project.self)
          #expect(
            try Set(context.objects(Plan.self).map(\.id)) == owned(by: reader), "seed \(seed)")
        }
        if random.below(4) == 0 {
          // A conflict is refused. Otherwise one side would overwrite what the other has given.
          do { try context.saveAndWait() } catch {
            guard case .conflict = error.reason else { throw error }
            try context.rollback()
            try context.mergeChanges()
            released[writer] = []
          }
          let named = owned(by: try store.snapshot.objects(Project.self))
          let left = try Set(plans(store)).subtracting(named)
          try #require(left.isSubset(of: ownerless.union(released[writer])), "seed \(seed)")
          ownerless = left
          released[writer] = []
        }
      }
    }
  }

  private func owned(by projects: [Project]) -> Set<Int> {
    Set(projects.flatMap { [$0.plan].compactMap(\.self) + $0.drafts }.map(\.id))
  }

  /// Inserts or deletes an owner, gives an owner a new record, or gives a record to a different
  /// owner.
  ///
  /// - Returns: The record that an owner has released; nil if none has.
  private func change(
    _ context: EditingContext, _ lastPlan: inout Int, using random: inout SplitMix64
  ) throws -> Int? {
    let projects = try context.objects(Project.self)
    let id = random.below(6)
    guard let project = projects.first(where: { $0.id == id }) else {
      lastPlan += 1
      try context.insert(Plan(id: lastPlan))
      try context.insert(Project(id: id, plan: Reference(lastPlan)))
      return nil
    }
    switch random.below(4) {
    case 0: try context.delete(Project.self, id: id)
    case 1:
      lastPlan += 1
      try context.insert(Plan(id: lastPlan))
      let plan = Reference<Plan>(lastPlan)
      try context.update(Project.self, id: id) { $0.drafts.append(plan) }
    default:
      let others = projects.filter { $0.id != id }
      guard !others.isEmpty, let plan = project.drafts.first ?? project.plan else { return nil }
      try context.update(Project.self, id: others[random.below(others.count)].id) {
        if !$0.drafts.contains(plan) { $0.drafts.append(plan) }
      }
      // A record can have two owners.
      if random.below(3) == 0 { return nil }
      try context.update(Project.self, id: id) {
        $0.drafts.removeAll { $0 == plan }
        if $0.plan == plan { $0.plan = nil }
      }
      return plan.id
    }
    return nil
  }
}
