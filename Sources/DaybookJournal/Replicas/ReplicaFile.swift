import DaybookPlatform

/// The file beside a replica that names its shared log, `NAME-shared`.
///
/// ```
///   0  magic          u64
///   8  identity       16 bytes, of the journal
///  24  next           u64   the number after a transaction that the log has acknowledged
///  32  check          u64   the checksum that ends the frame of that transaction
///  40  address length u32
///  44  address        of the log, in UTF-8, without a password
///   …  file check     u64   the checksum of everything above, seeded with 0
/// ```
///
/// The file is not derived from the journal, so Daybook never removes it. It exists before the
/// replica gets its name. So a program that opens the replica without its log finds the file, and
/// does not append transactions that the log does not have.
package struct ReplicaFile: Hashable, Sendable {
  package static let suffix = "-shared"
  static let magic: UInt64 = 0x1A0A_0D6C_5941_4489
  private static let nameByteCountMax = 4096

  var identity: JournalIdentity
  /// A position that the log has acknowledged: the end of the replica at its creation, its last
  /// repair or its last close.
  var head: SharedHead
  /// The address of the log.
  package var log: String

  init(identity: JournalIdentity, head: SharedHead, log: String) {
    self.identity = identity
    self.head = head
    self.log = log
  }

  var bytes: [UInt8] {
    let name = Array(log.utf8.prefix(ReplicaFile.nameByteCountMax))
    var page = PageWriter()
    page.append(ReplicaFile.magic)
    page.append(identity.high)
    page.append(identity.low)
    page.append(head.next.rawValue)
    page.append(head.checksum)
    page.append(UInt32(name.count))
    page.append(name)
    page.appendCheck(seed: 0)
    return page.bytes
  }

  /// Creates the contents from bytes; nil if the bytes are not those of such a file.
  init?(_ bytes: [UInt8]) {
    let view = ByteView(bytes)
    guard bytes.count >= 52, view.load(0, as: UInt64.self) == ReplicaFile.magic else { return nil }
    let end = 44 + Int(view.load(40, as: UInt32.self))
    guard bytes.count == end + 8,
      view[0..<end].withSpan({ XXH64.checksum($0, seed: 0) }) == view.load(end, as: UInt64.self)
    else { return nil }
    identity = JournalIdentity(
      high: view.load(8, as: UInt64.self), low: view.load(16, as: UInt64.self))
    head = SharedHead(
      next: SequenceNumber(view.load(24, as: UInt64.self)), checksum: view.load(32, as: UInt64.self)
    )
    log = String(decoding: bytes[44..<end], as: UTF8.self)
  }

  /// Reads the file beside a journal; nil if it does not exist.
  ///
  /// - Throws: `DiskError`, also if the file is damaged
  package static func read(
    beside location: JournalLocation, on disk: any Disk
  ) throws(DiskError) -> ReplicaFile? {
    let path = location.resolvedPath + suffix
    let file: any DiskFile
    do throws(DiskError) { file = try disk.open(path, for: .reading) } catch {
      if error.code == Errno.noSuchFile { return nil }
      throw error
    }
    let count = min(try file.status().byteCount, UInt64(52 + nameByteCountMax))
    guard let contents = ReplicaFile(try file.bytes(at: 0, count: Int(count))) else {
      throw DiskError(.read, path: path, code: Errno.inputOutputError)
    }
    return contents
  }

  /// Creates or replaces the file beside a journal.
  func write(beside location: JournalLocation, _ options: JournalOptions) throws(DiskError) {
    let target = JournalLocation(location.name + ReplicaFile.suffix, beside: location)
    let bytes = bytes
    _ = try JournalCreation.write(at: target, options, permissions: options.permissions) {
      (file) throws(DiskError) in
      try file.writeAll(bytes.span.bytes, at: 0)
    } named: { (newPath) throws(DiskError) in
      try options.disk.rename(newPath, to: target.resolvedPath)
      return true
    }
  }
}
