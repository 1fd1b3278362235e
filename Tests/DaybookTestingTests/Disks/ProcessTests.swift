import DaybookJournal
import DaybookPlatform
import DaybookTesting
import Glibc
import Testing

@Suite struct `Locking a file` {
  private let disk = SimulatedDisk()

  init() { disk.setContents([1], at: "a") }

  @Test func `one opening has the lock, and another may have it after that`() throws {
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

  @Test func `closing an opening without the lock leaves it where it is`() throws {
    let one = try disk.open("a", for: .reading)
    #expect(try one.lock())
    _ = try disk.open("a", for: .reading).lock()
    #expect(try disk.open("a", for: .reading).lock() == false)
    withExtendedLifetime(one) {}
  }

  @Test func `waiting for a lock takes it if it is free and fails if it would wait`() throws {
    let one = try disk.open("a", for: .reading)
    let two = try disk.open("a", for: .reading)
    try one.lockWaiting()
    #expect(code { try two.lockWaiting() } == EDEADLK)
    withExtendedLifetime(one) {}
  }

  @Test func `the lock is the file's, whatever its name`() throws {
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
  @Test func `its files are closed, its locks free, and its writes there`() throws {
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

  @Test func `a dead opening that goes away takes nothing of the living with it`() throws {
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

@Suite struct `What a test does behind the program's back` {
  private let disk = SimulatedDisk()

  @Test func `contents put there are durable under a durable name`() throws {
    let file = try disk.makeFile("a")
    try file.put([1], at: 0)
    disk.setContents([2, 2], at: "a")
    disk.setContents([3], at: "/disk/b")
    #expect(disk.namings(count: 50) == ["a=2 b=3"])
    #expect(try file.get(9, at: 0) == [2, 2])
    #expect(disk.paths == ["/disk/a", "/disk/b"])
    #expect(disk.contents(of: "/disk") == nil)
  }

  @Test func `a corrupted byte is so in memory, on disk, and in what may become of it`() throws {
    disk.setContents([1, 1], at: "a")
    let file = try disk.open("a", for: .readingAndWriting)
    try file.put([2, 2], at: 0)
    disk.corrupt("a", at: 1, xor: 0x80)
    #expect(try file.get(2, at: 0) == [2, 0x82])
    #expect(disk.images(of: "a") == [[1, 0x81], [2, 0x82]])
  }

  @Test func `a copy has the same bytes unsynced and goes its own way`() throws {
    disk.setContents([1], at: "a")
    let file = try disk.open("a", for: .readingAndWriting)
    #expect(try file.lock())
    try file.put([2], at: 0)
    _ = try disk.makeFile("b")
    disk.capacity = 100
    disk.plan = .failForEver(from: 1, with: EIO)

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
