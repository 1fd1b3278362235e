import Daybook
@_spi(Tools) import DaybookResults

/// `daybook insert`, `set` and `delete`: change one record of a journal.
enum RecordVerbs {
  static let insert = Verb(
    name: "insert", summary: "insert a record into a journal", arguments: record + [values(true)],
    flags: WriteReceipt.flags,
    notes: """
      \(valueNotes)

      The journal refuses the record if its identifier exists, if a required attribute
      has no value, if its values are not unique where they must be, or if a checked
      reference leads nowhere.
      """,
    example: "daybook insert games.daybook Game 7 name=Galaga --author me",
    interruption: .appended,
    run: { try write($0, change: RecordVerbs.insertRecord) })

  static let set = Verb(
    name: "set", summary: "change attributes of a record of a journal",
    arguments: record + [values(false)], flags: WriteReceipt.flags, notes: valueNotes,
    example: "daybook set games.daybook Game 7 name='Galaga 88' --reason 'new edition'",
    interruption: .appended,
    run: { try write($0, change: RecordVerbs.setValues) })

  static let delete = Verb(
    name: "delete", summary: "delete a record of a journal", arguments: record,
    flags: WriteReceipt.flags,
    notes: """
      The delete rules in the journal apply: other records can be deleted too, lose
      their reference, or prevent the deletion. The earlier values stay in the
      journal; 'daybook erase' removes them.
      """,
    example: "daybook delete games.daybook Game 7",
    interruption: .appended,
    run: { try write($0, change: RecordVerbs.deleteRecord) })

  private static let record =
    [
      Verb.Argument(
        name: "JOURNAL",
        summary: "the journal file; another process may write it only if it is a replica")
    ] + HistoryVerb.verb.arguments.dropFirst()

  private static func values(_ isOptional: Bool) -> Verb.Argument {
    Verb.Argument(
      name: "KEY=VALUE", summary: "an attribute and its value, or KEY:=JSON",
      isOptional: isOptional, isRepeated: true)
  }

  private static let valueNotes = """
    VALUE is read by the type of the attribute. For a string it is always the text
    itself; a date is ISO 8601, and a reference is an identifier. JSON is a JSON
    value, for example an array. KEY:=null removes the value.
    """

  // MARK: Running

  /// A change of one record in a context.
  private typealias Change = (
    EditingContext, EntityDefinition, RecordIdentifier, AttributeWords
  ) throws(StoreError) -> Void

  private static func write(_ invocation: Invocation, change: Change) throws -> ExitStatus {
    let journal = try invocation.openJournalForWriting()
    return try journal.closing {
      try write(invocation, to: journal, change: change)
      return try invocation.end(with: journal)
    }
  }

  private static func write(
    _ invocation: Invocation, to journal: OpenJournal, change: Change
  ) throws {
    let store = journal.store
    let entity = try RecordArguments.entity(invocation["ENTITY"], in: store.snapshot)
    let id = try RecordArguments.identifier(invocation["ID"], of: entity)
    if invocation.verb.name == insert.name, id == .string(""),
      try DynamicRequest(entity: entity.name).matching(among: [id], in: store.snapshot).isEmpty
    {
      throw ToolError(
        .usage,
        sentence: "ID is an empty text, which is hard to type and to see. Choose another one.")
    }
    let values = try AttributeWords(invocation, of: entity)
    let context = store.makeContext(isolation: nil)
    context.metadata = WriteReceipt.metadata(invocation)
    let receipt: WriteReceipt.Saved?
    do throws(StoreError) {
      try change(context, entity, id, values)
      receipt = try journal.saving { () throws(StoreError) in try context.saveAndWait() }
    } catch {
      var refusal = journal.error(error)
      if case .notFound = error.reason { refusal.status = .declined }
      throw refusal
    }
    try WriteReceipt.write(receipt, of: journal, for: invocation)
  }

  private static func insertRecord(
    in context: EditingContext, entity: EntityDefinition, id: RecordIdentifier,
    words: AttributeWords
  ) throws(StoreError) {
    var record = DynamicRecord(
      entity, id: id, values: Array(repeating: .null, count: entity.attributes.count))
    for (index, value) in words.values { record.values[index] = value }
    try context.insert(record, isolation: nil)
  }

  private static func setValues(
    in context: EditingContext, entity: EntityDefinition, id: RecordIdentifier,
    words: AttributeWords
  ) throws(StoreError) {
    for (index, value) in words.values {
      try context.setValue(
        value, forKey: entity.attributes[index].name, of: entity.name, id: id, isolation: nil)
    }
  }

  private static func deleteRecord(
    in context: EditingContext, entity: EntityDefinition, id: RecordIdentifier,
    words: AttributeWords
  ) throws(StoreError) {
    try context.delete(entity.name, id: id, isolation: nil)
  }
}
