import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import Synchronization
import TestSupport
import Testing

/// Row 10: processes open the same journal at the same time, and its name changes meanwhile.
@Suite struct `Processes that share a journal` {
  @Test func `one of several creating processes wins, and errors name it`() throws {
    try FaultRow.run(10, "racing to create and to open") { count in
      for round in 0..<FaultRow.count(40, full: 1_000) {
        try TemporaryDirectory.with { directory in
          let path = directory.path("a")
          // In every other round the journal or an empty file exists already.
          if round % 4 == 1 { try FileJournal(at: path).closeAndWait() }
          if round % 4 == 3 { try directory.write([], to: "a") }
          count += 5
          try race(path, childCount: 5, "round \(round)")
          #expect(directory.names == ["a", "a-end"], "round \(round)")
        }
      }
    }
  }

  private func race(_ path: String, childCount: Int, _ what: String) throws {
    let children = try (0..<childCount).map { _ in try TestProcess("open", path, "refuse") }
    for child in children { #expect(child.line() == "ready", "\(what)") }
    for child in children { try child.call() }
    let answers = children.map { $0.line() ?? "ended" }
    let winners = answers.indices.filter { answers[$0].hasPrefix("opened ") }
    #expect(winners.count == 1, "\(what): \(answers)")
    guard let winner = winners.first else { return }
    let expected = """
      refused \(path): process \(children[winner].process) (JournalChild) is writing to this \
      journal. Open it read-only, or wait for the lock.
      """
    // A process that checks whether its file still has the name also holds the lock.
    let unnamed = """
      refused \(path): another process is writing to this journal. Open it read-only, or wait for \
      the lock.
      """
    for index in answers.indices where index != winner {
      let others = children.map { child in
        expected.replacing("process \(children[winner].process)", with: "process \(child.process)")
      }
      let isRefused = others.contains(answers[index]) || answers[index] == unnamed
      #expect(isRefused, "\(what): \(answers[index])")
    }
    try children[winner].call()
    #expect(children[winner].line() == "closed", "\(what)")
    let journal = try FileJournal(at: path)
    #expect(answers[winner] == "opened \(journal.identity) 0", "\(what)")
    try journal.closeAndWait()
  }

  @Test func `processes that wait for the lock open the same journal in turn`() throws {
    try FaultRow.run(10, "waiting for the lock") { count in
      for round in 0..<FaultRow.count(20, full: 500) {
        count += 4
        try TemporaryDirectory.with { directory in
          let path = directory.path("a")
          let children = try (0..<4).map { _ in try TestProcess("open", path, "wait") }
          for child in children { #expect(child.line() == "ready") }
          // A process with the lock continues at once.
          for child in children { for _ in 0..<2 { try child.call() } }
          let answers = children.map { [$0.line(), $0.line()] }
          let identity = try JournalReader(at: path).identity
          for answer in answers {
            #expect(answer == ["opened \(identity) 0", "closed"], "round \(round)")
          }
        }
      }
    }
  }

  /// Returns the name of a writing process in messages. Only Linux has a table of lock holders.
  private func writer(_ process: TestProcess) -> String {
    #if canImport(Glibc) && !DAYBOOK_PORTABLE
      "process \(process.process) (JournalChild)"
    #else
      "another process"
    #endif
  }

  @Test func `the lock of a killed process is free`() throws {
    try FaultRow.run(10, "the holder killed") { count in
      try TemporaryDirectory.with { directory in
        let path = directory.path("a")
        for _ in 0..<FaultRow.count(50, full: 1_000) {
          count += 1
          let holder = try TestProcess("open", path, "refuse")
          #expect(holder.line() == "ready")
          try holder.call()
          #expect(holder.line()?.hasPrefix("opened ") == true)
          #expect(
            sentence { _ = try FileJournal(at: path) } == """
              \(path): \(writer(holder)) is writing to this journal. Open it read-only, or wait \
              for the lock.
              """)
          let waiting = try TestProcess("open", path, "wait")
          #expect(waiting.line() == "ready")
          try waiting.call()
          holder.end()
          #expect(waiting.line()?.hasPrefix("opened ") == true)
          waiting.end()
          try FileJournal(at: path).closeAndWait()
        }
      }
    }
  }

  @Test func `opening during a compaction finds the old or the new journal`() throws {
    try FaultRow.run(10, "compaction's rename") { count in
      try TemporaryDirectory.with { directory in
        let path = directory.path("a")
        let journal = try FileJournal(at: path)
        for byte in 1...20 as ClosedRange<UInt8> { try journal.mustAppend([byte]) }
        try journal.closeAndWait()
        let whole = try directory.bytes(of: "a")
        let lookers = try (0..<2).map { _ in try TestProcess("look", path) }
        for looker in lookers { #expect(looker.line() == "ready") }
        var options = JournalOptions()
        options.waitsForLock = true
        for round in 0..<FaultRow.count(60, full: 1_500) {
          for last in [3, 9, 20] as [UInt8] {
            count += 1
            let journal = try FileJournal(at: path, options: options)
            #expect(journal.head.sequence == 20, "round \(round)")
            try journal.compact(through: SequenceNumber(UInt64(last)), state: [[last], [1]])
          }
          // Replace the journal in one step, as restoring a backup does.
          try directory.write(whole, to: "b")
          #expect(rename(directory.path("b"), path) == 0)
        }
        for looker in lookers {
          try looker.call()
          #expect(looker.line() == "looked often")
        }
        #expect(directory.names == ["a", "a-end"])
      }
    }
  }

  @Test func `a symbolic link gives access to the journal, its lock and its files`() throws {
    try TemporaryDirectory.with { directory in
      #expect(mkdir(directory.path("inner"), 0o700) == 0)
      let link = directory.path("link")
      #expect(symlink("inner/a", link) == 0)
      let target = directory.path("inner/a")
      #expect(
        sentence { _ = try FileJournal(at: link) }
          == "\(link): the target of the symbolic link does not exist. Repair or remove the link.")
      let journal = try FileJournal(at: target)
      #expect(sentence { _ = try FileJournal(at: link) }.contains(" is writing to this journal."))
      try journal.closeAndWait()

      let linked = try FileJournal(at: link)
      try linked.mustAppend([1])
      #expect(sentence { _ = try FileJournal(at: target) }.contains(" is writing to this journal."))
      try linked.compact(through: 1, state: [[7]])
      #expect(directory.names == ["inner", "link"])
      #expect(try SystemDisk().list(directory.path("inner")).sorted() == ["a", "a-end"])
      let again = try FileJournal(at: target)
      #expect(again.head.sequence == 1)
      try again.closeAndWait()
    }
  }

  @Test func `a journal continues until its last name is removed`() throws {
    try TemporaryDirectory.with { directory in
      let (one, two) = (directory.path("one"), directory.path("two"))
      let journal = try FileJournal(at: one)
      try journal.mustAppend([1])
      #expect(link(one, two) == 0)
      #expect(sentence { _ = try FileJournal(at: two) }.contains(" is writing to this journal."))
      #expect(unlink(one) == 0)
      try journal.mustAppend([2])
      #expect(unlink(two) == 0)
      for _ in 0..<2 {
        #expect(
          sentence { try journal.mustAppend([3]) } == """
            \(one): the file was replaced or removed after it was opened. Nothing was written to \
            the new file. Open it again.
            """)
      }
      #expect(try journal.payloads() == [[1], [2]])
      #expect(journal.acceptedHead.sequence == 2)
      let other = try FileJournal(at: one)
      #expect(other.identity != journal.identity)
      try journal.closeAndWait()
      try other.mustAppend([4])
      #expect(try other.payloads() == [[4]])
      try other.closeAndWait()
    }
  }

