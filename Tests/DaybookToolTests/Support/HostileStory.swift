import Daybook
import DaybookJournal
import DaybookStore
import DaybookTesting
import FoundationEssentials

/// A place that persons refer to.
private struct Place: Record {
  var id = 0
  var title = ""
  static let schema = RecordSchema<Place>("Place").attribute("title", at: \.title).unique(\.title)
}

/// A person with values of most kinds: large values, lists, required references.
private struct Person: Record {
  var id = ""
  var name: String?
  var weight = 0.0
  var notes = ""
  var tags: [String] = []
  var scores: [Int32] = []
  var home: Reference<Place>?
  var boss: Reference<Person>?
  static let schema = RecordSchema<Person>("Person")
    .attribute("name", at: \.name, required: true).attribute("weight", at: \.weight)
    .attribute("notes", at: \.notes).attribute("tags", at: \.tags).attribute("scores", at: \.scores)
    .reference("home", at: \.home, required: true, whenTargetDeleted: .nullify).reference(
      "boss", at: \.boss, inverse: "staff", whenTargetDeleted: .nullify)
}

/// The payloads of a journal as separate changes. A test can modify them, and write them again with
/// correct checksums.
struct HostileStory {
  struct Change {
    var kind: ChangeKind
    var layout: Layout
    var row: [UInt8] = []
    var id: RecordIdentifier?
    var previous: ChangePosition
    var changed = AttributeSet([])
  }

  struct Transaction {
    var layouts: [Layout]
    var storedValues: [UInt8]
    var changes: [Change]
    var metadata: TransactionMetadata
    /// The nesting depth of the metadata, if it is deeper than a program writes.
    var depth = 0
  }

  private(set) var transactions: [Transaction] = []
  private var random: SplitMix64

