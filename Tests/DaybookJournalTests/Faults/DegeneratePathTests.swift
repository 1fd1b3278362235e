import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import TestSupport
import Testing

/// Row 15: opening a path without a journal throws an error that describes the file, and does not
/// change it.
@Suite struct `Paths without a journal` {
  /// The number of tried paths.
  private final class Tally { var count = 0 }
  private let tally = Tally()

  /// Returns the distinct messages of all ways to open a path: for writing, for reading mapped and
  /// copied, and for following.
  private func refusals(
    _ path: String, on disk: any Disk = SystemDisk(), createsIfMissing: Bool = true
  ) -> [String] {
    var options = JournalOptions()
    options.disk = disk
    options.createsIfMissing = createsIfMissing
    tally.count += 1
    var sentences: [String] = []
    func add(_ body: () throws -> Void) {
      let sentence = sentence(of: body)
      if !sentences.contains(sentence) { sentences.append(sentence) }
    }
    add { _ = try FileJournal(at: path, options: options) }
    add { _ = try JournalReader(at: path, on: disk) }
    add { _ = try JournalReader(at: path, on: disk, reading: .copied) }
    add { _ = try FileFollower(at: path, on: disk) }
    return sentences
  }

  /// Returns the message of opening a file with some bytes. All ways to open it must agree, and
  /// must not change it.
  private func refusal(of bytes: [UInt8]) throws -> String {
    try TemporaryDirectory.with { directory in
      let path = try directory.write(bytes, to: "banks.daybook")
      let sentences = refusals(path)
      #expect(sentences.count == 1)
      #expect(try directory.bytes(of: "banks.daybook") == bytes)
      #expect(directory.names == ["banks.daybook"])
      return sentences.joined(separator: "\n")
        .replacingOccurrences(of: path, with: "banks.daybook")
    }
  }

  @Test func `each path without a journal is refused with its own message`() throws {
    try FaultRow.run(15, "degenerate paths") { count in
      try files()
      try links()
      try thingsThatAreNoFiles()
      count = tally.count
    }
  }

