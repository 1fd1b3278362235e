import DaybookPlatform
import Synchronization
import TestSupport
import Testing

@Suite("Locks of files") struct FileLockThreadTests {
  private let disk = SystemDisk()

  @Test func `a file is locked from lock to unlock, for each opening of it`() throws {
    try TemporaryDirectory.with { directory in
      let path = try directory.write([1], to: "file")
      let one = try disk.open(path, for: .readingAndWriting)
      let other = try disk.open(path, for: .reading)
      #expect(!one.isLocked && !other.isLocked)
      #expect(try one.lock())
      #expect(one.isLocked && other.isLocked)
      #expect(try !other.lock())
      one.unlock()
      #expect(!one.isLocked && !other.isLocked)
      #expect(try other.lock())
      #expect(one.isLocked)
    }
  }

  @Test func `a file that is closed is not locked`() throws {
    try TemporaryDirectory.with { directory in
      let path = try directory.write([1], to: "file")
      let reader = try disk.open(path, for: .reading)
      do {
        let writer = try disk.open(path, for: .readingAndWriting)
        #expect(try writer.lock() && reader.isLocked)
      }
      #expect(!reader.isLocked)
    }
  }

  @Test func `a lock does not apply to a new file with the old name`() throws {
    try TemporaryDirectory.with { directory in
      let path = try directory.write([1], to: "file")
      let old = try disk.open(path, for: .reading)
      try disk.remove(path)
      let new = try disk.create(path, permissions: 0o600)
      #expect(try new.lock())
      #expect(!old.isLocked && new.isLocked)
    }
  }

  @Test func `checking whether a file is locked does not prevent locking it`() throws {
    try TemporaryDirectory.with { directory in
      let path = try directory.write([1], to: "file")
      let writer = try disk.open(path, for: .readingAndWriting)
      let reader = try disk.open(path, for: .reading)
      let isAsking = Atomic(true)
      let thread = SystemThread(stackByteCount: 256 << 10) {
        while isAsking.load(ordering: .relaxed) { _ = reader.isLocked }
      }
      var failureCount = 0
      for _ in 0..<50 {
        if try writer.lock() { writer.unlock() } else { failureCount += 1 }
      }
      isAsking.store(false, ordering: .relaxed)
      thread?.join()
      #expect(failureCount == 0)
    }
  }

  @Test func `a barrier does not change the bytes of a file`() throws {
    try TemporaryDirectory.with { directory in
      let file = try disk.create(directory.path("file"), permissions: 0o600)
      let bytes: [UInt8] = [1, 2, 3]
      try file.writeAll(bytes.span.bytes, at: 0)
      try file.barrier()
      #expect(try directory.bytes(of: "file") == bytes)
    }
  }
}
