import DaybookPlatform
import TestSupport
import Testing

#if canImport(Glibc) && !DAYBOOK_PORTABLE
  @Suite struct `The table of mounted file systems` {
    @Test func `the type of a file system is found by the number of the mount`() {
      let information = "pos:\t0\nflags:\t0100000\nmnt_id:\t35\nino:\t7\n"
      let mounts = """
        3 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
        35 3 0:31 / /mnt rw,relatime shared:1 - overlay overlay rw,lowerdir=/l,upperdir=/u
        350 3 0:32 / /tmp rw - tmpfs tmpfs rw
        """
      #expect(MountTable.fileSystem(information: information, mounts: mounts) == "overlay")
      #expect(MountTable.fileSystem(information: "mnt_id: 3\n", mounts: mounts) == "ext4")
      #expect(MountTable.fileSystem(information: "mnt_id: 4\n", mounts: mounts) == nil)
      #expect(MountTable.fileSystem(information: "", mounts: "") == nil)
    }
  }
#endif

@Suite struct `Mappings of files` {
  @Test func `mappings of a file that is open for writing follow writes`() throws {
    try TemporaryDirectory.with { directory in
      let file = try SystemDisk().create(directory.path("a"), permissions: 0o600)
      #expect(file.mappingsFollowWrites)
    }
  }
}
