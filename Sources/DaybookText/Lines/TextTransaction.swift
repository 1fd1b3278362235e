import DaybookJournal
@_spi(Tools) import DaybookStore

/// A transaction as a line of the text contains it, without its changes.
struct TextTransaction {
  var sequence: Int64 = 0
  var sequenceOffset = 0
  var time = JournalTime.distantPast
  /// The text of the time in the line.
  var timeString = ""
  var metadata: [JSONValue.Member] = []
}

/// A change of one record as a line of the text contains it.
struct TextChange {
  var kind = ChangeKind.insert
  /// The byte offset of the change in the line.
  var offset = 0
  var entity = ""
  var entityOffset = 0
  var id = TextValue(content: .null, offset: 0)
  var members: [TextMember] = []
  var creation: UInt64?
  var creationOffset = 0
}

/// An attribute and its new value, as a line of the text contains them.
struct TextMember {
  var name: String
  var nameOffset: Int
  var value: TextValue
}

extension TextReader {
  /// Reads the line as a transaction.
  ///
  /// - Parameter body: A closure that is called with each change as soon as the change is read. So
  ///   the changes of a long line are not in memory together, if the closure does not keep them.
  /// - Complexity: O(*n*)
  mutating func readTransaction(
    _ body: (TextChange, TextReader) throws(TextJournalError) -> Void
  ) throws(TextJournalError) -> TextTransaction {
    var transaction = TextTransaction()
    var keys = JSONKeys()
    var hasSequence = false
    var hasTime = false
    try beginObject()
    let start = offset
    while let key = try nextKey(&keys) {
      switch key {
      case "tx":
        transaction.sequence = try readInteger()
        transaction.sequenceOffset = offset
        hasSequence = true
      case "time":
        transaction.timeString = try readString()
        hasTime = true
        do { transaction.time = try JournalTimeText.time(transaction.timeString) } catch {
          let value = TextValue(content: .null, offset: offset)
          throw self.error(.time, defect: TextDefect(value, error: error), of: "the time")
        }
      case "meta": transaction.metadata = try readMembers()
      case "changes":
        try beginArray()
        while try nextElement() { try body(try readChange(), self) }
      default:
        throw error(
          .unknownKey, at: offset,
          sentence:
            "unknown key \(TextReader.quoted(key)) in a transaction; the keys are \"tx\", \"time\", "
            + "\"meta\" and \"changes\".")
      }
    }
    try finish()
    if !hasSequence { throw missing("tx", of: "a transaction", at: start) }
    if !hasTime { throw missing("time", of: "a transaction", at: start) }
    return transaction
  }

  /// Reads the line as a transaction that has no number and no time yet, and returns its metadata.
  mutating func readUnnumberedTransaction(
    _ body: (TextChange, TextReader) throws(TextJournalError) -> Void
  ) throws(TextJournalError) -> [JSONValue.Member] {
    var metadata: [JSONValue.Member] = []
    var keys = JSONKeys()
    var hasChanges = false
    try beginObject()
    let start = offset
    while let key = try nextKey(&keys) {
      switch key {
      case "meta": metadata = try readMembers()
      case "changes":
        hasChanges = true
        try beginArray()
        while try nextElement() { try body(try readChange(), self) }
      default:
        throw error(
          .unknownKey, at: offset,
          sentence:
            "unknown key \(TextReader.quoted(key)) in a transaction to append; the keys are \"meta\" "
            + "and \"changes\".")
      }
    }
    try finish()
    if !hasChanges { throw missing("changes", of: "a transaction", at: start) }
    return metadata
  }

  private mutating func readChange() throws(TextJournalError) -> TextChange {
    var change = TextChange()
    var keys = JSONKeys()
    var operation: String?
    var hasEntity = false
    var hasIdentifier = false
    var setOffset: Int?
    try beginObject()
    change.offset = offset
    while let key = try nextKey(&keys) {
      let keyOffset = offset
      switch key {
      case "op":
        let name = try readString()
        operation = name
        switch name {
        case "insert": change.kind = .insert
        case "update": change.kind = .update
        case "delete": change.kind = .delete
        default:
          throw error(
            .unknownOperation, at: offset,
            sentence:
              "expected \"insert\", \"update\" or \"delete\", found \(TextReader.quoted(name)).")
        }
      case "entity":
        change.entity = try readString()
        change.entityOffset = offset
        hasEntity = true
        if change.entity.isEmpty {
          throw error(
            .unknownEntity, at: offset, sentence: "the name of the entity is empty.")
        }
      case "id":
        change.id = try readValue()
        hasIdentifier = true
      case "set":
        setOffset = keyOffset
        try readSet(&change)
      case "created":
        change.creationOffset = keyOffset
        change.creation = try readCreation()
      default:
        throw error(
          .unknownKey, at: offset,
          sentence:
            "unknown key \(TextReader.quoted(key)) in a change; the keys are \"op\", \"entity\", \"id\", "
            + "\"set\" and \"created\".")
      }
    }
    if operation == nil { throw missing("op", of: "a change", at: change.offset) }
    if !hasEntity { throw missing("entity", of: "a change", at: change.offset) }
    if !hasIdentifier { throw missing("id", of: "a change", at: change.offset) }
    if change.kind == .update, setOffset == nil {
      throw missing("set", of: "an update", at: change.offset)
    }
    if change.kind == .delete, let setOffset {
      throw error(.unknownKey, at: setOffset, sentence: "a delete cannot have \"set\".")
    }
    if change.kind != .insert, change.creation != nil {
      throw error(
        .unknownKey, at: change.creationOffset, sentence: "only an insert can have \"created\".")
    }
    return change
  }

  private mutating func readSet(_ change: inout TextChange) throws(TextJournalError) {
    var keys = JSONKeys()
    try beginObject()
    while let name = try nextKey(&keys) {
      let nameOffset = offset
      change.members.append(
        TextMember(name: name, nameOffset: nameOffset, value: try readValue()))
    }
  }

  private mutating func readCreation() throws(TextJournalError) -> UInt64 {
    let number = try readNumber()
    let creation: UInt64? =
      switch number.value {
      case .integer(let integer): UInt64(exactly: integer)
      case .unsigned(let integer): integer
      default: nil
      }
    guard let creation, creation > 0, creation <= Layout.creationMax else {
      throw error(
        .creation, at: offset,
        sentence:
          "expected an integer from 1 to \(Layout.creationMax), found \(number.text)."
      )
    }
    return creation
  }

  func missing(_ key: String, of whose: String, at offset: Int) -> TextJournalError {
    error(.missingKey, at: offset, sentence: "\(whose) needs the key \"\(key)\", which is missing.")
  }

  /// Returns a name as a JSON string. A very long name is shortened.
  static func quoted(_ name: String) -> String {
    var writer = JSONWriter()
    var shown = String.UnicodeScalarView(name.unicodeScalars.prefix(JSONError.wordLengthMax))
    if shown.count < name.unicodeScalars.count { shown.append("…") }
    writer.write(String(shown))
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
