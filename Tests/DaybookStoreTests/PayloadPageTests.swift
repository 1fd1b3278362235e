import DaybookJournal
import DaybookStore
import DaybookText
import TestSupport
import Testing

@Suite struct `The page on payloads` {
  @Test func `the worked example on the payload page has the bytes of the code`() throws {
    let journal = MemoryJournal()
    let store = try Store.inMemory(types: [Bank.self], journal: journal)
    let context = store.makeContext()
    try context.insert(Bank(id: 7, name: "First", state: "CA"))
    context.metadata.author = "me"
    try context.saveAndWait()
    try context.update(Bank.self, id: 7) { $0.state = "NY" }
    try context.saveAndWait()
    var lines: [String] = []
    var reader = journal.transactions(from: 1)
    while let transaction = try reader.next() {
      if !lines.isEmpty { lines.append("") }
      lines += HexDump.lines(of: transaction.payload.copy())
    }
    let page = try ProjectFiles.lines("Journal/PAYLOADS.md")
    let heading = "## A worked example"
    #expect(
      try DocumentationPage.block("```", in: page, following: heading, from: heading) == lines,
      "\(lines.joined(separator: "\n"))")
  }

  @Test func `the numeric codes on the payload page are those of the code`() throws {
    let page = try ProjectFiles.lines("Journal/PAYLOADS.md").joined(separator: "\n")
    for type in ScalarType.allCases {
      #expect(page.contains("| \(type.rawValue) | \(type.name) |"), "\(type)")
    }
    let rules = DeleteRule.allCases.map { "\($0.rawValue) \($0.name)" }.joined(separator: ", ")
    #expect(page.contains("u8: \(rules)\n"))
    #expect(page.contains("A value of more than \(StoredValue.byteCountMin - 1) bytes"))
    #expect(StoredValue.byteCount == 24 && Layout.headByteCount == 14)
    #expect(Layout.numberMax == 16_383)
    #expect(page.contains("at most \(TransactionMetadata.depthMax) deep"))
    #expect(Layout.creationMax == 1 << 63 - 1 && page.contains("is from 1 to 2^63 - 1."))
  }

  @Test func `the limits on the payload page are those of the code`() throws {
    let page = try ProjectFiles.lines("Journal/PAYLOADS.md").joined(separator: "\n")
    for limit in SchemaLimit.allCases {
      let name =
        switch limit {
        case .attributes: "attributes of an entity"
        case .uniqueLists: "unique lists of an entity"
        case .uniqueListAttributes: "attributes of a unique list"
        case .layouts: "layouts of an entity"
        case .entities: "entities of a journal"
        case .renames: "renames of entities of a journal"
        }
      #expect(page.contains("| \(name) | \(limit.maximum) |"), "\(limit)")
    }
    #expect(page.contains("| layouts of a journal | \(Int(Layout.numberMax) + 1) |"))
  }
}
