import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore

/// A reader of lines with changes, which appends each line to a store as one transaction.
///
/// A line has the form of a text journal's line without a number and a time:
///
/// ```
/// {"meta":{"author":"me"},"changes":[{"op":"delete","entity":"Food","id":"f1"}]}
/// ```
///
/// The first line can be the header of a text journal without a base. It adds entities and
/// attributes to those of the store.
///
/// The reader does not wait for the end of its input. So a program can write a line to a pipe and
/// read the receipt before it writes the next line.
@_spi(Tools) public struct TextAppend {
  /// The outcome of a save.
  public struct Saved: Sendable {
    /// The number of the transaction.
    public let sequence: SequenceNumber
    /// A Boolean value that indicates whether an earlier save had written the transaction.
    public let isRepeated: Bool

    /// Creates the outcome of a transaction whose receipt is not known.
    public init(_ sequence: SequenceNumber) { (self.sequence, isRepeated) = (sequence, false) }

    /// Creates the outcome of a transaction from its receipt.
    public init(_ receipt: Receipt) {
      (sequence, isRepeated) = (receipt.sequence, receipt.isRepeated)
    }
  }

  /// A function that performs a save. It can repeat the save until its outcome is known.
  public typealias Saving = (
    _ save: () throws(StoreError) -> Receipt?
  ) throws(StoreError) -> Saved?

  /// An appended line.
  public struct AppendedLine: Sendable {
    /// The number of the line, starting at 1.
    public let number: Int
    /// The transaction.
    public let saved: Saved
  }

  private let store: Store
  private let path: String
  private let metadata: TransactionMetadata
  private let saving: Saving
  private var entities: [String: EntityDefinition]
  private var hasStarted = false
  private var lines: TextLines

  /// Creates a reader of an open descriptor. The caller closes it.
  ///
  /// - Parameters:
  ///   - store: The store, with the entities that the lines can change.
  ///   - descriptor: The descriptor.
  ///   - path: The name of the text in error messages.
  ///   - metadata: The author and the reason of lines that have none.
  ///   - saving: The function that performs the saves.
  public init(
    to store: Store, reading descriptor: Int32, path: String,
    metadata: TransactionMetadata = TransactionMetadata(), saving: @escaping Saving
  ) {
    self.init(
      to: store, lines: LineReader(descriptor: descriptor, path: path), path: path,
      metadata: metadata, saving: saving)
  }

  package init(
    to store: Store, lines: LineReader, path: String,
    metadata: TransactionMetadata = TransactionMetadata(),
    saving: @escaping Saving = { (save) throws(StoreError) in try save().map { Saved($0) } }
  ) {
    self.saving = saving
    self.store = store
    self.path = path
    self.metadata = metadata
    self.lines = TextLines(lines, path: path)
    entities = Dictionary(uniqueKeysWithValues: store.snapshot.entities.map { ($0.name, $0) })
  }

  /// Reads the next line, and saves its changes as one transaction.
  ///
  /// The changes are applied in order, with one exception: a deletion to which delete rules apply
  /// waits for the changes of other records. So the rules read the new values of these records. A
  /// record that the line gives to a new owner stays.
  ///
  /// Then the save checks unique lists and required values, like every save. A line without changes
  /// becomes a transaction without changes, as in a text journal.
  ///
  /// - Returns: The appended line; nil at the end of the text.
  /// - Throws: ``TextJournalError``. Then nothing of the line is saved. With the reason `refused`
  ///   and an unknown outcome, the line may have been saved.
  @available(*, noasync)
  public mutating func next() throws(TextJournalError) -> AppendedLine? {
    if !hasStarted {
      hasStarted = true
      if let header = try lines.header() { try declare(header) }
    }
    guard let line = try lines.next() else { return nil }
    var reader = TextReader(line, path: path)
    let context = store.makeContext(isolation: nil)
    var deletions: [Deletion] = []
    /// The positions of the waiting deletions.
    var waiting: [Deletion.Key: Int] = [:]
    let members = try reader.readUnnumberedTransaction {
      (change, reader) throws(TextJournalError) in
      let (entity, id) = try record(of: change, at: reader)
      let key = Deletion.Key(entity: entity.name, id: id)
      if let index = waiting.removeValue(forKey: key) {
        try delete(deletions[index], at: reader, in: context)
      }
      if change.kind == .delete, context.hasDeleteRules(entity.name) {
        waiting[key] = deletions.count
        return deletions.append(Deletion(key: key, offset: change.offset))
      }
      try apply(change, to: entity, id: id, at: reader, in: context)
    }
    for (index, deletion) in deletions.enumerated() where waiting[deletion.key] == index {
      try delete(deletion, at: reader, in: context)
    }
    var own = TransactionMetadata(members)
    for key in ["author", "reason"] where !members.contains(where: { $0.key == key }) {
      if let value = metadata[key] { own[key] = value }
    }
    context.metadata = own
    let (store, proposed) = (store, own)
    do throws(StoreError) {
      let saved = try saving { () throws(StoreError) in
        // A context does not save a transaction without changes.
        if let receipt = try context.saveAndWait() { return receipt }
        return try store.saveAndWait(Proposal(proposed))
      }
      guard let saved else { preconditionFailure("line \(line.number) was not saved") }
      return AppendedLine(number: line.number, saved: saved)
    } catch { throw refusal(error, at: 0, in: reader) }
  }

