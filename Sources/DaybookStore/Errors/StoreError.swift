import DaybookJournal

/// An error of a store.
///
/// Programs use ``reason``. ``description`` is text for people, and its wording may change.
public struct StoreError: Error, Hashable, Sendable {
  /// The reason of the error.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// The journal could not be opened, read or written.
    case journal(JournalError)
    /// A schema contradicts itself or another schema.
    case schema(SchemaProblem)
    /// The type of an attribute differs from its type in the journal, and there is no converter.
    case typeChanged(entity: String, attribute: String, from: String, to: String)
    /// An attribute that no type names had another type in earlier records, and only a type with a
    /// converter can read those.
    case converterMissing(entity: String, attribute: String, from: String, to: String)
    /// The identifiers of an entity have another kind in the journal.
    case identifierChanged(entity: String, from: IdentifierKind, to: IdentifierKind)
    /// The schema has changed more often than there are layout numbers.
    case tooManyLayouts
    /// A schema exceeds a limit. Without a sequence number, it is a schema of the program.
    /// With one, it is a schema that this transaction declares; the journal is not damaged.
    case limit(SchemaExcess, in: SequenceNumber?)
    /// The payload of a transaction is invalid, although its checksums are correct.
    case payload(sequence: SequenceNumber, offset: Int)
    /// The store was not opened with this record type.
    case unknownType(String)
    /// The store has no entity with this name.
    case unknownEntity(String)
    /// The entity has no attribute with this name.
    case unknownAttribute(entity: String, attribute: String)
    /// A record cannot be found by the attribute, because the schema does not declare it as unique.
    case notUnique(entity: String, attribute: String)
    /// The name belongs to an inverse, which is computed. Set the references instead.
    case computed(entity: String, inverse: String, from: String)
    /// Several records may refer to one record by a reference, so no single record can be returned.
    case inverseNotUnique(entity: String, attribute: String)
    /// A value does not have the type of the attribute.
    case typeMismatch(entity: String, attribute: String, type: String)
    /// A record has a value that the Swift type of its attribute cannot represent, and the schema
    /// declares no substitute.
    case unknownValue(
      entity: String, id: RecordIdentifier, attribute: String, value: AttributeValue)
    /// An inserted record exists already.
    case alreadyThere(entity: String, id: RecordIdentifier)
    /// A changed or deleted record does not exist.
    case notThere(entity: String, id: RecordIdentifier)
    /// An update assigned another identifier to a record.
    case identifierAssigned(entity: String, id: RecordIdentifier, to: RecordIdentifier)
    /// The schema of an entity declares no ``RecordSchema/unique(_:)`` with exactly these
    /// attributes.
    case noUniqueList(entity: String, attributes: [String])
    /// Several records have the identifier or the unique values of a record to upsert.
    case severalRecords(entity: String, ids: [RecordIdentifier])
    /// Records of the journal violate their schemas, and the schemas require the check at opening.
    case invalidRecords([ValidationProblem])
    /// Records do not satisfy their schemas, so the save is refused.
    case validation([ValidationProblem])
    /// Another writer has changed the same values or records as the save.
    case conflict([ConflictingChange])
    /// Another writer has changed values or records that the undo would change.
    case undoConflict([ConflictingChange])
    /// Another writer has changed values or records that the redo would change.
    case redoConflict([ConflictingChange])
    /// Later changes have replaced what the transaction has written, so it is not reverted.
    case revertConflict(SequenceNumber, [ConflictingChange])
    /// The outcome of a save is unknown. Recover the store to find out whether the transaction was
    /// saved.
    case unknown(UnknownAppend)
    /// A transaction exceeds the maximum size of a journal's transaction.
    case transactionTooLarge(byteCount: Int)
    /// No creation numbers are left for new records, because a record has the highest number.
    case noCreationNumbers
    /// The store was opened for reading only.
    case readOnly
    /// The store has no file, so it cannot be copied.
    case inMemory
    /// A moment is before the first one that the journal can restore, or after the last one.
    case noSuchMoment(SequenceNumber, first: SequenceNumber, last: SequenceNumber)
    /// A transaction is not one of those that a context can revert.
    case noSuchTransaction(SequenceNumber, first: SequenceNumber, last: SequenceNumber)
    /// A save was called in a context at a moment.
    case atMoment(SequenceNumber)
    /// A context that follows the store cannot travel to a moment.
    case notAtMoment
    /// A context with unsaved changes cannot travel to another moment.
    case unsavedChanges(at: SequenceNumber)
    /// A subscriber called the method while it was being notified of a boundary.
    case duringDelivery
    /// The task was cancelled before its save had a transaction number. Nothing was saved.
    case cancelled
    /// The method was called while a save of the context was in progress.
    case duringSave
    /// The body of a write called a method that saves and waits.
    case duringWrite
    /// A record has more or fewer values than its entity has attributes.
    case valueCount(entity: String, expected: Int, found: Int)
  }

  /// The reason of the error.
  public let reason: Reason
  /// The path of the journal, as the caller passed it.
  public let path: String

  /// Creates an error of the journal at a path.
  public init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }

  /// Creates the error for an invalid payload of a transaction.
  package init(_ defect: PayloadDefect, in sequence: SequenceNumber, path: String) {
    switch defect.kind {
    case .limit(let excess): self.init(.limit(excess, in: sequence), path: path)
    default: self.init(.payload(sequence: sequence, offset: defect.offset), path: path)
    }
  }
}

