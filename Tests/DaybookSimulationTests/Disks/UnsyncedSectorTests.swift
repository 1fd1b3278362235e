import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import Testing

private let path = "/disk/a"

/// Returns a disk with one durable file, and the open file.
private func disk(holding bytes: [UInt8]) throws -> (SimulatedDisk, any DiskFile) {
  let disk = SimulatedDisk()
  disk.setContents(bytes, at: path)
  return (disk, try disk.open(path, for: .readingAndWriting))
}

@Suite struct `Power loss with unsynced bytes in a file` {
  @Test func `an append never damages synced bytes in its sector`() throws {
    let (disk, file) = try disk(holding: bytes(100, of: 1))
    try file.put(bytes(1000, of: 2), at: 100)

    let images = disk.images(of: path)
    #expect(images.allSatisfy { $0?.prefix(100) == bytes(100, of: 1)[...] })
    #expect(images.count > 20)
  }

  @Test func `a write can damage synced bytes in its sector if the model allows it`()
    throws
  {
    let (disk, file) = try disk(holding: bytes(1024, of: 1))
    try file.put(bytes(100, of: 2), at: 100)

    let images = disk.images(of: path, assuming: .touchedSectorsMayBeLost)
    #expect(images.contains { $0?.prefix(100) != bytes(100, of: 1)[...] })
    // The next sector was not written, so it is unchanged.
    #expect(images.allSatisfy { $0?.suffix(512) == bytes(512, of: 1)[...] })
  }

  @Test func `a sector with synced bytes is either old or new`() throws {
    let (disk, file) = try disk(holding: bytes(512, of: 1))
    try file.put(bytes(512, of: 2), at: 0)

    #expect(disk.images(of: path) == [bytes(512, of: 1), bytes(512, of: 2)])
  }