  /// Creates a story without lies.
  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    let journal = MemoryJournal()
    let store = try Store.inMemory(types: [Place.self, Person.self], journal: journal)
    let context = store.makeContext(isolation: nil)
    for step in 0..<2 + below(5) {
      if below(2) == 0 { context.metadata.author = "a\(step)" }
      try context.insert(Place(id: step, title: "t\(step)"))
      for number in 0..<1 + below(3) {
        var person = Person(id: "p\(step)\(number)", name: "n\(number)")
        person.weight = Double(below(1000)) / 8
        person.notes = String(repeating: "n", count: below(3) == 0 ? 600 : 5)
        person.tags = (0..<below(3)).map { "t\($0)" }
        person.scores = (0..<Int32(below(3))).map { $0 }
        person.home = Reference(step)
        if step > 0 { person.boss = Reference("p00") }
        try context.insert(person)
      }
      if step > 1 {
        try context.update(Person.self, id: "p00") { $0.weight += 1 }
        try context.update(Person.self, id: "p\(step - 1)0") { $0.name = "m\(step)" }
        if below(2) == 0 { try? context.delete(Person.self, id: "p\(step - 2)1") }
      }
      try context.saveAndWait()
    }
    var layouts = LayoutTable()
    var reader = journal.transactions(from: 1)
    while let transaction = try reader.next() {
      transactions.append(
        transaction.payload.withSpan { HostileStory.transaction($0, &layouts) })
    }
  }

  private static func transaction(_ bytes: RawSpan, _ layouts: inout LayoutTable) -> Transaction {
    func copy(_ range: Range<Int>) -> [UInt8] {
      bytes.extracting(range).withUnsafeBytes { [UInt8]($0) }
    }
    var reader = PayloadReader(bytes, layouts: layouts)
    for layout in reader.newLayouts { _ = layouts.add(layout) }
    var changes: [Change] = []
    while let change = reader.next(in: bytes) {
      var copied = Change(kind: change.kind, layout: change.layout, previous: change.previous)
      if change.kind == .delete {
        copied.id = RecordIdentifier(
          change.layout.identifierKind, bytes: bytes.extracting(change.row))
      } else {
        copied.row = copy(change.row)
        copied.changed = AttributeSet(all: change.layout.fields.count)
      }
      changes.append(copied)
    }
    return Transaction(
      layouts: reader.newLayouts, storedValues: copy(reader.storedValues), changes: changes,
      metadata: reader.metadata(in: bytes))
  }

  mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

  // MARK: Lies

  /// The number of kinds of lies.
  static let lieCount = 14

  /// Modifies a random transaction.
  ///
  /// - Parameter lie: The kind of the lie.
  mutating func lie(_ lie: Int) {
    let index = below(transactions.count)
    let count = transactions[index].changes.count
    guard count > 0 else { return }
    let (place, other) = (below(count), below(count))
    var change = transactions[index].changes[place]
    switch lie {
    case 0:
      // Change a record twice, with random kinds of changes.
      change.id = id(of: change)
      change.kind = [.insert, .update, .delete][below(3)]
      if change.kind != .delete, change.row.isEmpty { return }
      transactions[index].changes.insert(change, at: below(count + 1))
    case 1: transactions[index].changes.swapAt(place, other)
    case 2: transactions[index].changes.remove(at: place)
    case 3:
      let creation = [0, 1, 2, UInt64(below(20)), Layout.creationMax, .max][below(6)]
      set(creation, index, place)
    case 4: clearAttribute(index, place)
    case 5: transactions[index].depth = 60 + below(8)
    case 6:
      change.previous.sequence = UInt64(below(transactions.count + 2))
      transactions[index].changes[place].previous = change.previous
    case 7:
      change.previous.payloadOffset = UInt32(below(200))
      transactions[index].changes[place].previous = change.previous
    case 8: changeStoredValue(index, place)
    case 9: lieAboutLayout()
    case 10: transactions.swapAt(index, below(transactions.count))
    case 11: transactions.insert(transactions[index], at: below(transactions.count))
    case 12: transactions.remove(at: index)
    default: flipByte(index, place)
    }
  }

  private func id(of change: Change) -> RecordIdentifier? {
    if let id = change.id { return id }
    let row = change.row.span.bytes
    return change.layout.identifierRange(in: row).flatMap {
      RecordIdentifier(change.layout.identifierKind, bytes: row.extracting($0))
    }
  }

  private mutating func set(_ creation: UInt64, _ index: Int, _ place: Int) {
    guard transactions[index].changes[place].kind == .insert else { return }
    for byte in 0..<8 {
      transactions[index].changes[place].row[6 + byte] = UInt8(
        truncatingIfNeeded: creation >> UInt64(8 * byte))
    }
  }

  private mutating func clearAttribute(_ index: Int, _ place: Int) {
    let change = transactions[index].changes[place]
    guard change.kind != .delete, !change.layout.fields.isEmpty else { return }
    let attribute = change.layout.fields[below(change.layout.fields.count)]
    transactions[index].changes[place].row[attribute.nilOffset] |= attribute.nilBit
  }

  private mutating func changeStoredValue(_ index: Int, _ place: Int) {
    let change = transactions[index].changes[place]
    guard change.kind != .delete else { return }
    let places = change.layout.storedValues(in: change.row.span.bytes)
    guard let (_, offset, value) = places.first else { return }
    // Modify the transaction, the offset, the length or the checksum of the stored value, by
    // little.
    let field = [0, 8, 12, 16][below(4)]
    if field == 0, value.sequence == 0 {
      transactions[index].changes[place].row[offset] = UInt8(below(transactions.count + 1))
    } else {
      transactions[index].changes[place].row[offset + field] ^= UInt8(1 << below(3))
    }
  }

  private mutating func lieAboutLayout() {
    guard let index = transactions.firstIndex(where: { !$0.layouts.isEmpty }) else { return }
    let number = below(transactions[index].layouts.count)
    let layout = transactions[index].layouts[number]
    var entity = layout.entity
    let place = below(entity.attributes.count)
    switch below(9) {
    case 0: entity.name = ""
    case 1: entity.attributes[place].name = ["", "id", "a\u{301}", "\u{9B}"][below(4)]
    case 2: entity.unique.append([])
    case 3: entity.unique.append([entity.attributes[place].name])
    case 4: entity.attributes[place].ownDeleteRule = .deny
    case 5: entity.attributes[place].inverse = "name"
    case 6: entity.attributes[place].earlierName = ["", "id", "name"][below(3)]
    case 7:
      if case .reference(let target) = entity.attributes[place].type {
        let nowhere = EntityReference("Nowhere", identifierKind: target.identifierKind)
        entity.attributes[place].type = .reference(nowhere)
      }
    default: entity.attributes[place].isRequired.toggle()
    }
    let lie = Layout(number: layout.number, of: entity)
    transactions[index].layouts[number] = lie
    for index in transactions.indices {
      for place in transactions[index].changes.indices
      where transactions[index].changes[place].layout.number == layout.number {
        transactions[index].changes[place].layout = lie
      }
    }
  }

  private mutating func flipByte(_ index: Int, _ place: Int) {
    guard !transactions[index].changes[place].row.isEmpty else { return }
    // The layout's number stays intact, because the story needs it to write the change again.
    let byte = 6 + below(transactions[index].changes[place].row.count - 6)
    transactions[index].changes[place].row[byte] ^= UInt8(1 << below(8))
  }

  // MARK: Payloads

  /// Returns the payloads of the modified story.
  ///
  /// - Parameter identifier: Three bytes that replace the identifier `p00` everywhere; nil to keep
  ///   it.
  func payloads(identifier: [UInt8]?) -> [[UInt8]] {
    transactions.map { transaction in
      var payload = HostileStory.payload(transaction)
      guard let identifier, payload.count > 3 else { return payload }
      let start = transaction.layouts.isEmpty ? 0 : 300
      for place in start..<max(start, payload.count - 2)
      where Array(payload[place..<place + 3]) == Array("p00".utf8) {
        payload.replaceSubrange(place..<place + 3, with: identifier)
      }
      return payload
    }
  }

  private static func payload(_ transaction: Transaction) -> [UInt8] {
    let hasDepth = transaction.depth > 0
    var writer = PayloadWriter(
      layouts: PayloadLayouts(transaction.layouts), storedValues: transaction.storedValues,
      changeCount: transaction.changes.count,
      metadata: hasDepth ? TransactionMetadata() : transaction.metadata)
    for change in transaction.changes {
      switch change.kind {
      case .insert:
        writer.insert(change.row.span.bytes, creation: Layout.creation(of: change.row.span.bytes))
      case .update:
        writer.update(
          change.row.span.bytes, creation: Layout.creation(of: change.row.span.bytes),
          after: change.previous, changed: change.changed)
      case .delete:
        writer.delete(
          change.id ?? .int(0), in: change.layout, after: change.previous)
      }
    }
    var payload = writer.finish()
    if hasDepth {
      payload[1] |= 4
      let opening = String(repeating: "[", count: transaction.depth - 1)
      let closing = String(repeating: "]", count: transaction.depth - 1)
      payload += Array("{\"deep\":\(opening)\(closing)}".utf8)
    }
    return payload
  }
}