/// A contradiction in the schemas of a store, or between a schema and the journal.
@nonexhaustive
public enum SchemaProblem: Error, Hashable, Sendable {
  /// Two types of one entity have identifiers of different types.
  case identifierTwice(entity: String)
  /// Two types of one entity declare an attribute differently.
  case declaredTwice(entity: String, attribute: String)
  /// An entity or an attribute has no name.
  case noName(entity: String)
  /// Two attributes of an entity have the same name.
  case attributeTwice(entity: String, attribute: String)
  /// An attribute is called `id`, which is the name of the identifier.
  case attributeCalledIdentifier(entity: String)
  /// An attribute refers to an entity that the store was opened without.
  case unknownTarget(entity: String, attribute: String, target: String)
  /// The inverse of a reference does not exist, or does not refer back.
  case inverse(entity: String, attribute: String, target: String, inverse: String)
  /// Two references to an entity declare the same name for their inverse.
  case inverseTwice(target: String, inverse: String, first: String, second: String)
  /// References to any number of records declare that the record is deleted with one of them.
  case cascadeOfReferences(entity: String, attribute: String)
  /// The inverse of a reference is called `id`, which is the name of the identifier.
  case inverseCalledIdentifier(entity: String, attribute: String)
  /// A call of ``RecordSchema/unique(_:)`` names no attribute.
  case emptyUnique(entity: String)
  /// An attribute that must be unique does not exist.
  case unknownUnique(entity: String, attribute: String)
  /// An attribute that must be unique is an array.
  case uniqueArray(entity: String, attribute: String)
  /// A schema removes an attribute that a schema of the same entity names.
  case removedAndNamed(entity: String, attribute: String)
  /// Two attributes are renamed from the same attribute.
  case renamedTwice(entity: String, earlier: String, first: String, second: String)
  /// An attribute is renamed to a name that another attribute of the journal has.
  case renameToUsedName(entity: String, attribute: String, earlier: String)
  /// `init()` gives an attribute another value in each call, so earlier records would have a random
  /// default.
  case varyingDefault(entity: String, attribute: String)
  /// A new attribute is required, and earlier records would have no value.
  case missingDefault(entity: String, attribute: String)
}

/// A problem that prevents a record from being saved.
public struct ValidationProblem: Hashable, Sendable {
  /// The kind of a problem.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// A required attribute has no value.
    case required(attribute: String)
    /// A required or checked reference points to a record that does not exist.
    case noTarget(attribute: String, entity: String, target: RecordIdentifier)
    /// The Swift type of the attribute cannot represent the value, and the schema declares
    /// no substitute.
    case unknownValue(attribute: String, value: AttributeValue)
    /// Another record has the same values of unique attributes.
    case notUnique(attributes: [String], other: RecordIdentifier)
    /// The record is deleted while it refers to other records, and its schema denies that.
    case deletionDenied(attribute: String)
    /// The record is deleted while another record refers to it by a required reference.
    case stillReferenced(entity: String, id: RecordIdentifier, attribute: String)
  }

  /// The record's entity.
  public var entity: String
  /// The record's identifier.
  public var id: RecordIdentifier
  /// The kind of the problem.
  public var kind: Kind
}

/// A change that cannot be saved, undone, redone or reverted, because another writer or a later
/// transaction has changed the same values or records.
public struct ConflictingChange: Hashable, Sendable {
  /// The record's entity.
  public var entity: String
  /// The record's identifier.
  public var id: RecordIdentifier
  /// The kind of the conflict.
  public var kind: Kind

  /// The kind of a conflict between this context and another writer.
  public enum Kind: Hashable, Sendable {
    /// Both sides have changed these attributes.
    case changed(attributes: [String])
    /// One side has deleted the record, and the other has changed it.
    case deleted
    /// Both sides have inserted a record with this identifier.
    case added
    /// One side has deleted the record, and the other has set a checked reference to it. Or a
    /// revert would delete the record, and a later change has set a reference to it.
    case referenced(entity: String, id: RecordIdentifier, attribute: String)
    /// Another writer has changed a record that ``EditingContext/require(unchanged:attributes:)``
    /// requires.
    case required(Requirement)
  }

  /// A requirement on a record that a save does not change, and that the store does not meet.
  public enum Requirement: Hashable, Sendable {
    /// The record must have the values that the program has read. These attributes have other
    /// values.
    case unchanged(attributes: [String])
    /// The record must exist.
    case present
    /// The record must not exist.
    case absent
  }
}
