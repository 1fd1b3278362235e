import DaybookPlatform
import TestSupport
import Testing

@Suite struct `A watch on a directory` {
  // A wait that misses its event would last for a day.
  private let dayMilliseconds = 86_400_000

  @Test func `a wait ends when a file is created, changed, renamed or removed`() throws {
    try TemporaryDirectory.with { directory in
      let disk = SystemDisk()
      let watch = try disk.watch(directory.path)
      let path = try directory.write([1], to: "file")
      watch.wait(milliseconds: dayMilliseconds)
      let file = try disk.open(path, for: .readingAndWriting)
      let bytes: [UInt8] = [2]
      try file.writeAll(bytes.span.bytes, at: 0)
      watch.wait(milliseconds: dayMilliseconds)
      try disk.rename(path, to: directory.path("other"))
      watch.wait(milliseconds: dayMilliseconds)
      try disk.remove(directory.path("other"))
      watch.wait(milliseconds: dayMilliseconds)
    }
  }

  @Test func `wake ends the next wait`() throws {
    try TemporaryDirectory.with { directory in
      let watch = try SystemDisk().watch(directory.path)
      for _ in 0..<3 {
        watch.wake()
        watch.wait(milliseconds: dayMilliseconds)
      }
    }
  }

  @Test func `a directory that does not exist cannot be watched`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("missing")
      #expect(
        sentence { _ = try SystemDisk().watch(path) }
          == "\(path): watch: No such file or directory (2).")
    }
  }
}
