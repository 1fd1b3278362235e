import DaybookCLibrary
import DaybookJournal
import TestSupport
import Testing

/// `Sample.all()` makes the samples. After an intended change, write them again and review the
/// differences:
///
/// ```
/// DAYBOOK_REWRITE_SAMPLES=1 swift test --filter SampleBytesTests
/// git diff Journal/Samples
/// ```
@Suite("The sample journals") struct SampleBytesTests {
  static let folder = "Journal/Samples"

  init() throws {
    // Tests run concurrently. The first one rewrites for all.
    try Self.rewriting.get()
  }

  private static let rewriting = Result {
    if getenv("DAYBOOK_REWRITE_SAMPLES") != nil { try rewrite() }
  }

  @Test func `each sample journal has the bytes that its program makes`() throws {
    for sample in try Sample.all() {
      let stored = try ProjectFiles.bytes("\(Self.folder)/\(sample.journalName)")
      // Comparing the arrays in the macro would print all bytes.
      let isSame = stored == sample.bytes
      #expect(isSame, "\(sample.journalName): \(difference(stored, sample.bytes))")
      if let companion = sample.companion {
        let name = sample.journalName + companion.suffix
        #expect(try ProjectFiles.bytes("\(Self.folder)/\(name)") == companion.bytes, "\(name)")
      }
    }
  }

  @Test func `each sample journal has a file with its reports`() throws {
    for sample in try Sample.all() {
      let stored = try ProjectFiles.bytes("\(Self.folder)/\(sample.textName)")
      #expect(String(decoding: stored, as: UTF8.self) == sample.text(), "\(sample.textName)")
    }
  }

  @Test func `the samples folder contains only samples and their reports`() throws {
    // Journals of records have a folder of their own.
    var expected: Set<String> = ["README.md", "Records"]
    for sample in try Sample.all() {
      expected.formUnion([sample.journalName, sample.textName])
      if let companion = sample.companion { expected.insert(sample.journalName + companion.suffix) }
    }
    // Text journals belong to the examples, whose tests check them. The journals of three examples
    // differ in each run, so only their outputs are here. `books.jsonl` has no example.
    expected.formUnion(["apps.txt", "tracker.txt", "shared.txt", "books.jsonl"])
    let names = try ProjectFiles.names(in: Self.folder)
    for name in names where name.hasSuffix(".jsonl") && name != "books.jsonl" {
      expected.formUnion([name, name.dropLast(".jsonl".count) + ".txt"])
    }
    #expect(Set(names) == expected)
  }

  @Test func `the table of samples has the decision of each sample`() throws {
    let cells = try ProjectFiles.lines("\(Self.folder)/README.md").map { line -> [String] in
      line.split(separator: "|").map { cell in cell.filter { !" `".contains($0) } }
    }
    let rows = cells.filter { $0.count == 3 && Int($0[1]) != nil }.map { "\($0[0]) \($0[1])" }
    #expect(rows == (try Sample.all().map { "\($0.name) \(row(of: try verdict(of: $0)))" }))
  }

  @Test func `sample journals are small`() throws {
    let sizes = try Sample.all().map { ($0.name, $0.bytes.count) }
    for (name, size) in sizes { #expect(size < 100_000, "\(name)") }
    #expect(sizes.reduce(0) { $0 + $1.1 } < 1_000_000)
  }

  @Test func `the samples include one for every verdict`() throws {
    var found: Set<String> = []
    for sample in try Sample.all() { found.insert(name(of: try verdict(of: sample))) }
    #expect(
      found.sorted() == [
        "clean", "creation interrupted", "damaged: base", "damaged: later frame", "damaged: mark",
        "damaged: mark disagrees", "damaged: marks unreadable", "newer format", "newer frame",
        "not a journal: emptied", "not a journal: foreign", "not a journal: headers damaged",
        "not a journal: headers disagree", "not a journal: short", "torn",
      ])
  }

  private func verdict(of sample: Sample) throws -> RecoveryVerdict {
    try RecoveryDecision.decide(
      MappedImage(sample.bytes), hasDerivedFiles: sample.companion != nil)
  }

  /// The row of the table in `RECOVERY.md`.
  private func row(of verdict: RecoveryVerdict) -> Int {
    switch verdict {
    case .creationInterrupted: 1
    case .notAJournal(.emptied): 2
    case .newerFormat: 3
    case .notAJournal: 4
    case .newerFrame: 6
    case .clean: 9
    case .torn: 10
    case .damaged(_, let damage):
      switch damage.proof {
      case .markDisagrees: 5
      case .base, .mark, .laterFrame: 7
      case .marksUnreadable: 8
      }
    }
  }

  private func name(of verdict: RecoveryVerdict) -> String {
    switch verdict {
    case .creationInterrupted: "creation interrupted"
    case .newerFormat: "newer format"
    case .newerFrame: "newer frame"
    case .clean: "clean"
    case .torn: "torn"
    case .damaged(_, let damage):
      switch damage.proof {
      case .mark: "damaged: mark"
      case .laterFrame: "damaged: later frame"
      case .markDisagrees: "damaged: mark disagrees"
      case .base: "damaged: base"
      case .marksUnreadable: "damaged: marks unreadable"
      }
    case .notAJournal(let why):
      switch why {
      case .short: "not a journal: short"
      case .unwritten: "not a journal: unwritten"
      case .foreign: "not a journal: foreign"
      case .headersDamaged: "not a journal: headers damaged"
      case .headersDisagree: "not a journal: headers disagree"
      case .emptied: "not a journal: emptied"
      }
    }
  }

  private func difference(_ stored: [UInt8], _ made: [UInt8]) -> String {
    let place = zip(stored, made).enumerated().first { $1.0 != $1.1 }?.offset
    return place.map { "byte \($0) differs" } ?? "\(stored.count) bytes stored, \(made.count) made"
  }

  private static func rewrite() throws {
    for sample in try Sample.all() {
      try ProjectFiles.write(sample.bytes, to: "\(folder)/\(sample.journalName)")
      try ProjectFiles.write(Array(sample.text().utf8), to: "\(folder)/\(sample.textName)")
      if let companion = sample.companion {
        let name = sample.journalName + companion.suffix
        try ProjectFiles.write(companion.bytes, to: "\(folder)/\(name)")
      }
    }
  }
}
