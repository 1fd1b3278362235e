import Glibc

extension FileStatus {
  /// Creates a status from the result of a `stat` call.
  init(_ information: stat) {
    self.init(
      mode: UInt32(information.st_mode),
      identity: FileIdentity(
        device: UInt64(information.st_dev), number: UInt64(information.st_ino)),
      byteCount: UInt64(max(0, information.st_size)), linkCount: Int(information.st_nlink),
      owner: information.st_uid, group: information.st_gid)
  }

  /// Creates a status from the mode bits, which contain the kind and the permissions.
  init(
    mode: UInt32, identity: FileIdentity, byteCount: UInt64, linkCount: Int, owner: UInt32,
    group: UInt32
  ) {
    let kind: Kind =
      switch mode & UInt32(S_IFMT) {
      case UInt32(S_IFREG): .file
      case UInt32(S_IFDIR): .directory
      case UInt32(S_IFIFO): .fifo
      case UInt32(S_IFSOCK): .socket
      case UInt32(S_IFCHR), UInt32(S_IFBLK): .device
      default: .other
      }
    self.init(
      kind: kind, identity: identity, byteCount: byteCount, linkCount: linkCount,
      permissions: UInt16(mode & 0o7777), owner: owner, group: group)
  }
}
