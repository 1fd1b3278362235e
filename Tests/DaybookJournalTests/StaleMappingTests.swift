import DaybookJournal
import DaybookTesting
import TestSupport
import Testing

/// Following a journal on an overlay file system, which copies a file when it is first opened for writing: mappings made
/// before stay with the old copy.
@Suite struct `A disk whose mappings do not follow writes` {
  @Test(arguments: [JournalReading.mapped, .copied])
  func `a follower reads what is written after it was opened`(reading: JournalReading) throws {
    let disk = SimulatedDisk()
    let first = try FileJournal(at: "a", .simulated(disk))
    try first.mustAppend([1])
    try first.closeAndWait()
    var overlay = PassingDisk(disk)
    overlay.mapsOldCopies = true
    let follower = try FileFollower(at: "a", on: overlay, reading: reading)
    func payloads() throws -> [[UInt8]] {
      var payloads: [[UInt8]] = []
      while case .transaction(let transaction) = try follower.next() {
        payloads.append(transaction.payload.copy())
      }
      return payloads
    }
    #expect(try payloads() == [[1]])
    let writer = try FileJournal(at: "a", .simulated(disk, seed: 2))
    for byte in 2...9 as ClosedRange<UInt8> {
      try writer.mustAppend([byte])
      #expect(try payloads() == [[byte]])
    }
    try writer.closeAndWait()
  }

  @Test func `the type of a file system is found by the number of the mount`() {
    let information = "pos:\t0\nflags:\t0100000\nmnt_id:\t35\nino:\t7\n"
    let mounts = """
      3 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
      35 3 0:31 / /mnt rw,relatime shared:1 - overlay overlay rw,lowerdir=/l,upperdir=/u
      350 3 0:32 / /tmp rw - tmpfs tmpfs rw
      """
    #expect(SystemMounts.fileSystem(information: information, mounts: mounts) == "overlay")
    #expect(SystemMounts.fileSystem(information: "mnt_id: 3\n", mounts: mounts) == "ext4")
    #expect(SystemMounts.fileSystem(information: "mnt_id: 4\n", mounts: mounts) == nil)
    #expect(SystemMounts.fileSystem(information: "", mounts: "") == nil)
  }

  @Test func `mappings of a file that is open for writing follow writes`() throws {
    try TemporaryDirectory.with { directory in
      let file = try SystemDisk().create(directory.path("a"), permissions: 0o600)
      #expect(file.mappingsFollowWrites)
    }
  }
}
