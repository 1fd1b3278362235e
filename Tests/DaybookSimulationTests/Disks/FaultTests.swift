import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import Testing

/// Makes every kind of call once under a plan, in the order of `operations`, and returns the errno
/// of each.
private func everyCall(on disk: SimulatedDisk, _ plan: FaultPlan = .none) throws -> [Int32?] {
  let file = try disk.open("a", for: .readingAndWriting)
  disk.clearLog()
  disk.plan = plan
  var codes: [Int32?] = []
  codes.append(code { _ = try disk.open("a", for: .reading) })
  codes.append(code { _ = try disk.create("b", permissions: 0o600) })
  codes.append(code { _ = try file.get(4, at: 0) })
  codes.append(code { try file.put([1, 2, 3, 4], at: 0) })
  codes.append(code { try file.sync() })
  codes.append(code { try file.truncate(to: 8) })
  codes.append(code { _ = try file.status() })
  // A simulated disk cannot map files. Its error is not a planned failure.
  codes.append(code { _ = try file.map(byteCount: 4) }.flatMap { $0 == ENODEV ? nil : $0 })
  codes.append(code { _ = try file.lock() })
  codes.append(code { try file.lockWaiting() })
  codes.append(code { try file.setPermissions(0o644, owner: 1, group: 2) })
  codes.append(code { try disk.link("a", to: "c") })
  codes.append(code { try disk.rename("a", to: "d") })
  codes.append(code { try disk.remove("e") })
  codes.append(code { _ = try disk.list("/disk") })
  codes.append(code { _ = try disk.status(of: "/disk") })
  codes.append(code { _ = try disk.resolve("/disk/a") })
  codes.append(code { try disk.syncDirectory("/disk") })
  codes.append(code { _ = try disk.watch("/disk") })
  return codes
}

private let operations: [DiskError.Operation] = [
  .open, .create, .read, .write, .sync, .truncate, .status, .map, .lock, .lock, .setPermissions,
  .link, .rename, .remove, .list, .status, .resolve, .syncDirectory, .watch,
]

private func sample() -> SimulatedDisk {
  let disk = SimulatedDisk()
  disk.setContents(bytes(100, of: 9), at: "a")
  disk.setContents([], at: "e")
  return disk
}

@Suite struct `Planned failures of calls` {
  @Test func `every call is counted and recorded`() throws {
    let disk = sample()
    disk.recordsCalls = true
    #expect(try everyCall(on: disk).allSatisfy { $0 == nil })
    #expect(disk.callCount == operations.count)
    #expect(disk.log.map(\.operation) == operations)
    #expect(Set(operations) == Set(DiskError.Operation.allCases))
    #expect(disk.log[1].description == "create b")
    #expect(disk.log[3].description == "write a at 0, 4 bytes")
    disk.clearLog()
    #expect(disk.callCount == 0 && disk.log.isEmpty)
  }

  @Test func `a planned failure affects only the call with its number`() throws {
    for number in 1...operations.count {
      let codes = try everyCall(on: sample(), .fail(call: number, with: EINTR))
      let expected = operations.indices.map { $0 == number - 1 ? EINTR : nil }
      #expect(codes == expected)
    }
  }

  @Test func `a permanent failure affects its call and all later ones`() throws {
    for number in 1...operations.count {
      let codes = try everyCall(on: sample(), .failAlways(from: number, with: ENOSPC))
      let expected = operations.indices.map { $0 >= number - 1 ? ENOSPC : nil }
      #expect(codes == expected)
    }
  }

  @Test func `a failed call has no effect`() throws {
    for number in 1...operations.count {
      let disk = sample()
      _ = try everyCall(on: disk, .fail(call: number, with: EIO))
      let whole: [UInt8] = [1, 2, 3, 4, 9, 9, 9, 9]
      switch operations[number - 1] {
      case .create: #expect(disk.contents(of: "b") == nil)
      case .write: #expect(disk.contents(of: "d") == bytes(8, of: 9))
      case .truncate: #expect(disk.contents(of: "d") == [1, 2, 3, 4] + bytes(96, of: 9))
      case .link: #expect(disk.contents(of: "c") == nil)
      case .rename: #expect(disk.contents(of: "d") == nil && disk.contents(of: "a") == whole)
      case .remove: #expect(disk.contents(of: "e") == [])
      default: #expect(disk.contents(of: "d") == whole)
      }
    }
  }