  private func files() throws {
    #expect(
      try refusal(of: Array("Dear diary,\n".utf8)) == """
        banks.daybook: the file starts with 44 65 61 72 20 64 69 61, but a journal with 89 44 41 59 \
        0d 0a 1a 0a. Nothing was changed. Check the path.
        """)
    #expect(
      try refusal(of: [UInt8](repeating: 0x61, count: 100_000)) == """
        banks.daybook: the file starts with 61 61 61 61 61 61 61 61, but a journal with 89 44 41 59 \
        0d 0a 1a 0a. Nothing was changed. Check the path.
        """)
    #expect(
      try refusal(of: Array("{}\n".utf8)) == """
        banks.daybook: the file starts with '{', like a text journal, not with the eight bytes of a \
        binary journal. Nothing was changed. Check the path.
        """)
    #expect(
      try refusal(of: Array("{\"time\":1}\n".utf8) + [UInt8](repeating: 0x20, count: 50_000)) == """
        banks.daybook: the file starts with '{', like a text journal, not with the eight bytes of a \
        binary journal. Nothing was changed. Check the path.
        """)
    #expect(
      try refusal(of: [UInt8](repeating: 0xFF, count: 65536)) == """
        banks.daybook: the file starts with ff ff ff ff ff ff ff ff, but a journal with 89 44 41 59 \
        0d 0a 1a 0a. Nothing was changed. Check the path.
        """)
    #expect(
      try refusal(of: [UInt8](repeating: 0, count: 1 << 20 + 1)) == """
        banks.daybook: the file starts with 00 00 00 00 00 00 00 00, but a journal with 89 44 41 59 \
        0d 0a 1a 0a. Nothing was changed. Check the path.
        """)
    for byteCount in [1, 8, 72, 4095, 4096, 8191, 8192, 16383] {
      #expect(
        try refusal(of: Array(CraftedJournal().bytes()[..<byteCount])) == """
          banks.daybook: a journal has at least 16384 bytes, but this file has \(byteCount). \
          Nothing was changed. Check the path.
          """, "\(byteCount) bytes")
    }
    #expect(
      try refusal(of: CraftedJournal(version: 7, oldestReader: 5, oldestWriter: 6).bytes()) == """
        banks.daybook: the journal has format 7, which needs a build that reads format 5; this \
        build reads up to format 1. Nothing was changed. Open it with a newer build.
        """)
    var damaged = CraftedJournal().bytes()
    damaged[100] ^= 1
    damaged[4196] ^= 1
    #expect(
      try refusal(of: damaged) == """
        banks.daybook: the file starts like a journal, but both copies of its header have wrong \
        checksums. Nothing was changed. Restore it from a backup.
        """)
    let other = CraftedJournal(salt: 7).bytes()
    let torn = CraftedJournal().bytes()[..<4096] + other[4096..<8192]
    #expect(
      try refusal(of: Array(torn) + [UInt8](repeating: 0, count: 20_000)) == """
        banks.daybook: the two copies of the header differ, and the frames do not show which of \
        them is right. Nothing was changed. Restore it from a backup.
        """)
  }

  private func links() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("link")
      #expect(symlink("nothing", path) == 0)
      #expect(
        refusals(path) == [
          "\(path): the target of the symbolic link does not exist. Repair or remove the link."
        ])
      let (one, two) = (directory.path("one"), directory.path("two"))
      #expect(symlink("one", two) == 0 && symlink("two", one) == 0)
      #expect(
        refusals(one) == [
          "\(one): the target of the symbolic link does not exist. Repair or remove the link."
        ])
      #expect(directory.names == ["link", "one", "two"])

      let missing = directory.path("missing.daybook")
      #expect(
        refusals(missing, createsIfMissing: false) == [
          "\(missing): there is no file of this name. Check the path."
        ])
      let homeless = directory.path("nowhere/banks.daybook")
      #expect(
        refusals(homeless) == [
          "\(homeless): there is no directory \(directory.path("nowhere"))."
        ])
      try directory.write([1], to: "file")
      let beneath = directory.path("file/banks.daybook")
      #expect(refusals(beneath) == ["\(beneath): resolve: Not a directory (20)."])
    }
    #expect(
      refusals("") == [
        ": expected a journal file, found a directory. Nothing was changed. Name the journal's file."
      ])
    let long = "/tmp/" + String(repeating: "a", count: 256)
    #expect(refusals(long) == ["\(long): resolve: File name too long (36)."])
  }

  private func thingsThatAreNoFiles() throws {
    try TemporaryDirectory.with { directory in
      #expect(
        refusals(directory.path) == [
          """
          \(directory.path): expected a journal file, found a directory. Nothing was changed. Name \
          the journal's file.
          """
        ])
      let fifo = directory.path("fifo")
      #expect(mkfifo(fifo, 0o600) == 0)
      #expect(
        refusals(fifo) == [
          """
          \(fifo): expected a journal file, found a FIFO. Nothing was changed. Name the journal's \
          file.
          """
        ])
      let socket = directory.path("socket")
      #expect(bindSocket(socket))
      #expect(
        refusals(socket) == [
          """
          \(socket): expected a journal file, found a socket. Nothing was changed. Name the \
          journal's file.
          """
        ])
    }
    #expect(
      refusals("/dev/null") == [
        """
        /dev/null: expected a journal file, found a device. Nothing was changed. Name the journal's \
        file.
        """
      ])
  }

  /// Creates a socket at a path.
  private func bindSocket(_ path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } == 0
  }

  @Test func `an empty file or one with a few zeros becomes a journal`() throws {
    for byteCount in [0, 1, 4096, 16384, 1 << 20] {
      try TemporaryDirectory.with { directory in
        let path = try directory.write([UInt8](repeating: 0, count: byteCount), to: "a")
        let journal = try FileJournal(at: path)
        #expect(
          "\(journal.report)" == """
            \(path): the file was empty because its creation was interrupted. A journal was created \
            in it.
            """)
        try journal.mustAppend([1])
        try journal.closeAndWait()
        #expect(try FileJournal(at: path).payloads() == [[1]])
      }
    }
  }

  @Test func `an empty file with a journal's files beside it is refused`() throws {
    for (byteCount, what) in [(0, "is empty"), (4096, "contains only zeros (4096 bytes)")] {
      try TemporaryDirectory.with { directory in
        let path = try directory.write([UInt8](repeating: 0, count: byteCount), to: "a")
        try directory.write([1], to: "a-end")
        #expect(
          sentence { _ = try FileJournal(at: path) } == """
            \(path): the file \(what), but files beside it show that it was a journal. Nothing was \
            changed. Restore it from a backup, or move the files beside it away to start again.
            """)
        #expect(try directory.bytes(of: "a").count == byteCount)
      }
    }
  }

  /// Tests may run as root, so the simulated disk refuses the call, not the permissions.
  @Test func `a file that cannot be opened is refused with the system's message`() throws {
    let words = [
      (EACCES, "Permission denied (13)"), (EROFS, "Read-only file system (30)"),
      (EMFILE, "Too many open files (24)"),
    ]
    for (code, words) in words {
      let disk = SimulatedDisk()
      try FileJournal(at: "a", options: .simulated(disk)).closeAndWait()
      let before = disk.contents(of: "a")
      disk.plan = .failAlways(from: 1, with: code, only: [.open])
      #expect(refusals("a", on: disk) == ["a: open of /disk/a: \(words)."])
      disk.plan = .failAlways(from: 1, with: code, only: [.resolve])
      #expect(refusals("a", on: disk) == ["a: resolve: \(words)."])
      disk.plan = .none
      #expect(disk.contents(of: "a") == before)

      disk.plan = .failAlways(from: 1, with: code, only: [.create])
      let sentence = sentence { _ = try FileJournal(at: "b", options: .simulated(disk)) }
      #expect(sentence.hasPrefix("b: create of /disk/.b.new-"))
      #expect(sentence.hasSuffix(": \(words)."))
      #expect(disk.contents(of: "b") == nil)
    }
  }

  /// A journal on a read-only disk can be read.
  @Test func `a journal on a read-only disk opens for reading`() throws {
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1, 2, 3])
    try journal.closeAndWait()
    disk.plan = .failAlways(
      from: 1, with: EROFS,
      only: [.create, .write, .sync, .rename, .link, .remove, .setPermissions])
    #expect(try JournalReader(at: "a", on: disk).payloads() == [[1, 2, 3]])
    let follower = try FileFollower(at: "a", on: disk)
    guard case .transaction(let transaction)? = try follower.next() else {
      Issue.record("the follower sees nothing")
      return
    }
    #expect(transaction.payload.copy() == [1, 2, 3])
  }

  @Test func `a journal that only newer builds may write opens for reading`() throws {
    var crafted = CraftedJournal(version: 3, oldestReader: 1, oldestWriter: 2)
    crafted.append([1, 2, 3])
    try TemporaryDirectory.with { directory in
      let path = try directory.write(crafted.bytes(), to: "a")
      #expect(
        sentence { _ = try FileJournal(at: path) } == """
          \(path): the journal has format 3, and writing it needs a build that writes format 2; \
          this build writes format 1. Nothing was changed. Open it read-only, or with a newer build.
          """)
      #expect(try JournalReader(at: path).payloads() == [[1, 2, 3]])
      #expect(try directory.bytes(of: "a") == crafted.bytes())
    }
  }

  @Test func `a frame from a newer build is refused and not changed`() throws {
    var kind = CraftedJournal()
    kind.append([1])
    kind.append([2], kind: FrameKind(rawValue: 77))
    var flag = CraftedJournal()
    flag.append([1])
    flag.append([2]) { $0.flags = 1 }
    var reserved = CraftedJournal()
    reserved.append([1])
    reserved.append([2]) { $0.reserved = 1 }
    let bits = "the frame here has bits set that only a newer build understands."
    let cases = [
      (
        kind,
        "the frame here is of kind 77, which a newer build wrote; this build understands kinds 1 to 4."
      ),
      (flag, bits), (reserved, bits),
    ]
    for (crafted, what) in cases {
      try TemporaryDirectory.with { directory in
        let marked = FramePosition(before: crafted.header).end
        let path = try directory.write(crafted.bytes(marked: marked), to: "a")
        #expect(
          sentence { _ = try FileJournal(at: path) } == """
            \(path): byte 16448: \(what) Transaction 1 is intact. The file was not changed. \
            Open it with a newer build.
            """)
        #expect(try directory.bytes(of: "a") == crafted.bytes(marked: marked))
        #expect(directory.names == ["a"])
      }
    }
  }

  @Test func `a frame of a skippable kind is skipped`() throws {
    var crafted = CraftedJournal()
    crafted.append([1])
    crafted.append([9, 9], kind: FrameKind(rawValue: 0x80))
    crafted.append([2])
    try TemporaryDirectory.with { directory in
      let path = try directory.write(crafted.bytes(), to: "a")
      let journal = try FileJournal(at: path)
      #expect(journal.report.isUneventful)
      try journal.mustAppend([3])
      #expect(try journal.payloads() == [[1], [2], [3]])
      try journal.closeAndWait()
      #expect(try FileJournal(at: path).payloads(from: 2) == [[2], [3]])
    }
  }
}

extension String {
  /// Returns the string with every occurrence of a part replaced.
  fileprivate func replacingOccurrences(of part: String, with other: String) -> String {
    var result = ""
    var rest = self[...]
    while let range = rest.firstRange(of: part) {
      result += rest[..<range.lowerBound] + other
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}
