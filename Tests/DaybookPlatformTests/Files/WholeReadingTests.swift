import DaybookCLibrary
import DaybookPlatform
import DaybookSimulation
import TestSupport
import Testing

/// Tests of reading many bytes of a file at once.
@Suite struct `Reading bytes of a file` {
  /// Lengths near a page of the system, and near the limit for allocating the memory at once.
  static let lengths = [0, 1, 4095, 4096, 4097, (256 << 10) - 1, 256 << 10, (1 << 20) + 5]

  func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 8) }
  }

  @Test(arguments: lengths)
  func `reading returns the existing bytes up to the requested count`(length: Int) throws {
    let all = bytes(length)
    try TemporaryDirectory.with { directory in
      let file = try SystemDisk().open(try directory.write(all, to: "file"), for: .reading)
      for offset in [0, 1, 4096, length / 2, length, length + 1] {
        let rest = Array(all.dropFirst(offset))
        for count in [0, 1, rest.count, rest.count + 1, rest.count + 300_000] {
          let found = try file.bytes(at: UInt64(offset), count: count)
          #expect(found == Array(rest.prefix(count)), "\(count) from \(offset) of \(length)")
        }
      }
    }
  }

  @Test func `reading throws the error of a failed call`() throws {
    let disk = SimulatedDisk()
    let file = try disk.create("f", permissions: 0o600)
    try file.writeAll(bytes(300_000).span.bytes, at: 0)
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.read])
    #expect(
      sentence { _ = try file.bytes(at: 0, count: 300_000) } == "f: read: Input/output error (5).")
    #expect(try file.bytes(at: 0, count: 300_000) == bytes(300_000))
  }
}