  @Test func `a plan for some operations counts only those`() throws {
    let disk = sample()
    let file = try disk.open("a", for: .readingAndWriting)
    disk.clearLog()
    disk.plan = .fail(call: 2, with: EIO, only: [.sync])
    #expect(code { try file.put([1], at: 0) } == nil)
    #expect(code { try file.sync() } == nil)
    #expect(code { try file.put([1], at: 0) } == nil)
    #expect(code { try file.sync() } == EIO)
    #expect(code { try file.sync() } == nil)
  }

  @Test func `the first of two plans has priority`() throws {
    let disk = sample()
    let plan = FaultPlan.fail(call: 2, with: EIO).combined(with: .failAlways(from: 2, with: ENOSPC))
    #expect(try everyCall(on: disk, plan).prefix(4) == [nil, EIO, ENOSPC, ENOSPC])
  }

  @Test func `an error names the call, the path and the reason`() throws {
    let disk = sample()
    disk.plan = .fail(call: 1, with: EIO)
    let error = #expect(throws: DiskError.self) { try disk.rename("a", to: "b") }
    #expect(error.map { "\($0)" } == "a: rename: Input/output error (5).")
  }
}

@Suite struct `Short reads and writes` {
  private let disk = sample()

  @Test func `a short call transfers at least one byte and not all`() throws {
    disk.plan = .shortAlways()
    let file = try disk.open("a", for: .readingAndWriting)
    for byteCount in 2...60 {
      let written = try file.put(bytes(byteCount, of: 5), at: 0)
      #expect((1..<byteCount).contains(written))
      let read = try file.get(byteCount, at: 0)
      #expect((1..<byteCount).contains(read.count))
    }
    #expect(try file.put([6], at: 0) == 1)
    #expect(try file.get(1, at: 0) == [6])
    #expect(try file.put([], at: 0) == 0)
  }

  @Test func `a short write returns the number of written bytes`() throws {
    disk.plan = .short(call: 2)
    let file = try disk.open("a", for: .readingAndWriting)
    let count = try file.put(bytes(100, of: 5), at: 0)
    #expect(count < 100)
    #expect(disk.contents(of: "a") == bytes(count, of: 5) + bytes(100 - count, of: 9))
    #expect(try file.put(bytes(100, of: 5), at: 0) == 100)
  }

  @Test func `a call that cannot be short succeeds`() throws {
    #expect(try everyCall(on: disk, .shortAlways(from: 1, only: [.sync])).allSatisfy { $0 == nil })
  }

  @Test func `a torn write keeps the planned bytes and fails`() throws {
    let file = try disk.open("a", for: .readingAndWriting)
    disk.plan = .tornWrite(call: 1, keeping: 30, only: [.write])
    #expect(code { try file.put(bytes(100, of: 5), at: 0) } == EIO)
    #expect(disk.contents(of: "a") == bytes(30, of: 5) + bytes(70, of: 9))
    #expect(try file.put(bytes(100, of: 6), at: 0) == 100)
  }
}

@Suite struct `Power loss during a run` {
  @Test func `a power loss fails its call and all later ones`() throws {
    for number in 1...operations.count {
      let codes = try everyCall(on: sample(), .losePower(at: number))
      let expected = operations.indices.map { $0 >= number - 1 ? EIO : nil }
      #expect(codes == expected)
    }
  }

  @Test func `a power loss keeps any sectors of its write, none of them durable`() throws {
    var found: Set<[UInt8]?> = []
    for seed in 0..<UInt64(100) {
      let disk = SimulatedDisk()
      disk.setContents(bytes(1200, of: 1), at: "a")
      let file = try disk.open("a", for: .readingAndWriting)
      disk.plan = .losePower(at: 2, seed: seed)
      #expect(code { try file.put(bytes(1000, of: 2), at: 100) } == EIO)
      found.insert(disk.contents(of: "a"))
      #expect(disk.powerLoss(.everythingLost).contents(of: "a") == bytes(1200, of: 1))
    }
    // Three sectors, each written or not.
    #expect(found.count == 8)
    #expect(found.allSatisfy { $0?.prefix(100) == bytes(100, of: 1)[...] })
  }

