import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

/// A compacted journal keeps every state and every change since its base.
@Suite struct `Compacting a journal` {
  struct Note: Record, Hashable {
    var id = 0
    var text = ""
    var link: Reference<Note>?
    var others: [Reference<Note>] = []
    static let schema = RecordSchema<Note>("Note")
      .attribute("text", at: \.text).reference("link", at: \.link, whenTargetDeleted: .keep)
      .references("others", at: \.others, whenTargetDeleted: .keep)
  }

  /// The entity `Note` in a later version of the program.
  struct LongerNote: Record, Hashable {
    var id = 0
    var title = ""
    var weight: Int?
    static let schema = RecordSchema<LongerNote>("Note")
      .attribute("title", at: \.title, renamedFrom: "text").attribute("weight", at: \.weight)
  }

  /// A journal with one transaction of random changes per day.
  private struct Diary {
    let disk: any Disk
    let path: String
    let clock = TestClock()

    var options: JournalOptions {
      var options = JournalOptions()
      options.disk = disk
      options.clock = clock
      options.worksInBackground = false
      options.durability = .none
      return options
    }

    /// Saves one transaction per day for a number of days.
    func write(days: Int, _ random: inout SplitMix64) throws {
      func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
      let store = try Store(at: path, types: [Note.self, Unique.self], options: options)
      let context = store.makeContext()
      for day in 0..<days {
        clock.advance(milliseconds: 86_400_000)
        context.metadata.author = "day \(day)"
        for _ in 0..<below(5) {
          let id = below(12)
          // Every fourth string is stored outside its row.
          let text = "\(day) " + (below(4) == 0 ? String(repeating: "long ", count: 120 + id) : "")
          switch try context.object(Note.self, id: id) {
          case nil: try context.insert(Note(id: id, text: text, link: Reference(below(12))))
          case _? where below(3) == 0: try context.delete(Note.self, id: id)
          case _? where below(2) == 0: try context.update(Note.self, id: id) { $0.text = text }
          case _?: try context.update(Note.self, id: id) { $0.link = Reference(below(12)) }
          }
        }
        // A day without changes would have no transaction.
        try context.insert(Unique(name: "u\(day)"))
        try context.saveAndWait()
      }
      try store.closeAndWait()
    }

    /// Returns every state of the journal by its transaction: each record with its creation number.
    func states() throws -> [UInt64: [String]] {
      let store = try Store(reading: path, types: [], options: options)
      #expect(store.readingProblem == nil)
      #expect(store.report?.isUneventful == true)
      var states: [UInt64: [String]] = [:]
      for number in store.base.rawValue...store.snapshot.sequence.rawValue {
        states[number] = try shown(store.snapshot(at: SequenceNumber(number)).frozen)
      }
      return states
    }

    private func shown(_ frozen: FrozenState) -> [String] {
      var lines: [(UInt64, String)] = []
      for (entity, table) in frozen.state.tables.enumerated() {
        table.forEach(in: frozen.space) { slot, location, creation in
          let record = frozen.memory.withCompleteRow(at: location, layouts: frozen.catalog.layouts)
          {
            DynamicRecord($0, history: frozen.catalog.history[entity])
          }
          lines.append((creation, "\(creation): \(record as Any)"))
        }
      }
      return lines.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Returns a description of each transaction after a base.
    func transactions(after base: UInt64) throws -> [String] {
      let store = try Store(reading: path, types: [], options: options)
      var received: [String] = []
      var transactions = try store.transactions(from: SequenceNumber(base + 1))
      while let transaction = try transactions.next() {
        received.append(
          "\(transaction.sequence as Any) \(transaction.time as Any) \(transaction.metadata)")
        received += transaction.changes.map {
          "\($0.kind) \($0.id) \($0.changedAttributes) \($0.old as Any) \($0.new as Any)"
        }
      }
      return received
    }
  }

  private func withDiaries(_ body: (Diary) throws -> Void) throws {
    // One journal with copied rows, and one in a mapped file.
    try body(Diary(disk: SimulatedDisk(), path: "j"))
    try TemporaryDirectory.with { directory in
      try body(Diary(disk: SystemDisk(), path: directory.path("j")))
    }
  }

