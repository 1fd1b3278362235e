import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import Testing

@Suite struct `Power loss with unsynced names` {
  private let disk = SimulatedDisk()

  @Test func `a synced file has no durable name`() throws {
    let file = try disk.makeFile("a")
    try file.put([1], at: 0)
    try file.sync()
    #expect(disk.namings() == ["", "a=1"])

    try disk.syncDirectory("/disk")
    #expect(disk.namings() == ["a=1"])
  }

  @Test func `a durable name guarantees no durable bytes`() throws {
    try disk.makeFile("a").put([1], at: 0)
    try disk.syncDirectory("/disk")
    #expect(disk.powerLoss(.everythingLost).contents(of: "a") == [])
  }

  @Test func `a power loss during a replacing rename leaves one complete file`() throws {
    disk.setContents([1], at: "a")
    disk.setContents([2], at: "b")
    try disk.rename("b", to: "a")
    #expect(disk.namings() == ["a=1 b=2", "a=2"])

    try disk.syncDirectory("/disk")
    #expect(disk.namings() == ["a=2"])
  }

  @Test func `a rename without a durable source name can be lost with the file`() throws {
    disk.setContents([1], at: "a")
    let file = try disk.makeFile("b")
    try file.put([2], at: 0)
    try file.sync()
    try disk.rename("b", to: "a")
    #expect(disk.namings() == ["a=1", "a=1 b=2", "a=2"])
  }

  @Test func `a rename never moves an older file with the same name`() throws {
    disk.setContents([1], at: "a")
    disk.setContents([2], at: "b")
    try disk.remove("b")
    let file = try disk.makeFile("b")
    try file.put([3], at: 0)
    try file.sync()
    try disk.rename("b", to: "a")
    #expect(disk.namings() == ["a=1 b=2", "a=1", "a=1 b=3", "a=3"])
  }

  @Test func `a removal never removes an older file with the same name`() throws {
    disk.setContents([1], at: "a")
    disk.setContents([2], at: "b")
    try disk.rename("a", to: "b")
    try disk.remove("b")
    #expect(disk.namings() == ["a=1 b=2", "b=1", ""])
  }

  @Test func `a removal and a link are each kept or lost`() throws {
    disk.setContents([1], at: "a")
    try disk.link("a", to: "b")
    try disk.remove("a")
    #expect(disk.namings() == ["a=1", "a=1 b=1", "", "b=1"])
  }

  @Test func `syncing a directory saves its own names and no others`() throws {
    disk.makeDirectory("/disk/other")
    _ = try disk.makeFile("a")
    _ = try disk.makeFile("other/b")
    try disk.syncDirectory("other")
    #expect(disk.powerLoss(.everythingLost).paths == ["/disk/other/b"])
  }

  @Test func `a rename between directories is durable once either is synced`() throws {
    disk.makeDirectory("/disk/other")
    let file = try disk.makeFile("a")
    try file.put([1], at: 0)
    try file.sync()
    try disk.rename("a", to: "other/b")
    let reverse = disk.copy()
    try disk.syncDirectory("other")
    #expect(disk.namings() == ["b=1"])
    try reverse.syncDirectory("/disk")
    #expect(reverse.namings() == ["b=1"])
  }

  @Test func `a failed sync of a directory drops no names`() throws {
    _ = try disk.makeFile("a")
    disk.plan = .fail(call: 1, with: 5, only: [.syncDirectory])
    #expect(code { try disk.syncDirectory("/disk") } == 5)
    #expect(disk.powerLoss(.everythingLost).paths == [])
    try disk.syncDirectory("/disk")
    #expect(disk.powerLoss(.everythingLost).paths == ["/disk/a"])
  }

  @Test func `a file removed while open is restored if the removal is lost`() throws {
    disk.setContents([1], at: "a")
    let file = try disk.open("a", for: .readingAndWriting)
    try disk.remove("a")
    try file.put([2], at: 0)
    #expect(try file.status().linkCount == 0)
    #expect(disk.namings() == ["", "a=1", "a=2"])
    try disk.syncDirectory("/disk")
    #expect(try file.get(1, at: 0) == [2])
    #expect(disk.namings() == [""])
  }

  @Test func `links and directories made by a test are durable`() throws {
    disk.setContents([1], at: "a")
    disk.makeDirectory("/x/y")
    disk.makeLink(at: "/x/y/b", to: "../../disk/a")
    let left = disk.powerLoss(.everythingLost)
    #expect(left.contents(of: "/x/y/b") == [1])
  }
}

@Suite struct `Following links` {
  private let disk = SimulatedDisk()

  @Test func `a dangling link cannot be opened or created over`() throws {
    disk.makeLink(at: "a", to: "nowhere")
    disk.setContents([1], at: "b")
    #expect(code { _ = try disk.open("a", for: .reading) } == ENOENT)
    #expect(code { _ = try disk.status(of: "a") } == ENOENT)
    #expect(code { _ = try disk.resolve("a") } == ENOENT)
    #expect(code { _ = try disk.makeFile("a") } == EEXIST)
    #expect(code { try disk.link("b", to: "a") } == EEXIST)
  }

  @Test func `a path resolves through its links, and its last name can be missing`() throws {
    disk.makeDirectory("/x/y")
    disk.makeLink(at: "/disk/here", to: "/x/y")
    disk.makeLink(at: "/x/y/a", to: "b")
    disk.setContents([1], at: "/x/y/b")
    #expect(try disk.resolve("here/a") == "/x/y/b")
    #expect(try disk.resolve("here/../new") == "/x/new")
    #expect(try disk.resolve("new") == "/disk/new")
    #expect(try disk.open("here/a", for: .reading).get(9, at: 0) == [1])
    #expect(code { _ = try disk.resolve("nowhere/new") } == ENOENT)
  }

  @Test func `circular links are reported`() throws {
    disk.makeLink(at: "a", to: "b")
    disk.makeLink(at: "b", to: "a")
    #expect(code { _ = try disk.resolve("a") } == ELOOP)
    #expect(code { _ = try disk.open("a/c", for: .reading) } == ELOOP)
  }
}