  @Test func `a power loss during a rename keeps or loses it`() throws {
    var found: Set<String> = []
    for seed in 0..<UInt64(20) {
      let disk = SimulatedDisk()
      disk.setContents([1], at: "a")
      disk.setContents([2], at: "b")
      disk.plan = .losePower(at: 1, seed: seed)
      #expect(code { try disk.rename("b", to: "a") } == EIO)
      found.insert(disk.naming)
      #expect(disk.powerLoss(.everythingLost).naming == "a=1 b=2")
    }
    #expect(found == ["a=1 b=2", "a=2"])
  }

  @Test func `a power loss during a sync guarantees nothing`() throws {
    let disk = SimulatedDisk()
    disk.setContents([1], at: "a")
    let file = try disk.open("a", for: .readingAndWriting)
    try file.put([2], at: 0)
    disk.plan = .losePower(at: 3)
    #expect(code { try file.sync() } == EIO)
    #expect(disk.images(of: "a") == [[1], [2]])
  }
}

@Suite struct `A simulated full disk` {
  private let disk = SimulatedDisk()

  @Test func `a write on a full disk is short, then fails until space is free`()
    throws
  {
    disk.setContents(bytes(60, of: 1), at: "a")
    disk.setContents(bytes(20, of: 1), at: "b")
    disk.capacity = 100
    let file = try disk.open("a", for: .readingAndWriting)
    #expect(try file.put(bytes(50, of: 2), at: 50) == 30)
    #expect(disk.contents(of: "a") == bytes(50, of: 1) + bytes(30, of: 2))
    #expect(code { try file.put([3], at: 80) } == ENOSPC)
    // Existing bytes can be overwritten.
    #expect(try file.put(bytes(80, of: 4), at: 0) == 80)

    try disk.remove("b")
    #expect(try file.put(bytes(50, of: 5), at: 80) == 20)
    #expect(code { try file.put([3], at: 100) } == ENOSPC)
    disk.capacity = nil
    #expect(try file.put(bytes(50, of: 5), at: 100) == 50)
  }

  @Test func `a truncation or creation beyond the capacity fails without effect`() throws {
    disk.setContents(bytes(60, of: 1), at: "a")
    disk.capacity = 100
    let file = try disk.open("a", for: .readingAndWriting)
    #expect(code { try file.truncate(to: 101) } == ENOSPC)
    #expect(code { try file.put([1], at: 100) } == ENOSPC)
    #expect(disk.contents(of: "a") == bytes(60, of: 1))
    try file.truncate(to: 100)
    #expect(code { _ = try disk.makeFile("b") } == ENOSPC)
    #expect(disk.paths == ["/disk/a"])
    try file.truncate(to: 99)
    _ = try disk.makeFile("b")
  }

  @Test func `the bytes of a removed file are free after it is closed`() throws {
    disk.setContents(bytes(100, of: 1), at: "a")
    disk.capacity = 100
    var file: (any DiskFile)? = try disk.open("a", for: .reading)
    try disk.remove("a")
    #expect(code { _ = try disk.makeFile("b") } == ENOSPC)
    withExtendedLifetime(file) {}
    file = nil
    _ = try disk.makeFile("b")
  }

  @Test func `planned failures also apply on a full disk`() throws {
    disk.capacity = 10
    disk.plan = .fail(call: 2, with: EIO).combined(with: .shortAlways(from: 4))
    let file = try disk.makeFile("a")
    #expect(code { try file.put(bytes(20, of: 1), at: 0) } == EIO)
    #expect(try file.put(bytes(20, of: 1), at: 0) == 10)
    #expect(code { try file.put(bytes(20, of: 1), at: 10) } == ENOSPC)
    #expect(try (1..<10).contains(file.put(bytes(10, of: 1), at: 0)))
  }
}