  @Test func `a compaction keeps every state and transaction after the dropped ones`() throws {
    for seed in 0..<UInt64(FaultRow.count(12, full: 200)) {
      try withDiaries { diary in
        var random = SplitMix64(seed: seed)
        try diary.write(days: 24, &random)
        var before = try diary.states()
        var base: UInt64 = 0
        for days in [17, 9, 9, 2] {
          let received = try diary.transactions(after: 24 - UInt64(days) - 1)
          let report = try Audit.$isOff.withValue(true) {
            try Store.compact(at: diary.path, keeping: .days(days), options: diary.options)
          }
          // A transaction exactly as old as the limit is kept too.
          let expected = 24 - UInt64(days) - 1
          #expect(report.base.rawValue == expected, "seed \(seed)")
          #expect(report.droppedTransactionCount == Int(expected - base), "seed \(seed)")
          #expect(report.keptTransactionCount == days + 1, "seed \(seed)")
          base = expected
          before = before.filter { $0.key >= base }
          #expect(try diary.states() == before, "seed \(seed), \(days) days")
          #expect(try diary.transactions(after: base) == received, "seed \(seed), \(days) days")
        }
        // The journal continues, and then drops all history.
        try diary.write(days: 3, &random)
        let last = try diary.states()
        #expect(last.count == 7 && last.filter { $0.key <= 24 } == before, "seed \(seed)")
        let report = try Audit.$isOff.withValue(true) {
          try Store.compact(at: diary.path, options: diary.options)
        }
        #expect(report.base == 27 && report.keptTransactionCount == 0)
        #expect(report.byteCount < report.byteCountBefore)
        #expect(try diary.states() == last.filter { $0.key == 27 }, "seed \(seed)")
        try diary.write(days: 2, &random)
        #expect(try diary.states().count == 3)
      }
    }
  }

  @Test func `a compaction keeps rows of earlier schemas unchanged`() throws {
    try withDiaries { diary in
      var random = SplitMix64(seed: 7)
      try diary.write(days: 8, &random)
      let store = try Store(at: diary.path, types: [LongerNote.self], options: diary.options)
      let context = store.makeContext()
      try context.insert(LongerNote(id: 40, title: "new", weight: 3))
      try context.saveAndWait()
      let notes = try store.snapshot.objects(LongerNote.self)
      try store.closeAndWait()
      let before = try diary.states()
      _ = try Store.compact(at: diary.path, keeping: .days(0), options: diary.options)
      #expect(try diary.states() == before.filter { $0.key >= 7 })
      let again = try Store(at: diary.path, types: [LongerNote.self], options: diary.options)
      #expect(try again.snapshot.objects(LongerNote.self) == notes && notes.count > 1)
      try again.closeAndWait()
    }
  }

  @Test func `a compaction that drops nothing does nothing`() throws {
    try withDiaries { diary in
      var random = SplitMix64(seed: 1)
      try diary.write(days: 3, &random)
      for days in [2, 3, 400, Int.max] {
        let report = try Store.compact(
          at: diary.path, keeping: .days(days), options: diary.options)
        #expect(report.base == 0 && report.droppedTransactionCount == 0)
        #expect(report.byteCount == report.byteCountBefore)
      }
      #expect(try diary.states().count == 4)
    }
  }

  @Test func `a compaction stores each large value once`() throws {
    try withDiaries { diary in
      let store = try Store(at: diary.path, types: [Note.self], options: diary.options)
      let context = store.makeContext()
      let text = String(repeating: "a large value ", count: 10_000)
      for day in 0..<40 {
        diary.clock.advance(milliseconds: 86_400_000)
        if day == 0 || day == 20 {
          try context.insert(Note(id: day, text: text))
        } else {
          try context.update(Note.self, id: day < 20 ? 0 : 20) { $0.link = Reference(day) }
        }
        try context.saveAndWait()
      }
      try store.closeAndWait()
      let before = try diary.states()
      for days in [30, 10, 1] {
        let report = try Store.compact(
          at: diary.path, keeping: .days(days), options: diary.options)
        #expect(report.byteCount < 2 * UInt64(text.utf8.count) + 40_000, "\(days) days")
        #expect(try diary.states() == before.filter { $0.key >= report.base.rawValue })
      }
    }
  }

  // MARK: Erasing