  @Test func `the next opening removes the files of a killed compaction`() throws {
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    for byte in 1...3 as ClosedRange<UInt8> { try journal.mustAppend([byte]) }
    try journal.closeAndWait()
    let (left, other) = (".a.new-0000000000000000", ".b.new-0000000000000000")
    for name in [left, other] { disk.setContents([1, 2, 3], at: name) }
    let working = try disk.open(left, for: .readingAndWriting)
    #expect(try working.lock())
    var again = try FileJournal(at: "a", options: .simulated(disk))
    #expect(try again.payloads() == [[1], [2], [3]])
    // A file that a process works on is kept, and so is a file of another journal.
    #expect(disk.paths == ["/disk/\(left)", "/disk/\(other)", "/disk/a", "/disk/a-end"])
    try again.closeAndWait()
    working.unlock()
    again = try FileJournal(at: "a", options: .simulated(disk))
    #expect(try again.payloads() == [[1], [2], [3]])
    #expect(disk.paths == ["/disk/\(other)", "/disk/a", "/disk/a-end"])
  }

  @Test func `a file in creation is not renamed or removed by other processes`() throws {
    let disk = SimulatedDisk()
    var options = JournalOptions.simulated(disk)
    var passing = PassingDisk(disk)
    let place = try JournalLocation("a", on: disk)
    // The other process removes the first file as abandoned, because it is not locked yet, and
    // creates its own file there.
    let others = Mutex<(any DiskFile)?>(nil)
    passing.afterCreate = { path in
      if others.withLock({ $0 != nil }) { return }
      others.withLock { other in
        do {
          try disk.remove(path)
          let made = try disk.create(path, permissions: 0o600)
          #expect(try made.lock())
          other = made
        } catch {
          Issue.record(error)
        }
      }
    }
    options.disk = passing
    let (path, file) = try JournalCreation.createUnnamed(at: place, options, permissions: 0o600)
    let other = try #require(others.withLock { $0 })
    #expect(other.path == "/disk/.a.new-0000000000000000" && path != other.path)
    #expect(try disk.status(of: path).identity == file.status().identity)
    #expect(try disk.status(of: other.path).identity == other.status().identity)
    // A third process uses neither of the two.
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1])
    try journal.closeAndWait()
    #expect(try disk.status(of: path).identity == file.status().identity)
    #expect(try disk.status(of: other.path).identity == other.status().identity)
    #expect(disk.paths.count == 4)
  }

  /// A program that starts a process has copies of its descriptors there for a moment.
  @Test func `a lock ends with its file, although copies of the descriptor exist`() throws {
    try TemporaryDirectory.with { directory in
      let path = try directory.write([1], to: "a")
      var file: (any DiskFile)? = try SystemDisk().open(path, for: .reading)
      #expect(try file?.lock() == true)
      var copies: [Int32] = []
      for name in try SystemDisk().list("/proc/self/fd") {
        guard (try? SystemDisk().resolve("/proc/self/fd/\(name)")) == path else { continue }
        if let descriptor = Int32(name) { copies.append(dup(descriptor)) }
      }
      #expect(!copies.isEmpty)
      file = nil
      #expect(try SystemDisk().open(path, for: .reading).lock())
      for copy in copies { close(copy) }
    }
  }

  /// Processes that create a journal remove the files of killed creations. A new file that is not
  /// locked yet looks the same.
  @Test func `a journal is created although another process removes its new file`()
    throws
  {
    let disk = SimulatedDisk()
    for locksIt in [false, true] {
      let path = locksIt ? "b" : "a"
      let other = Mutex<(any DiskFile)?>(nil)
      let isFirst = Mutex(true)
      var passing = PassingDisk(disk)
      passing.afterCreate = { created in
        guard
          isFirst.withLock({ isFirst in
            defer { isFirst = false }; return isFirst
          })
        else { return }
        other.withLock { other in
          other = try? disk.open(created, for: .readingAndWriting)
          _ = try? other?.lock()
          try? disk.remove(created)
          if !locksIt { other = nil }
        }
      }
      var options = JournalOptions.simulated(disk)
      options.disk = passing
      let journal = try FileJournal(at: path, options: options)
      try journal.mustAppend([1])
      try journal.closeAndWait()
      #expect(try FileJournal(at: path, options: .simulated(disk)).payloads() == [[1]])
    }
    #expect(disk.paths == ["/disk/a", "/disk/a-end", "/disk/b", "/disk/b-end"])
  }

  /// The lock of a file without a name excludes no other process.
  @Test func `a journal that is replaced between opening and locking is opened again`()
    throws
  {
    let disk = SimulatedDisk()
    for (path, payload) in [("a", 1), ("b", 2)] {
      let journal = try FileJournal(at: path, options: .simulated(disk, seed: UInt64(payload)))
      try journal.mustAppend([UInt8(payload)])
      try journal.closeAndWait()
    }
    var passing = PassingDisk(disk)
    passing.beforeLock = { _ in try? disk.rename("b", to: "a") }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let journal = try FileJournal(at: "a", options: options)
    #expect(try journal.payloads() == [[2]])
    #expect(throws: JournalError.self) { try FileJournal(at: "a", options: .simulated(disk)) }
  }
}
