import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import TestSupport
import Testing

@Suite struct `The README and the pages` {
  @Test func `the example on the page of journals prints the shown output`() throws {
    let page = try ProjectFiles.lines("Sources/DaybookJournal/DaybookJournal.docc/Journals.md")
    let source = try ProjectFiles.lines("Tests/DaybookJournalTests/ReadmeTests.swift")
    let start = try #require(source.firstIndex { $0.hasSuffix("// The example begins.") })
    let end = try #require(source.firstIndex { $0.hasSuffix("// The example ends.") })
    let code = source[(start + 1)..<end].map { String($0.dropFirst(4)) }
    #expect(
      Array(
        try block(after: "```swift", in: page, following: "# Journals in a program").dropFirst(2)
      ) == code,
      "the first two lines import the library")

    let directory = try temporaryDirectory()
    defer { removeAll(in: directory) }
    let printed = try runExample(at: FilePaths.join(directory, name: "example.daybook"))
    #expect(
      try block(after: "```", in: page, following: "prints", from: "# Journals in a program")
        == printed)
  }

  /// Runs the example with a local `print` function.
  private func runExample(at path: String) throws -> [String] {
    var printed: [String] = []
    func print(_ line: String) { printed.append(line) }
    // The example begins.
    let journal = try FileJournal(at: path)
    for payload in ["first", "the second"] {
      // Returns when the transaction is on disk: it survives a power loss.
      switch try journal.appendAndWait(Array(payload.utf8)) {
      case .appended(let receipt): print("transaction \(receipt.sequence) is \(receipt.safety)")
      case .conflict(let head): print("transaction \(head.sequence) came first")
      case .unknown: try journal.recoverAndWait()
      }
    }

    var reader = try journal.transactions(from: 1)
    while let transaction = try reader.next() {
      let text = String(decoding: transaction.payload.copy(), as: UTF8.self)
      print("\(transaction.sequence): \(text)")
    }
    try journal.closeAndWait()
    // The example ends.
    return printed
  }

  @Test func `all links of the pages lead to files`() throws {
    let journal = ["FORMAT.md", "PAYLOADS.md", "RECOVERY.md", "CACHES.md", "Samples/README.md"].map
    {
      "Journal/" + $0
    }
    let modules = try ProjectFiles.names(in: "Sources").flatMap { module in
      let folder = "Sources/\(module)/\(module).docc"
      return ((try? ProjectFiles.names(in: folder)) ?? []).filter { $0.hasSuffix(".md") }
        .map { "\(folder)/\($0)" }
    }
    #expect(modules.count >= 8)
    for page in ["README.md"] + journal + modules {
      let directory = FilePaths.split(page).directory
      for line in try ProjectFiles.lines(page) {
        for part in line.split(separator: "](").dropFirst() {
          let target = part.prefix { $0 != ")" && $0 != "#" }
          guard !target.isEmpty else { continue }
          let path = ProjectFiles.path(file(of: String(target), in: directory))
          #expect((try? SystemDisk().status(of: path)) != nil, "\(page) links to \(target)")
        }
      }
    }
  }

  /// Returns the path of a link's file: `doc:Page` is a page of the same catalog,
  /// `doc:/Module/Page` a page of a different catalog. The pictures of a catalog are in a folder,
  /// which links do not name.
  private func file(of target: String, in directory: String) -> String {
    let isPicture = target.hasSuffix(".png") || target.hasSuffix(".svg")
    if isPicture, directory.hasSuffix(".docc") { return "\(directory)/Resources/\(target)" }
    guard target.hasPrefix("doc:") else { return FilePaths.join(directory, name: target) }
    let parts = target.dropFirst(4).split(separator: "/")
    let folder = parts.count > 1 ? "Sources/\(parts[0])/\(parts[0]).docc" : directory
    return "\(folder)/\(parts.last ?? "").md"
  }

  @Test func `the README has fewer than 200 lines`() throws {
    #expect(try ProjectFiles.lines("README.md").count < 200)
  }

  private func block(
    after fence: String, in lines: [String], following text: String? = nil,
    from heading: String? = nil
  ) throws -> [String] {
    let first = try heading.map { text in try #require(lines.firstIndex(of: text)) } ?? 0
    let from = try text.map { text in try #require(lines[first...].firstIndex(of: text)) } ?? first
    let start = try #require(lines[from...].firstIndex(of: fence)) + 1
    return Array(lines[start...].prefix { $0 != "```" })
  }

  private func temporaryDirectory() throws -> String {
    var template = Array("/tmp/daybook-readme-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func removeAll(in directory: String) {
    for name in (try? SystemDisk().list(directory)) ?? [] {
      unlink(FilePaths.join(directory, name: name))
    }
    rmdir(directory)
  }
}