  @Test func `erasing one record keeps the history of all others`() throws {
    for seed in 20..<UInt64(20 + FaultRow.count(12, full: 200)) {
      try withDiaries { diary in
        var random = SplitMix64(seed: seed)
        try diary.write(days: 16, &random)
        if seed % 2 == 0 {
          _ = try Store.compact(at: diary.path, keeping: .days(9), options: diary.options)
        }
        let before = try diary.states()
        let store = try Store(reading: diary.path, types: [], options: diary.options)
        for id in 0..<12 as Range<Int64> {
          let versions = try store.history(of: "Note", id: .int(id))
          if versions.isEmpty { continue }
          let report = try Audit.$isOff.withValue(true) {
            try Store.erase("Note", id: .int(id), at: diary.path, options: diary.options)
          }
          let exists = versions.last?.change.kind != .delete
          #expect(report.erasedChangeCount == versions.count - (exists ? 1 : 0))
          let rest = try Store(reading: diary.path, types: [], options: diary.options).history(
            of: "Note", id: .int(id))
          #expect(rest.count == (exists ? 1 : 0), "seed \(seed), note \(id)")
          #expect(rest.first?.change.new == (exists ? versions.last?.change.new : nil))
        }
        // No note has earlier versions, and all other records have all of theirs.
        let last = try #require(before.keys.max())
        let after = try diary.states()
        #expect(after.keys == before.keys && after[last] == before[last], "seed \(seed)")
        func others(_ states: [UInt64: [String]]) -> [UInt64: [String]] {
          states.mapValues { $0.filter { $0.contains("entity: \"Unique\"") } }
        }
        #expect(others(after) == others(before), "seed \(seed)")
      }
    }
  }

  @Test func `erasing a record that is unchanged since the base erases no change`() throws {
    try withDiaries { diary in
      let store = try Store(at: diary.path, types: [Note.self], options: diary.options)
      let context = store.makeContext()
      for id in 1...3 { try context.insert(Note(id: id, text: "first")) }
      try context.saveAndWait()
      for id in 1...3 { try context.update(Note.self, id: id) { $0.text = "second" } }
      try context.saveAndWait()
      try store.closeAndWait()
      _ = try Store.compact(at: diary.path, options: diary.options)
      let writer = try Store(at: diary.path, types: [Note.self], options: diary.options)
      let later = writer.makeContext()
      try later.update(Note.self, id: 2) { $0.text = "third" }
      try later.delete(Note.self, id: 3)
      try later.saveAndWait()
      try writer.closeAndWait()
      // Note 1 is unchanged since the base. Note 2 was changed since, and loses its base version.
      // Note 3 was deleted since, and loses its deletion too.
      for (id, count) in [(1, 0), (2, 0), (3, 1)] as [(Int64, Int)] {
        let report = try Store.erase("Note", id: .int(id), at: diary.path, options: diary.options)
        #expect(report.erasedChangeCount == count, "note \(id)")
      }
      let rest = try Store(reading: diary.path, types: [Note.self], options: diary.options)
      #expect(try rest.snapshot.objects(Note.self).map(\.text) == ["second", "third"])
      #expect(try rest.snapshot(at: 2).objects(Note.self).map(\.text) == ["second"])
    }
  }

