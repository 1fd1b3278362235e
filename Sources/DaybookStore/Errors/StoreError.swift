import DaybookJournal

/// Why a store could not do what was asked of it.
///
/// A program reads ``reason``; a person reads ``description``, whose wording may change.
public struct StoreError: Error, Hashable, Sendable {
  /// What stood in the way.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// The journal could not be opened, read or written.
    case journal(JournalError)
    /// A schema contradicts itself, or another.
    case schema(SchemaProblem)
    /// An attribute's type is another than in the journal, and there is no converter.
    case typeChanged(entity: String, attribute: String, from: String, to: String)
    /// An attribute that no type names had another type before, and only a type can convert it.
    case converterMissing(entity: String, attribute: String, from: String, to: String)
    /// The identifiers of an entity are of another kind than in the journal.
    case identifierChanged(entity: String, from: IdentifierKind, to: IdentifierKind)
    /// The schema has changed more often than there are numbers for layouts.
    case tooManyLayouts
    /// A schema exceeds a limit. Without a sequence number, it is a schema of the program. With one, it is a schema
    /// that this transaction declares; the journal is not damaged.
    case limit(SchemaExcess, in: SequenceNumber?)
    /// A transaction's payload says what cannot be; its checks hold.
    case payload(sequence: SequenceNumber, offset: Int)
    /// The store was not opened with this type of records.
    case unknownType(String)
    /// There is no entity of this name.
    case unknownEntity(String)
    /// The entity has no attribute of this name.
    case unknownAttribute(entity: String, attribute: String)
    /// A name is that of an inverse, which is computed: the references that it is made of can be set.
    case computed(entity: String, inverse: String, from: String)
    /// A value is not of the attribute's type.
    case typeMismatch(entity: String, attribute: String, type: String)
    /// A record has a value that the Swift type of its attribute cannot represent, and the schema declares no
    /// substitute.
    case unknownValue(
      entity: String, id: RecordIdentifier, attribute: String, value: AttributeValue)
    /// A record is inserted that is there.
    case alreadyThere(entity: String, id: RecordIdentifier)
    /// A record is changed or deleted that is not there.
    case notThere(entity: String, id: RecordIdentifier)
    /// An update gave a record another identifier.
    case identifierAssigned(entity: String, id: RecordIdentifier, to: RecordIdentifier)
    /// Records of the journal break what their schemas require, and the schemas ask for the check.
    case invalidRecords([ValidationProblem])
    /// Records may not be saved as they are.
    case validation([ValidationProblem])
    /// What is to be saved was meanwhile changed by someone else.
    case conflict([ConflictingChange])
    /// What is to be undone was meanwhile changed by someone else.
    case undoConflict([ConflictingChange])
    /// What is to be done again was meanwhile changed by someone else.
    case redoConflict([ConflictingChange])
    /// It is not known whether a transaction was saved: recover the store to find out.
    case unknown(UnknownAppend)
    /// A transaction is larger than a journal can hold.
    case transactionTooLarge(byteCount: Int)
    /// There are no creation numbers left for new records: somebody has given the highest.
    case noCreationNumbers
    /// The store was opened for reading only.
    case readOnly
    /// The store has no file that could be copied.
    case inMemory
    /// A moment lies before the first that the journal still knows, or after the last.
    case noSuchMoment(SequenceNumber, first: SequenceNumber, last: SequenceNumber)
    /// A context as of a moment was to be saved.
    case atMoment(SequenceNumber)
    /// A context was to travel that goes with the store.
    case notAtMoment
    /// A context was to leave a moment with changes that are not saved.
    case unsavedChanges(at: SequenceNumber)
    /// A subscriber asked for this while it was being told of a boundary.
    case duringDelivery
    /// This was asked of a context while a save of it was under way.
    case duringSave
    /// The body of a write was to save and wait.
    case duringWrite
    /// A record has more or fewer values than its entity has attributes.
    case valueCount(entity: String, expected: Int, found: Int)
  }

  /// What stood in the way.
  public let reason: Reason
  /// The journal, as the caller named it.
  public let path: String

  /// Creates an error of the journal at a path.
  public init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }

  /// Creates the error for what is wrong with the payload of a transaction.
  package init(_ misfit: PayloadMisfit, in sequence: SequenceNumber, path: String) {
    switch misfit.kind {
    case .limit(let excess): self.init(.limit(excess, in: sequence), path: path)
    default: self.init(.payload(sequence: sequence, offset: misfit.offset), path: path)
    }
  }
}

