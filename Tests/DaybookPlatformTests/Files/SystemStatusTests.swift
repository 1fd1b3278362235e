import DaybookCLibrary
import DaybookPlatform
import TestSupport
import Testing

/// Tests the status of open files and of their names.
@Suite struct `The status of a file` {
  private let disk = SystemDisk()

  @Test func `the status of a file is the same by descriptor and by name`() throws {
    try TemporaryDirectory.with { directory in
      let path = try directory.write([1, 2, 3], to: "file")
      #expect(symlink(path, directory.path("link")) == 0)
      #expect(mkfifo(directory.path("fifo"), 0o640) == 0)
      // With enough privileges the owner and the group become different numbers.
      _ = chown(path, 65_534, 12_345)
      #expect(chmod(path, 0o4751) == 0)
      try disk.link(path, to: directory.path("other"))
      let paths = [path, directory.path("link"), directory.path("fifo"), directory.path]
      for path in paths + ["/dev/null", "/proc/self/status"] {
        let file = try disk.open(path, for: .reading)
        #expect(try file.status() == disk.status(of: path))
      }
      let file = try disk.open(path, for: .readingAndWriting)
      #expect(try file.status().byteCount == 3 && file.status().linkCount == 2)
      #expect(try file.status().permissions == 0o4751)
      try disk.remove(path)
      try file.truncate(to: 5)
      #expect(try file.status().byteCount == 5 && file.status().linkCount == 1)
    }
  }

  #if canImport(Glibc) && !DAYBOOK_PORTABLE
    // Linux gives a write the time of the last clock tick. It gives the exact time only if the
    // times of the file were read since the last write, or if another file has received a later
    // time.
    @Test func `reading the status does not make the next write record an exact time`() throws {
      try TemporaryDirectory.with { directory in
        let hasTimeOfTick = try (0..<2000).contains { attempt in
          let name = "file \(attempt)"
          let file = try disk.open(try directory.write([1], to: name), for: .readingAndWriting)
          #expect(try file.status().byteCount == 1)
          let tick = lastTick
          let bytes: [UInt8] = [2]
          #expect(try file.write(bytes.span.bytes, at: 0) == 1)
          var information = stat()
          #expect(stat(directory.path(name), &information) == 0)
          return information.st_mtim.tv_sec == tick.tv_sec
            && information.st_mtim.tv_nsec == tick.tv_nsec
        }
        #expect(hasTimeOfTick)
      }
    }

    private var lastTick: timespec {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME_COARSE, &time)
      return time
    }
  #endif

  @Test func `starting a sync of bytes outside the file has no effect`() throws {
    try TemporaryDirectory.with { directory in
      let path = try directory.write([1, 2, 3], to: "file")
      let file = try disk.open(path, for: .readingAndWriting)
      for offset: UInt64 in [0, 2, 1 << 40, .max] {
        for byteCount in [-1, 0, 1, .max] { file.startSync(at: offset, byteCount: byteCount) }
      }
      try file.sync()
      #expect(try directory.bytes(of: "file") == [1, 2, 3])
    }
  }
}