  @Test func `an erasure leaves no byte of a record's past in any file`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("j")
      let store = try Store(at: path, records: Note.self)
      let context = store.makeContext()
      let secret = String(repeating: "the great secret ", count: 60)
      for (id, text) in [(1, "small secret"), (2, secret), (3, "public")] {
        try context.insert(Note(id: id, text: text))
      }
      try context.saveAndWait()
      for id in 1...3 { try context.update(Note.self, id: id) { $0.text = "open" } }
      try context.saveAndWait()
      try store.closeAndWait()
      let cache = (0..<8).map { UInt8(truncatingIfNeeded: DerivedFiles.cacheMagic >> (8 * $0)) }
      directory.write(cache + Array("small secret".utf8), beside: ["j-cache-notes", "j-torn-3"])
      // Files that a killed process was writing, among them a new journal and a salvage, and a file
      // that a running process is writing.
      let random = ".new-0123456789abcdef"
      let unfinished = [".j-cache-notes", ".j-checkpoint-a", ".j", "..j" + random].map {
        $0 + random
      }
      // A second name of the journal, whose creator was killed before it could remove the name.
      let second = ".j.new-fedcba9876543210"
      #expect(link(path, directory.path(second)) == 0)
      let begun = ".j-cache-others.new-0123456789abcdef"
      directory.write(Array("small secret".utf8), beside: unfinished)
      directory.write(Array("by others".utf8), beside: [begun, ".j-cache-notes.new-1"])
      let made = try SystemDisk().open(directory.path(begun), for: .readingAndWriting)
      #expect(try made.lock())
      // Files of other programs are not touched, especially another journal.
      directory.write(
        Array("a text".utf8) + Array("s by others".utf8),
        beside: ["j-cache-of-mine", "j-torn-page"])
      try Store(at: directory.path("j-cache-journal"), records: Note.self).closeAndWait()
      let others = [
        "j-cache-journal", "j-cache-of-mine", "j-torn-page", ".j-cache-notes.new-1",
      ]
      let theirs = try others.map { try directory.bytes(of: $0) }
      func containing(_ text: String) throws -> [String] {
        try directory.names.filter { name in
          String(decoding: try directory.bytes(of: name), as: UTF8.self).contains(text)
        }
      }
      let holders = unfinished + [second, "j", "j-cache-notes", "j-torn-3"]
      #expect(try containing("small secret").sorted() == holders.sorted())
      _ = try Store.erase("Note", id: .int(1), at: path)
      #expect(try containing("small secret") == [])
      // The unfinished file may contain data of the earlier journal, so it is removed as well; its
      // writer cannot rename it.
      #expect(!directory.names.contains(begun))
      #expect(try containing("great secret") == ["j"])
      _ = try Store.erase("Note", id: .int(2), at: path)
      #expect(try containing("secret") == [])
      #expect(try containing("public") == ["j"])
      #expect(try others.map { try directory.bytes(of: $0) } == theirs)
      withExtendedLifetime(made) {}
      let after = try Store(reading: path, records: Note.self)
      #expect(try after.snapshot.objects(Note.self).map(\.text) == ["open", "open", "open"])
      #expect(try after.snapshot(at: 1).objects(Note.self).map(\.text) == ["public"])
    }
  }

  @Test func `directories with temporary names do not prevent a compaction or an erasure`() throws {
    try TemporaryDirectory.with { directory in
      let diary = Diary(disk: SystemDisk(), path: directory.path("j"))
      var random = SplitMix64(seed: 8)
      try diary.write(days: 6, &random)
      let folders = [".j.new-0000000000000000", ".j-cache-notes.new-0000000000000000"]
      for folder in folders { #expect(mkdir(directory.path(folder), 0o700) == 0) }
      let report = try Store.compact(at: diary.path, keeping: .days(2), options: diary.options)
      #expect(report.droppedTransactionCount > 0)
      let notes = try Store(reading: diary.path, records: Note.self).snapshot.objects(Note.self)
      let id = try #require(notes.first?.id)
      _ = try Store.erase("Note", id: .int(Int64(id)), at: diary.path, options: diary.options)
      #expect(
        try Store(reading: diary.path, records: Note.self).snapshot.objects(Note.self) == notes)
      #expect(Set(directory.names).isSuperset(of: folders))
    }
  }

  // MARK: Concurrent readers and failures

  @Test func `readers keep the file before a compaction, and followers open the new one`() throws {
    try TemporaryDirectory.with { directory in
      let diary = Diary(disk: SystemDisk(), path: directory.path("j"))
      var random = SplitMix64(seed: 3)
      try diary.write(days: 6, &random)
      let reading = try Store(reading: diary.path, records: Note.self)
      let followed = try Store(following: diary.path, types: [Note.self], options: diary.options)
      let notes = try reading.snapshot.objects(Note.self)
      let early = try reading.snapshot(at: 2).objects(Note.self)
      _ = try Store.compact(at: diary.path, keeping: .days(1), options: diary.options)
      try diary.write(days: 1, &random)
      #expect(try reading.snapshot.objects(Note.self) == notes)
      #expect(try reading.snapshot(at: 2).objects(Note.self) == early)
      #expect(try followed.catchUp())
      #expect(followed.snapshot.sequence == 7)
      let now = try Store(reading: diary.path, records: Note.self)
      #expect(try followed.snapshot.objects(Note.self) == now.snapshot.objects(Note.self))
    }
  }

  @Test func `a follower of an erased history gets an error`() throws {
    try TemporaryDirectory.with { directory in
      let diary = Diary(disk: SystemDisk(), path: directory.path("j"))
      var random = SplitMix64(seed: 4)
      try diary.write(days: 6, &random)
      let followed = try Store(following: diary.path, types: [Note.self], options: diary.options)
      let id = try #require(followed.snapshot.objects(Note.self).first?.id)
      _ = try Store.erase("Note", id: .int(Int64(id)), at: diary.path, options: diary.options)
      let error = #expect(throws: StoreError.self) { try followed.catchUp() }
      guard case .journal(let cause)? = error?.reason, cause.reason == .historyChanged else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `a failed call during a compaction leaves the old or the new journal`() throws {
    var random = SplitMix64(seed: 5)
    let whole = SimulatedDisk()
    try Diary(disk: whole, path: "j").write(days: 5, &random)
    let states = try Diary(disk: whole, path: "j").states()
    let counting = whole.copy()
    _ = try Store.compact(
      at: "j", keeping: .days(2), options: Diary(disk: counting, path: "j").options)
    let callCount = counting.callCount
    #expect(callCount > 20)
    var (oldCount, newCount) = (0, 0)
    for call in 1...callCount {
      for plan in [
        FaultPlan.fail(call: call, with: EIO), .fail(call: call, with: ENOSPC),
        .failAlways(from: call, with: EIO),
      ] {
        let disk = whole.copy()
        let diary = Diary(disk: disk, path: "j")
        disk.plan = plan
        Audit.$isOff.withValue(true) {
          _ = try? Store.compact(at: "j", keeping: .days(2), options: diary.options)
        }
        disk.plan = .none
        let after = try diary.states()
        if after.count == states.count { oldCount += 1 } else { newCount += 1 }
        #expect(after == states || after == states.filter { $0.key >= 2 }, "call \(call)")
        // No temporary file remains.
        let store = try Store(at: "j", types: [], options: diary.options)
        try store.closeAndWait()
        #expect(disk.paths.allSatisfy { !$0.contains(".new-") }, "call \(call)")
      }
    }
    #expect(oldCount > 0 && newCount > 0)
  }

  @Test func `a power loss during a compaction leaves the old or the new journal`() throws {
    var random = SplitMix64(seed: 6)
    let whole = SimulatedDisk()
    try Diary(disk: whole, path: "j").write(days: 5, &random)
    let states = try Diary(disk: whole, path: "j").states()
    func compact(_ disk: SimulatedDisk) throws {
      _ = try Store.compact(
        at: "j", keeping: .days(2), options: Diary(disk: disk, path: "j").options)
    }
    let counting = whole.copy()
    try compact(counting)
    let callCount = counting.callCount
    try FaultRow.run(6, "power lost while a journal is compacted") { count in
      var (oldCount, newCount) = (0, 0)
      for call in 1...callCount + 1 {
        for seed in 0..<UInt64(FaultRow.count(160, full: 640)) {
          var generator = SplitMix64(seed: seed)
          let disk = whole.copy()
          disk.plan = .losePower(at: call, seed: seed)
          Audit.$isOff.withValue(true) { _ = try? compact(disk) }
          let after = try Diary(disk: disk.powerLoss(using: &generator), path: "j").states()
          if after.count == states.count { oldCount += 1 } else { newCount += 1 }
          #expect(
            after == states || after == states.filter { $0.key >= 2 }, "call \(call), seed \(seed)")
          count += 1
        }
      }
      #expect(oldCount > 0 && newCount > 0)
    }
  }

  @Test func `the errors of compaction and erasure name the cause`() throws {
    try withDiaries { diary in
      var random = SplitMix64(seed: 6)
      try diary.write(days: 4, &random)
      func refusal(_ body: () throws -> Void) -> String {
        sentence(of: body).replacing(diary.path, with: "j")
      }
      let store = try Store(at: diary.path, types: [], options: diary.options)
      #expect(
        refusal { _ = try Store.compact(at: diary.path, options: diary.options) }
          .hasSuffix("is writing to this journal. Open it read-only, or wait for the lock."))
      try store.closeAndWait()
      #expect(
        refusal { _ = try Store.erase("Nte", id: .int(1), at: diary.path, options: diary.options) }
          == "j: no entity 'Nte'.")
      #expect(
        refusal {
          _ = try Store.erase("Note", id: .int(99), at: diary.path, options: diary.options)
        }
          == "j: Note 99 does not exist.")
      #expect(
        refusal { _ = try Store.compact(at: "nowhere", options: diary.options) }
          == "nowhere: there is no file of this name. Check the path.")
      #expect(try diary.states().count == 5)
    }
  }
}

extension TemporaryDirectory {
  fileprivate func write(_ bytes: [UInt8], beside names: [String]) {
    for name in names {
      do { try write(bytes, to: name) } catch { Issue.record("\(name): \(error)") }
    }
  }
}