  /// Adds the entities and the attributes of a header that the store does not have. Entities and
  /// attributes that it has keep their definitions.
  private mutating func declare(_ header: LineReader.Line) throws(TextJournalError) {
    var schema = TextSchema()
    try schema.readHeader(header, path: path)
    let reader = TextReader(header, path: path)
    if let base = schema.base {
      throw reader.error(
        .base, at: 0,
        sentence: "a text to append cannot have a base, but this one has \(base.sequence).")
    }
    var added: [EntityDefinition] = []
    for entity in try schema.definitions(path: path) {
      guard var known = entities[entity.name] else {
        added.append(entity)
        continue
      }
      let new = entity.attributes.filter { known.index(of: $0.name) == nil }
      if new.isEmpty { continue }
      known.attributes += new
      added.append(known)
    }
    guard !added.isEmpty else { return }
    do throws(StoreError) { try store.define(added) } catch {
      throw refusal(error, at: 0, in: reader)
    }
    for entity in added { entities[entity.name] = entity }
  }

  /// A deletion of a line, at a position of its text.
  private struct Deletion {
    struct Key: Hashable {
      var entity: String
      var id: RecordIdentifier
    }

    var key: Key
    var offset: Int
  }

  private func delete(
    _ deletion: Deletion, at reader: TextReader, in context: EditingContext
  ) throws(TextJournalError) {
    do throws(StoreError) {
      try context.delete(deletion.key.entity, id: deletion.key.id, isolation: nil)
    } catch { throw refusal(error, at: deletion.offset, in: reader) }
  }

  /// Returns the entity and the identifier of a change's record.
  private func record(
    of change: TextChange, at reader: TextReader
  ) throws(TextJournalError) -> (entity: EntityDefinition, id: RecordIdentifier) {
    guard let entity = entities[change.entity] else {
      throw reader.error(
        .unknownEntity, at: change.entityOffset,
        sentence: "the journal has no entity \(TextReader.quoted(change.entity)).")
    }
    if change.creation != nil {
      throw reader.error(
        .unknownKey, at: change.creationOffset,
        sentence: "the journal assigns creation numbers, so \"created\" is not allowed here.")
    }
    do { return (entity, try RecordIdentifier(change.id, as: entity.identifierKind)) } catch {
      throw reader.error(.identifier, defect: error, of: "the identifier of \(entity.name)")
    }
  }

  private func apply(
    _ change: TextChange, to entity: EntityDefinition, id: RecordIdentifier,
    at reader: TextReader, in context: EditingContext
  ) throws(TextJournalError) {
    let values = try values(of: change, as: entity, at: reader)
    do throws(StoreError) {
      switch change.kind {
      case .insert:
        var record = DynamicRecord(
          entity, id: id, values: Array(repeating: .null, count: entity.attributes.count))
        for (index, value) in values { record.values[index] = value }
        try context.insert(record, isolation: nil)
      case .update:
        // An update without attributes must fail too if the record does not exist.
        guard try context.object(entity.name, id: id) != nil else {
          throw StoreError(.notFound(entity: entity.name, id: id), path: store.path)
        }
        for (index, value) in values {
          try context.setValue(
            value, forKey: entity.attributes[index].name, of: entity.name, id: id, isolation: nil)
        }
      case .delete: try context.delete(entity.name, id: id, isolation: nil)
      }
    } catch { throw refusal(error, at: change.offset, in: reader) }
  }

  private func values(
    of change: TextChange, as entity: EntityDefinition, at reader: TextReader
  ) throws(TextJournalError) -> [(index: Int, value: AttributeValue)] {
    var values: [(index: Int, value: AttributeValue)] = []
    for member in change.members {
      guard let index = entity.index(of: member.name) else {
        throw reader.error(
          .unknownAttribute, at: member.nameOffset,
          sentence: "\(entity.name) has no attribute \(TextReader.quoted(member.name)).")
      }
      do {
        values.append((index, try AttributeValue(member.value, as: entity.attributes[index].type)))
      } catch {
        throw reader.error(.value, defect: error, of: "\(entity.name).\(member.name)")
      }
    }
    return values
  }

  /// Returns the error of the store as an error at a position of the text.
  private func refusal(
    _ error: StoreError, at offset: Int, in reader: TextReader
  ) -> TextJournalError {
    let sentence =
      switch error.reason {
      case .alreadyExists(let entity, let id): "\(entity) \(id) already exists."
      case .notFound(let entity, let id): "\(entity) \(id) does not exist."
      case .validation(let problems):
        problems.map { "\($0)" }.joined(separator: "; ") + "."
      case .conflict(let changes): changes.map { "\($0)" }.joined(separator: "; ") + "."
      default: "\(error)"
      }
    return reader.error(.refused(error), at: offset, sentence: sentence)
  }
}