  @Test func `a sector written twice has any of its versions`() throws {
    let (disk, file) = try disk(holding: bytes(512, of: 1))
    try file.put(bytes(512, of: 2), at: 0)
    try file.put(bytes(512, of: 3), at: 0)

    #expect(
      disk.images(of: path) == [bytes(512, of: 1), bytes(512, of: 2), bytes(512, of: 3)])
  }

  @Test func `the sectors of one write are kept or lost independently`() throws {
    let (disk, file) = try disk(holding: bytes(1024, of: 1))
    try file.put(bytes(1024, of: 2), at: 0)

    #expect(
      disk.images(of: path) == [
        bytes(1024, of: 1), bytes(512, of: 1) + bytes(512, of: 2),
        bytes(512, of: 2) + bytes(512, of: 1), bytes(1024, of: 2),
      ])
  }

  @Test func `a sector without synced bytes is written, zero or garbage`() throws {
    let (disk, file) = try disk(holding: bytes(512, of: 1))
    try file.put(bytes(512, of: 2), at: 512)

    let lasts = Set(disk.images(of: path).compactMap { $0 }.map { Array($0.dropFirst(512)) })
    #expect(lasts.isSuperset(of: [[], bytes(512, of: 2), bytes(512, of: 0)]))
    #expect(lasts.count > 10)
  }

  @Test func `a hole is zero or garbage after a power loss`() throws {
    let (disk, file) = try disk(holding: [])
    try file.truncate(to: 512)

    let images = disk.images(of: path)
    #expect(images.isSuperset(of: [[], bytes(512, of: 0)]))
    #expect(images.count > 10)
  }

  @Test func `a lost size truncates the file`() throws {
    let (disk, file) = try disk(holding: bytes(10, of: 1))
    try file.put([2, 2], at: 10)
    try file.put([3, 3], at: 12)

    let images = disk.images(of: path)
    #expect(Set(images.map { $0?.count }) == [10, 12, 14])
    #expect(images.allSatisfy { $0?.prefix(10) == bytes(10, of: 1)[...] })
  }

  @Test func `a truncation is lost or kept`() throws {
    let (disk, file) = try disk(holding: bytes(2000, of: 1))
    try file.truncate(to: 1024)

    #expect(disk.images(of: path) == [bytes(2000, of: 1), bytes(1024, of: 1)])
  }

  @Test func `truncated and regrown bytes are old or zero`() throws {
    let (disk, file) = try disk(holding: bytes(1024, of: 1))
    try file.truncate(to: 512)
    try file.truncate(to: 1024)

    #expect(
      disk.images(of: path) == [
        bytes(1024, of: 1), bytes(512, of: 1), bytes(512, of: 1) + bytes(512, of: 0),
      ])
  }

  @Test func `synced bytes are kept by every outcome`() throws {
    let (disk, file) = try disk(holding: [])
    try file.put(bytes(3000, of: 1), at: 100)
    try file.truncate(to: 2500)
    try file.sync()

    let expected = bytes(100, of: 0) + bytes(2400, of: 1)
    for model in SectorModel.allCases {
      #expect(disk.images(of: path, assuming: model, count: 50) == [expected])
      for outcome in PowerLossOutcome.allCases {
        #expect(disk.powerLoss(outcome, assuming: model).contents(of: path) == expected)
      }
    }
  }

  @Test func `each fixed outcome leaves the documented contents`() throws {
    let (disk, file) = try disk(holding: bytes(512, of: 1))
    try file.put(bytes(1024, of: 2), at: 0)
    let other = try disk.makeFile("/disk/b")
    try other.put([7], at: 0)

    func left(_ outcome: PowerLossOutcome) -> [[UInt8]?] {
      let image = disk.powerLoss(outcome)
      return [image.contents(of: path), image.contents(of: "/disk/b")]
    }
    #expect(left(.everythingSurvives) == [bytes(1024, of: 2), [7]])
    #expect(left(.everythingLost) == [bytes(512, of: 1), nil])
    #expect(left(.onlyNamesSurvive) == [bytes(512, of: 1), []])
    #expect(left(.onlyContentsSurvive) == [bytes(1024, of: 2), nil])
    #expect(left(.zeroed) == [bytes(512, of: 1) + bytes(512, of: 0), [0]])
    let garbage = left(.garbage)
    #expect(garbage[0]?.count == 1024)
    #expect(garbage[0]?.prefix(512) == bytes(512, of: 1)[...])
    #expect(garbage[0]?.suffix(512) != bytes(512, of: 0)[...])
    #expect(garbage[0]?.suffix(512) != bytes(512, of: 2)[...])
    #expect(garbage == left(.garbage))
  }

  @Test func `the same seed leaves the same disk`() throws {
    let (disk, file) = try disk(holding: bytes(700, of: 1))
    for place in stride(from: 0, to: 40_000, by: 700) {
      try file.put(bytes(600, of: 2), at: UInt64(place))
    }
    var (one, two, three) = (SplitMix64(seed: 1), SplitMix64(seed: 1), SplitMix64(seed: 2))
    let image = disk.powerLoss(using: &one).contents(of: path)
    #expect(image == disk.powerLoss(using: &two).contents(of: path))
    #expect(image != disk.powerLoss(using: &three).contents(of: path))
  }

  @Test func `the disk after a power loss is durable and has no recorded calls`() throws {
    let (disk, file) = try disk(holding: bytes(512, of: 1))
    #expect(try file.lock())
    try file.put(bytes(2000, of: 2), at: 0)
    disk.recordsCalls = true
    disk.plan = .failAlways(from: 1, with: 5)

    var generator = SplitMix64(seed: 3)
    let left = disk.powerLoss(using: &generator)
    #expect(left.callCount == 0 && left.log.isEmpty && left.plan == .none)
    #expect(left.images(of: path, count: 50) == [left.contents(of: path)])
    #expect(try left.open(path, for: .reading).lock())
    // The original disk is unchanged.
    #expect(disk.contents(of: path) == bytes(2000, of: 2))
  }

  /// The law: an image has the size of one of the file's states since its last sync. Each sector is
  /// that of one state, or had no synced byte.
  @Test(arguments: 0..<UInt64(30))
  func `an image has only sectors of states since the last sync`(seed: UInt64) throws {
    var lots = SplitMix64(seed: seed)
    func lot(_ bound: UInt64) -> UInt64 { lots.next() % bound }
    let (disk, file) = try disk(holding: bytes(Int(lot(3000)), of: 9))
    var states = [disk.contents(of: path) ?? []]

    for step in 0..<60 {
      switch lot(8) {
      case 0: try file.truncate(to: lot(4000))
      case 1:
        try file.sync()
        states = []
      default:
        try file.put(bytes(1 + Int(lot(900)), of: UInt8(10 + step)), at: lot(3000))
      }
      states.append(disk.contents(of: path) ?? [])

      var generator = SplitMix64(seed: lot(.max))
      let image = try #require(disk.powerLoss(using: &generator).contents(of: path))
      #expect(states.contains { $0.count == image.count })
      for start in stride(from: 0, to: min(image.count, states[0].count), by: 512) {
        let sector = Array(image[start..<min(start + 512, image.count)])
        let isKnown = states.contains { state in
          let known = state.dropFirst(start).prefix(sector.count)
          return known + bytes(sector.count - known.count, of: 0) == sector[...]
        }
        #expect(isKnown, "sector at \(start) after step \(step)")
      }
    }
  }
}

