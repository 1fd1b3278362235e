import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Replicas that start from the base of a shared log: their files, faults and hostile bases.
@Suite struct `Replicas of a compacted log` {
  private func increment(_ store: Store) async throws {
    try await store.write(isolation: nil) { context in
      try context.update(SharedCounter.self, id: 0) { $0.count += 1 }
    }
  }

  private func count(_ store: Store) throws -> Int? {
    try store.snapshot.object(SharedCounter.self, id: 0)?.count
  }

  /// Performs a call that blocks its thread.
  private func blocking(_ call: @escaping @Sendable () throws -> Void) async throws {
    try await WorkerThreads.shared.value { Result { try call() } }.get()
  }

  /// A machine whose replica ends before the base of its log, closed, and the log.
  private func lateMachine(
    maps: Bool = false
  ) async throws -> (machine: SharedMachine, log: MemorySharedLog) {
    let log = MemorySharedLog(name: "banks")
    let machine = SharedMachine(1, log: log.connect())
    machine.disk.mapsFiles = maps
    let late = try await machine.open()
    for id in 1...3 { try await late.insert(id) }
    late.tend()
    try await late.close()
    let other = try await SharedMachine(2, log: log.connect()).open()
    for id in 4...6 { try await other.insert(id) }
    try await other.write(isolation: nil) { context in
      try context.update(SharedCounter.self, id: 2) { $0.note = String(repeating: "x", count: 900) }
      try context.delete(SharedCounter.self, id: 1)
    }
    try await other.compactSharedLog(keeping: .nothing)
    try await other.write(isolation: nil) { context in
      try context.update(SharedCounter.self, id: 2) { $0.count = 7 }
    }
    try await other.close()
    return (machine, log)
  }

  private func check(_ store: Store) throws {
    #expect(try store.ids == [2, 3, 4, 5, 6])
    let counter = try #require(try store.snapshot.object(SharedCounter.self, id: 2))
    #expect(counter.count == 7 && counter.note.count == 900)
  }

  @Test(arguments: [true, false])
  func `a follower of a replica continues after its restart`(maps: Bool) async throws {
    let (machine, log) = try await lateMachine(maps: maps)
    let follower = try Store(
      following: SharedMachine.path, types: [SharedCounter.self],
      options: .simulated(machine.disk))
    #expect(try follower.ids == [1, 2, 3])
    let store = try await machine.open(connectedTo: log.connect())
    #expect(store.replicaRestart?.base == 7)
    try check(store)
    try await store.close()
    #expect(try follower.catchUp())
    try check(follower)
    #expect(Audit.differences(store.snapshot, follower.snapshot) == [])
    try await follower.close()
  }

