import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import Testing

@Suite struct `Locking a file` {
  private let disk = SimulatedDisk()

  init() { disk.setContents([1], at: "a") }

  @Test func `only one open file has the lock, and closing it releases the lock`() throws {
    var one: (any DiskFile)? = try disk.open("a", for: .reading)
    let two = try disk.open("a", for: .reading)
    #expect(two.lockHolder() == nil)
    #expect(try one?.lock() == true)
    #expect(try one?.lock() == true)
    #expect(try two.lock() == false)
    #expect(two.lockHolder() == LockHolder(process: 1, name: "simulated"))

    one = nil
    #expect(two.lockHolder() == nil)
    #expect(try two.lock())
  }

  @Test func `closing a file that does not have the lock keeps the lock`() throws {
    let one = try disk.open("a", for: .reading)
    #expect(try one.lock())
    _ = try disk.open("a", for: .reading).lock()
    #expect(try disk.open("a", for: .reading).lock() == false)
    withExtendedLifetime(one) {}
  }

  @Test func `waiting for a free lock acquires it, and for a held lock fails`() throws {
    let one = try disk.open("a", for: .reading)
    let two = try disk.open("a", for: .reading)
    try one.lockWaiting()
    #expect(code { try two.lockWaiting() } == EDEADLK)
    withExtendedLifetime(one) {}
  }

  @Test func `a lock belongs to the file and not to its name`() throws {
    let one = try disk.open("a", for: .reading)
    #expect(try one.lock())
    try disk.rename("a", to: "b")
    disk.setContents([2], at: "a")
    #expect(try disk.open("b", for: .reading).lock() == false)
    #expect(try disk.open("a", for: .reading).lock())
    withExtendedLifetime(one) {}
  }
}

@Suite struct `The end of a process` {
  @Test func `a killed process loses its files and locks, and its writes remain`() throws {
    let disk = SimulatedDisk()
    disk.setContents([1], at: "a")
    let file = try disk.open("a", for: .readingAndWriting)
    #expect(try file.lock())
    try file.put([2], at: 0)
    disk.killProcess()

    #expect(code { _ = try file.get(1, at: 0) } == EBADF)
    #expect(code { try file.put([3], at: 0) } == EBADF)
    #expect(code { try file.sync() } == EBADF)
    #expect(code { try file.truncate(to: 0) } == EBADF)
    #expect(code { _ = try file.status() } == EBADF)
    #expect(code { _ = try file.map(byteCount: 1) } == EBADF)
    #expect(code { _ = try file.lock() } == EBADF)
    #expect(code { try file.lockWaiting() } == EBADF)
    #expect(code { try file.setPermissions(0, owner: 0, group: 0) } == EBADF)
    #expect(disk.contents(of: "a") == [2])
    #expect(disk.images(of: "a") == [[1], [2]])
    #expect(try disk.open("a", for: .reading).lock())
  }

  @Test func `releasing a file of a killed process does not affect open files`() throws {
    let disk = SimulatedDisk()
    disk.setContents([1], at: "a")
    var dead: (any DiskFile)? = try disk.open("a", for: .reading)
    #expect(try dead?.lock() == true)
    disk.killProcess()
    let living = try disk.open("a", for: .reading)
    #expect(try living.lock())
    dead = nil
    #expect(try disk.open("a", for: .reading).lock() == false)
    try disk.remove("a")
    try disk.syncDirectory("/disk")
    #expect(try living.get(1, at: 0) == [1])
  }
}

@Suite struct `Direct changes by a test` {
  private let disk = SimulatedDisk()

  @Test func `contents set by a test are durable under a durable name`() throws {
    let file = try disk.makeFile("a")
    try file.put([1], at: 0)
    disk.setContents([2, 2], at: "a")
    disk.setContents([3], at: "/disk/b")
    #expect(disk.namings(count: 50) == ["a=2 b=3"])
    #expect(try file.get(9, at: 0) == [2, 2])
    #expect(disk.paths == ["/disk/a", "/disk/b"])
    #expect(disk.contents(of: "/disk") == nil)
  }

  @Test func `a corrupted byte is corrupt in memory and after a power loss`() throws {
    disk.setContents([1, 1], at: "a")
    let file = try disk.open("a", for: .readingAndWriting)
    try file.put([2, 2], at: 0)
    disk.corrupt("a", at: 1, xor: 0x80)
    #expect(try file.get(2, at: 0) == [2, 0x82])
    #expect(disk.images(of: "a") == [[1, 0x81], [2, 0x82]])
  }

  @Test func `a copy of a disk has the same unsynced bytes and is independent`() throws {
    disk.setContents([1], at: "a")
    let file = try disk.open("a", for: .readingAndWriting)
    #expect(try file.lock())
    try file.put([2], at: 0)
    _ = try disk.makeFile("b")
    disk.capacity = 100
    disk.plan = .failAlways(from: 1, with: EIO)

    let copy = disk.copy()
    #expect(copy.callCount == 0 && copy.plan == .none && copy.capacity == 100)
    #expect(copy.namings() == disk.namings())
    #expect(copy.namings().count == 4)
    #expect(try copy.open("a", for: .reading).lock())
    disk.plan = .none
    try file.put([3], at: 0)
    #expect(copy.contents(of: "a") == [2])
  }
}