@Suite struct `A sync that fails or lies` {
  @Test func `bytes dropped by a failed sync are not saved by a later sync`() throws {
    let (disk, file) = try disk(holding: bytes(1024, of: 1))
    disk.plan = .fail(call: 1, with: 5, only: [.sync])
    try file.put(bytes(512, of: 2), at: 0)
    #expect(code { try file.sync() } == 5)
    try file.put(bytes(512, of: 3), at: 512)
    try file.sync()

    #expect(try file.get(1024, at: 0) == bytes(512, of: 2) + bytes(512, of: 3))
    #expect(
      disk.images(of: path) == [
        bytes(512, of: 1) + bytes(512, of: 3), bytes(512, of: 2) + bytes(512, of: 3),
      ])
    #expect(
      disk.powerLoss(.everythingLost).contents(of: path)
        == bytes(512, of: 1) + bytes(512, of: 3))
  }

  @Test func `bytes dropped beyond the synced size stay zero or garbage`() throws {
    let (disk, file) = try disk(holding: bytes(512, of: 1))
    disk.plan = .fail(call: 1, with: 5, only: [.sync])
    try file.put(bytes(512, of: 2), at: 512)
    #expect(code { try file.sync() } == 5)
    try file.sync()

    let images = disk.images(of: path)
    #expect(images.allSatisfy { $0?.count == 1024 && $0?.prefix(512) == bytes(512, of: 1)[...] })
    #expect(images.contains(bytes(512, of: 1) + bytes(512, of: 0)))
    #expect(images.contains(bytes(512, of: 1) + bytes(512, of: 2)))
    #expect(images.count > 10)
    #expect(
      disk.powerLoss(.everythingLost).contents(of: path)
        == bytes(512, of: 1) + bytes(512, of: 0))
  }

  @Test func `a hole dropped by a failed sync stays lost`() throws {
    let (disk, file) = try disk(holding: [])
    disk.plan = .fail(call: 1, with: 5, only: [.sync])
    try file.truncate(to: 512)
    #expect(code { try file.sync() } == 5)
    try file.sync()
    #expect(disk.images(of: path).count > 10)
  }

  @Test func `dropped bytes are saved after they are written and synced again`() throws {
    let (disk, file) = try disk(holding: bytes(1024, of: 1))
    disk.plan = .fail(call: 1, with: 5, only: [.sync])
    try file.put(bytes(1024, of: 2), at: 0)
    #expect(code { try file.sync() } == 5)
    try file.put([3], at: 0)
    try file.sync()

    // Writing one byte makes its whole sector dirty, and the other stays dropped.
    let first = [3] + bytes(511, of: 2)
    #expect(disk.images(of: path) == [first + bytes(512, of: 1), first + bytes(512, of: 2)])
  }

  @Test func `an honest sync saves the bytes of a lying one`() throws {
    let (disk, file) = try disk(holding: bytes(512, of: 1))
    disk.plan = .ignoreSync(from: 2)
    try file.put(bytes(512, of: 2), at: 0)
    try file.sync()
    try file.put(bytes(512, of: 3), at: 0)
    try file.sync()
    #expect(disk.images(of: path) == [bytes(512, of: 2), bytes(512, of: 3)])

    disk.plan = .none
    try file.sync()
    #expect(disk.images(of: path) == [bytes(512, of: 3)])
  }

  @Test func `a lying sync of a directory keeps no name`() throws {
    let disk = SimulatedDisk()
    disk.plan = .ignoreSync()
    try disk.makeFile(path).sync()
    try disk.syncDirectory("/disk")
    #expect(disk.powerLoss(.everythingLost).paths == [])
    #expect(disk.powerLoss(.everythingSurvives).paths == [path])
  }
}

@Suite struct `All possible disks after a power loss` {
  /// Tests two sectors, one with three versions and one with two, and a file without a durable
  /// name.
  @Test func `all combinations of versions and names are enumerated once`() throws {
    let (disk, file) = try disk(holding: bytes(1024, of: 1))
    try file.put(bytes(512, of: 2), at: 0)
    try file.put(bytes(512, of: 3), at: 0)
    try file.put(bytes(512, of: 4), at: 512)
    _ = try disk.create("/disk/b", permissions: 0o600)

    var images: Set<[UInt8]> = []
    var count = 0
    let areAll = disk.everyPowerLoss(limit: 100) { after in
      count += 1
      let contents = after.contents(of: path) ?? []
      images.insert([contents[0], contents[512], after.contents(of: "/disk/b") == nil ? 0 : 1])
    }
    #expect(areAll)
    #expect(count == 12)
    #expect(
      images
        == Set(
          [1, 2, 3].flatMap { one in
            [1, 4].flatMap { other in [[one, other, 0], [one, other, 1]] }
          }))
  }

  @Test func `a synced disk has one image, and an exceeded limit is reported`() throws {
    let (disk, file) = try disk(holding: bytes(1024, of: 1))
    var count = 0
    #expect(disk.everyPowerLoss(limit: 1) { _ in count += 1 })
    #expect(count == 1)
    try file.put(bytes(1024, of: 2), at: 0)
    #expect(!disk.everyPowerLoss(limit: 3) { _ in count += 1 })
    #expect(count == 4)
  }

  @Test func `the enumerated images include garbage and zeros for unsynced sectors`() throws {
    let (disk, file) = try disk(holding: [])
    try file.put(bytes(512, of: 2), at: 0)
    var images: Set<[UInt8]> = []
    #expect(disk.everyPowerLoss(limit: 100) { images.insert($0.contents(of: path) ?? []) })
    // The file is empty, or its sector has zeros, garbage or the written bytes.
    #expect(images.count == 4)
    #expect(images.contains([]) && images.contains(bytes(512, of: 0)))
    #expect(images.contains(bytes(512, of: 2)))
  }
}
