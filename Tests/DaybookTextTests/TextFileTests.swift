import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import DaybookText
import StoreTestSupport
import Testing
import TextTestSupport

@Suite struct `Texts in files and pipes` {
  private let text = lines(
    #"{"daybook":1,"entities":{"F":{"id":"string","attributes":{"t":"string"}}}}"#,
    line(1, #"{"op":"insert","entity":"F","id":"a","set":{"t":"x"}}"#), line(2))

  /// Calls a closure with a temporary directory on the system's disk.
  private func withDirectory(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/daybook-text-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
      for name in (try? SystemDisk().list(path)) ?? [] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
    try body(path)
  }

  private func write(_ text: String, to path: String) throws -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    try #require(DaybookCLibrary.write(descriptor, text, text.utf8.count) == text.utf8.count)
    return descriptor
  }

  private func exported(_ path: String) throws -> String {
    try TextDesk().exported(JournalReader(at: path))
  }

  @Test func `a text file is imported and exported to a descriptor`() throws {
    try withDirectory { directory in
      close(try write(text, to: "\(directory)/t"))
      let report = try TextJournal.import(.file("\(directory)/t"), to: "\(directory)/j")
      #expect(report.transactionCount == 2)
      #expect(try SystemDisk().list(directory).sorted() == ["j", "t"])
      #expect(try exported("\(directory)/j") == text)
      let reader = try JournalReader(at: "\(directory)/j")
      #expect(reader.report.outcome == .clean)
      let summary = try FileJournal.verify(at: "\(directory)/j") { Issue.record("\($0)") }
      #expect(summary.problemCount == 0)
      let output = try write("", to: "\(directory)/out")
      try TextJournal.export(reader, toDescriptor: output)
      var bytes = [UInt8](repeating: 0, count: text.utf8.count + 1)
      #expect(pread(output, &bytes, bytes.count, 0) == text.utf8.count)
      #expect(String(decoding: bytes.dropLast(), as: UTF8.self) == text)
      close(output)
    }
  }

  @Test func `a store continues after the last imported transaction`() throws {
    try withDirectory { directory in
      close(try write(text, to: "\(directory)/t"))
      _ = try TextJournal.import(.file("\(directory)/t"), to: "\(directory)/j")
      let store = try Store(at: "\(directory)/j", entities: [])
      _ = try store.saveAndWait(Proposal())
      #expect(store.snapshot.sequence == 3)
      try store.closeAndWait()
      #expect(try exported("\(directory)/j").hasPrefix(text))
    }
  }

  @Test func `a pipe is imported to its end without leaving a copy`() throws {
    try withDirectory { directory in
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      try #require(DaybookCLibrary.write(ends[1], text, text.utf8.count) == text.utf8.count)
      close(ends[1])
      let report = try TextJournal.import(.descriptor(ends[0]), to: "\(directory)/j")
      #expect(report.changeCount == 1)
      #expect(try exported("\(directory)/j") == text)
      // The caller's descriptor stays open.
      #expect(fcntl(ends[0], F_GETFD) >= 0)
      close(ends[0])
    }
  }

  @Test func `a file descriptor is read from its current offset`() throws {
    try withDirectory { directory in
      let descriptor = try write("not this\n" + text, to: "\(directory)/t")
      lseek(descriptor, 9, SEEK_SET)
      _ = try TextJournal.import(.descriptor(descriptor), to: "\(directory)/j")
      #expect(try exported("\(directory)/j") == text)
      close(descriptor)
    }
  }

  @Test func `errors of system calls are reported without leaving files`() throws {
    try withDirectory { directory in
      func problem(_ source: String, _ target: String) -> String {
        do {
          _ = try TextJournal.import(.file("\(directory)/\(source)"), to: "\(directory)/\(target)")
          return ""
        } catch { return "\(error)".replacing(directory, with: "") }
      }
      close(try write(text, to: "\(directory)/t"))
      #expect(problem("missing", "j") == "/missing: open: No such file or directory (2).")
      #expect(problem("", "j") == "/: read: Is a directory (21).")
      #expect(problem("\0", "j") == "/\0: open: Invalid argument (22).")
      #expect(
        problem("t", "t")
          == "/t: a file of this name exists. Nothing was changed. "
          + "Choose another name, or move the file away.")
      #expect(problem("t", "no/j").hasPrefix("/no/j: "))
      #expect(try SystemDisk().list(directory) == ["t"])
    }
  }

  @Test func `a line of ten megabytes is imported`() throws {
    let desk = TextDesk()
    let long = String(repeating: "x", count: 10 << 20)
    let text = lines(
      #"{"daybook":1,"entities":{"F":{"id":"string","attributes":{"t":"string"}}}}"#,
      line(1, #"{"op":"insert","entity":"F","id":"a","set":{"t":"\#(long)"}}"#),
      line(2, #"{"op":"update","entity":"F","id":"a","set":{"t":"y"}}"#))
    let passed = try desk.passage(text)
    #expect(passed == text)
  }

  @Test func `a line over the limit is reported`() {
    let desk = TextDesk()
    var source = TextSource.bytes(Array(text.utf8), path: "t")
    source.lineByteCountMax = 90
    do throws(TextJournalError) {
      _ = try TextJournal.import(source, to: "j", options: .simulated(desk.disk))
      Issue.record("it was imported")
    } catch {
      #expect("\(error)" == "t:2:1: the line is too long; the limit is 90 bytes.")
    }
    #expect(desk.names.isEmpty)
  }

  @Test func `an import without durability is not synced`() throws {
    let (kept, other) = (TextDesk(), TextDesk())
    func syncCount(_ disk: SimulatedDisk) -> Int {
      disk.log.filter { $0.operation == .sync || $0.operation == .syncDirectory }.count
    }
    for desk in [kept, other] { desk.disk.recordsCalls = true }
    try kept.importing(text)
    #expect(syncCount(kept.disk) == 2)
    var options = JournalOptions.simulated(other.disk)
    options.durability = .none
    _ = try TextJournal.import(.bytes(Array(text.utf8), path: "t"), to: "j", options: options)
    #expect(syncCount(other.disk) == 0)
    #expect(try other.exported() == kept.exported())
  }

  @Test func `an import with a failed disk call leaves no journal`() throws {
    let calls = TextDesk()
    try calls.importing(text)
    let callCount = calls.disk.callCount
    #expect(callCount > 5)
    for call in 1...callCount {
      let desk = TextDesk()
      desk.disk.plan = .fail(call: call, with: EIO)
      do {
        try desk.importing(text)
        desk.disk.plan = .none
        #expect(try desk.exported() == text)
      } catch {
        desk.disk.plan = .none
        #expect(!desk.names.contains("j"), "call \(call)")
        #expect(desk.names.count <= 1, "call \(call)")
        try desk.importing(text)
        #expect(try desk.exported() == text)
      }
    }
  }

  @Test func `an import on a full disk reports it and removes the file`() throws {
    let desk = TextDesk()
    desk.disk.capacity = 20_000
    let long = String(repeating: "x", count: 100_000)
    let text = lines(line(1, #"{"op":"insert","entity":"F","id":"a","set":{"t":"\#(long)"}}"#))
    let problem = desk.problem(text)
    #expect(problem?.hasPrefix("j: ") == true)
    #expect(desk.names.isEmpty)
  }
}