  @Test(arguments: [true, false])
  func `a follower of a replica with a base reads its later transactions`(
    maps: Bool
  ) async throws {
    let (machine, log) = try await lateMachine(maps: maps)
    let store = try await machine.open(connectedTo: log.connect())
    let follower = try Store(
      following: SharedMachine.path, types: [SharedCounter.self],
      options: .simulated(machine.disk))
    for number in 1...40 {
      try await store.write(isolation: nil) { context in
        try context.update(SharedCounter.self, id: 2) { $0.count = number }
        if number % 8 == 0 {
          try context.update(SharedCounter.self, id: 3) {
            $0.note = String(repeating: "z", count: 900)
          }
        } else {
          try context.update(SharedCounter.self, id: 3) { $0.count = number }
        }
        if number % 10 == 0 { try context.insert(SharedCounter(id: number)) }
        if number % 10 == 5, number > 10 { try context.delete(SharedCounter.self, id: number - 5) }
      }
      if number % 7 == 0 {
        store.tend()
        try follower.catchUp()
      }
    }
    try await store.close()
    try follower.catchUp()
    #expect(Audit.differences(store.snapshot, follower.snapshot) == [])
    for number in 7...store.snapshot.sequence.rawValue {
      let sequence = SequenceNumber(number)
      #expect(
        Audit.differences(try store.snapshot(at: sequence), try follower.snapshot(at: sequence))
          == [], "after transaction \(number)")
    }
    for id in [2, 3, 5, 20] {
      let histories = try [store, follower].map { store in
        try store.history(of: "Counter", id: .int(Int64(id)))
          .map { "\($0.sequence) \($0.change.kind)" }
      }
      #expect(histories[0] == histories[1])
    }
    try await follower.close()
  }

  @Test(arguments: [false, true])
  func `a restart that ends at any call of the disk is made again`(losesPower: Bool) async throws {
    var random = SplitMix64(seed: 5)
    var call = 1
    while true {
      var (machine, log) = try await lateMachine()
      machine.disk.clearLog()
      machine.disk.plan =
        losesPower
        ? .losePower(at: call, seed: random.next())
        : .fail(call: call, with: Errno.inputOutputError)
      let store = try? await machine.open(connectedTo: log.connect())
      try? await store?.close()
      let isOver = machine.disk.callCount < call
      if losesPower {
        machine.disk = machine.disk.powerLoss(using: &random)
      } else {
        machine.disk.plan = .none
        machine.disk.killProcess()
      }
      // An opening that failed before the rename leaves the old replica, or the new one.
      let again = try await machine.open(connectedTo: log.connect())
      try check(again)
      try await again.insert(9)
      try await again.close()
      #expect(machine.disk.paths.contains { $0.contains("-lost-1") }, "call \(call)")
      if isOver { break }
      call += 1
    }
    #expect(call > 20)
  }

  @Test func `a replica with a base is salvaged, and compacted as a backup`() async throws {
    let (machine, log) = try await lateMachine()
    try await machine.open(connectedTo: log.connect()).close()
    let store = try await machine.open(connectedTo: log.connect())
    try store.backup(to: "copy")
    let options = JournalOptions.simulated(machine.disk)
    try await blocking {
      let report = try Store.salvage(from: "copy", to: "salvaged", options: options)
      #expect(report.gaps.isEmpty && report.notUnderstood.isEmpty)
      let compaction = try Store.compact(at: "copy", options: options)
      #expect(compaction.base == 8)
    }
    for name in ["copy", "salvaged"] {
      let copy = try Store(at: name, types: [SharedCounter.self], options: options)
      try check(copy)
      try await copy.close()
    }
    try await store.close()
  }

  @Test func `the base of a compacted journal is kept in a compacted log`() async throws {
    let options = JournalOptions.simulated(SimulatedDisk(seed: 9))
    let own = try Store(at: "own.daybook", types: [SharedCounter.self], options: options)
    for id in 1...5 { try await own.insert(id) }
    try await own.write(isolation: nil) { context in
      try context.update(SharedCounter.self, id: 2) { $0.note = String(repeating: "y", count: 900) }
    }
    try await own.close()
    let log = MemorySharedLog(name: "banks")
    try await blocking { _ = try Store.compact(at: "own.daybook", options: options) }
    _ = try await Store.publish(at: "own.daybook", to: log.connect(), options: options)
    let store = try await SharedMachine(1, log: log.connect()).open()
    try await store.write(isolation: nil) { context in
      try context.delete(SharedCounter.self, id: 3)
      try context.update(SharedCounter.self, id: 2) { $0.count = 1 }
    }
    #expect(try await store.compactSharedLog(keeping: .nothing).base == 7)
    let clone = try await SharedMachine(2, log: log.connect()).open()
    #expect(try clone.ids == [1, 2, 4, 5])
    for number in 2...3 {
      try await clone.write(isolation: nil) { context in
        try context.update(SharedCounter.self, id: 2) { $0.count = number }
        try context.update(SharedCounter.self, id: 4) { $0.count = number }
      }
    }
    try await store.pull()
    #expect(Audit.differences(store.snapshot, clone.snapshot) == [])
    #expect(try store.snapshot(at: 7).object(SharedCounter.self, id: 2)?.note.count == 900)
    #expect(try clone.snapshot(at: 7).object(SharedCounter.self, id: 2)?.note.count == 900)
    try await store.close()
    try await clone.close()
  }

  @Test func `a log that lost transactions after its base gets them again`() async throws {
    let (machine, log) = try await lateMachine()
    let store = try await machine.open(connectedTo: log.connect())
    let groups = log.groups
    for id in 10...11 { try await store.insert(id) }
    log.replaceGroups(groups)
    _ = try? await store.pull()
    let plan = try #require(try await store.repairPlan())
    #expect(plan.action == .appendAgain && plan.divergence.missingCount == 2)
    #expect(try await store.repair(plan).appendedCount == 2)
    // An empty log gets the base of the replica too.
    log.replaceGroups([])
    _ = try? await store.pull()
    let second = try #require(try await store.repairPlan())
    try await store.repair(second)
    #expect(log.groups[0].next == groups[0].next)
    let clone = try await SharedMachine(3, log: log.connect()).open()
    #expect(Audit.differences(store.snapshot, clone.snapshot) == [])
    try await store.close()
    try await clone.close()
  }

  @Test func `a follower finds that an equal time is a different transaction`() async throws {
    let (machine, log) = try await lateMachine()
    let late = try await machine.open(connectedTo: log.connect())
    let groups = log.groups
    try await late.insert(10)
    try await late.close()
    let follower = try Store(
      following: SharedMachine.path, types: [SharedCounter.self],
      options: .simulated(machine.disk))
    #expect(try follower.ids == [2, 3, 4, 5, 6, 10])
    log.replaceGroups(groups)
    let store = try await machine.open(connectedTo: log.connect())
    let other = try await SharedMachine(9, log: log.connect()).open()
    for id in 20...21 { try await other.insert(id) }
    _ = try? await store.pull()
    try await store.repair(try #require(try await store.repairPlan()))
    try await store.close()
    var found = "no error"
    do { _ = try follower.catchUp() } catch { found = "\(error)" }
    #expect(
      found == "banks.daybook: the journal no longer continues what was read from it. The file was "
        + "not changed. Read it again from the start.")
    #expect(try follower.ids == [2, 3, 4, 5, 6, 10])
    try await follower.close()
    try await other.close()
  }

  @Test(arguments: 0..<20)
  func `no increment is lost while the log is compacted with faults`(seed: Int) async throws {
    let log = MemorySharedLog()
    var faulty: [FaultySharedLog] = []
    var stores: [Store] = []
    for number in 0..<3 {
      let connection = FaultySharedLog(over: log.connect())
      faulty.append(connection)
      stores.append(try await SharedMachine(number, log: connection).open())
    }
    try await stores[0].write(isolation: nil) { try $0.insert(SharedCounter()) }
    for store in stores { try await store.pull() }
    for (number, connection) in faulty.enumerated() {
      connection.plan = .random(seed: UInt64(seed * 3 + number))
    }
    let (saved, unknown) = try await withThrowingTaskGroup(of: (Int, [(Int, UnknownAppend)]).self) {
      group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          var (saved, unknown) = (0, [(Int, UnknownAppend)]())
          for step in 0..<20 {
            do {
              if step % 5 == number + 1 { try await store.compactSharedLog(keeping: .nothing) }
              try await increment(store)
              saved += 1
            } catch let error as StoreError {
              switch error.reason {
              case .unknown(let append): unknown.append((number, append))
              case .journal: break
              default: throw error
              }
              _ = try? await store.recover()
            }
          }
          return (saved, unknown)
        }
      }
      var all = (0, [(Int, UnknownAppend)]())
      for try await part in group { all = (all.0 + part.0, all.1 + part.1) }
      return all
    }
    for (connection, store) in zip(faulty, stores) {
      connection.plan = .none
      await connection.performLateRequests()
      for _ in 0..<10 where (try? await store.recover()) == nil { continue }
    }
    for store in stores { for _ in 0..<10 where (try? await store.pull()) == nil { continue } }
    let included = unknown.map { stores[$0].isIncluded($1) }
    let certain = saved + included.filter { $0 == true }.count
    let possible = certain + included.filter { $0 == nil }.count
    let found = try #require(try count(stores[0]))
    #expect((certain...possible).contains(found), "\(certain)...\(possible)")
    for store in stores {
      #expect(try count(store) == found)
      try await store.close()
    }
  }

  /// The law: a base with any bytes is refused, or the store can be used.
  @Test(arguments: 0..<UInt64(FaultRow.count(30, full: 2000, least: 6)))
  func `a hostile base does not stop the process`(seed: UInt64) async throws {
    let (_, log) = try await lateMachine()
    var random = SplitMix64(seed: seed)
    let groups = log.groups
    for _ in 0..<10 {
      let first = groups[0]
      guard case .good(let header) = JournalHeader.read(ByteView(Array(first.bytes[..<4096])))
      else { throw Surprise("no header") }
      var frames = SharedBaseFrames(header)
      var reader = FrameReader(
        MappedImage(Array(first.bytes[4096...])), salt: header.salt,
        at: FramePosition(chain: FrameChain(before: header), endOffset: 0))
      var numbers: [UInt64] = []
      while try reader.advance(), reader.header.kind == .base {
        var payload = reader.payload.copy()
        for _ in 0..<random.below(3) where !payload.isEmpty {
          let place = random.below(payload.count)
          switch random.below(4) {
          case 0: payload[place] ^= UInt8(1 << random.below(8))
          case 1: payload[place] = UInt8(random.below(256))
          case 2: payload.removeSubrange(place...)
          default: payload.insert(0, at: place)
          }
        }
        if payload.isEmpty { payload = [0] }
        var number = reader.header.sequence.rawValue
        if random.below(6) == 0 { number += UInt64(random.below(3)) }
        guard number > numbers.last ?? 0 else { continue }
        numbers.append(number)
        frames.append(payload.span.bytes, of: SequenceNumber(number))
      }
      log.replaceGroups([frames.finish(nonce: 1)] + groups.dropFirst())
      do {
        let store = try await Audit.$isOff.withValue(true) {
          try await SharedMachine(7, log: log.connect()).open()
        }
        await Audit.$isOff.withValue(true) {
          _ = try? store.ids
          _ = try? store.baseTransaction()
          _ = try? store.snapshot(at: 7).objects(SharedCounter.self)
          for id in 0..<7 { _ = try? store.history(of: "Counter", id: .int(Int64(id))) }
          _ = try? await store.write(isolation: nil) { context in
            for counter in try context.objects(SharedCounter.self) {
              try context.update(SharedCounter.self, id: counter.id) { $0.count += 1 }
            }
          }
          _ = try? await store.compactSharedLog(keeping: .nothing)
          try? await store.close()
        }
      } catch is StoreError {}
    }
  }
}