/// What is wrong with a schema.
@nonexhaustive
public enum SchemaProblem: Error, Hashable, Sendable {
  /// Two types of one entity have identifiers of different types.
  case identifierTwice(entity: String)
  /// Two types of one entity declare an attribute differently.
  case declaredTwice(entity: String, attribute: String)
  /// An entity or an attribute has no name.
  case noName(entity: String)
  /// Two attributes of an entity have one name.
  case attributeTwice(entity: String, attribute: String)
  /// An attribute is called `id`, which is the identifier.
  case attributeCalledIdentifier(entity: String)
  /// An attribute refers to an entity that the store does not have.
  case unknownTarget(entity: String, attribute: String, target: String)
  /// The inverse of a reference is not there, or does not refer back.
  case inverse(entity: String, attribute: String, target: String, inverse: String)
  /// Two references to an entity give the way back one name.
  case inverseTwice(target: String, inverse: String, first: String, second: String)
  /// A call of ``RecordSchema/unique(_:)`` names no attribute.
  case emptyUnique(entity: String)
  /// An attribute that is to be unique is not there.
  case unknownUnique(entity: String, attribute: String)
  /// An attribute that is to be unique holds several values.
  case uniqueArray(entity: String, attribute: String)
  /// A schema removes an attribute that it, or another of the entity, names.
  case removedAndNamed(entity: String, attribute: String)
  /// Two attributes are renamed from one.
  case renamedTwice(entity: String, earlier: String, first: String, second: String)
  /// An attribute is renamed to a name that another attribute of the journal has.
  case renameToUsedName(entity: String, attribute: String, earlier: String)
  /// `init()` gives an attribute another value each time, and records of before would have that.
  case varyingDefault(entity: String, attribute: String)
  /// A new attribute is required, and records of before would have no value.
  case missingDefault(entity: String, attribute: String)
}

/// Why one record may not be saved as it is.
public struct ValidationProblem: Hashable, Sendable {
  /// What is wrong.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// An attribute that must have a value has none.
    case required(attribute: String)
    /// A required or checked reference leads to a record that does not exist.
    case noTarget(attribute: String, entity: String, target: RecordIdentifier)
    /// The Swift type of the attribute cannot represent the value, and the schema declares no substitute.
    case unknownValue(attribute: String, value: AttributeValue)
    /// Another record has the same values.
    case notUnique(attributes: [String], other: RecordIdentifier)
    /// The record is deleted while it refers to others, which its schema denies.
    case deletionDenied(attribute: String)
    /// The record is deleted while another refers to it by a required reference.
    case stillReferenced(entity: String, id: RecordIdentifier, attribute: String)
  }

  /// The record's entity.
  public var entity: String
  /// The record.
  public var id: RecordIdentifier
  /// What is wrong.
  public var kind: Kind
}

/// A change that cannot be saved, undone or done again, as someone else has changed the same since it was made.
public struct ConflictingChange: Hashable, Sendable {
  /// The record's entity.
  public var entity: String
  /// The record.
  public var id: RecordIdentifier
  /// What both have done.
  public var kind: Kind

  /// What two can do with one record that does not go together.
  public enum Kind: Hashable, Sendable {
    /// Both have changed these attributes.
    case changed(attributes: [String])
    /// One has deleted the record, the other has changed it.
    case deleted
    /// Each has added a record that is identified so.
    case added
    /// One has deleted the record, the other has set a checked reference to it.
    case referenced(entity: String, id: RecordIdentifier, attribute: String)
    /// Another writer has changed what ``EditingContext/require(unchanged:attributes:)`` requires.
    case required(Requirement)
  }

  /// What is required of a record that a save does not change, and is not so.
  public enum Requirement: Hashable, Sendable {
    /// The record must have the values that were read, and these attributes have others.
    case unchanged(attributes: [String])
    /// The record must exist.
    case present
    /// There must be no such record.
    case absent
  }
}
