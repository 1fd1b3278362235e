import DaybookJournal

/// An error of a store.
///
/// A program decides by ``reason``, which it can switch over. ``description`` is text for people,
/// and its wording may change.
public struct StoreError: Error, Hashable, Sendable {
  /// The reason of the error.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// The journal could not be opened, read or written.
    case journal(JournalError)
    /// A schema contradicts itself or a second schema.
    case schema(SchemaProblem)
    /// The type of an attribute differs from its type in the journal, and the schema declares no
    /// converter.
    case typeChanged(entity: String, attribute: String, from: String, to: String)
    /// The identifiers of an entity have a different kind in the journal.
    case identifierChanged(entity: String, from: IdentifierKind, to: IdentifierKind)
    /// A migration step threw an error.
    case migration(MigrationFailure)
    /// The journal's data has a higher version than the program, and the steps in between were not
    /// declared as compatible. The store can only be read.
    case lowerVersion(program: Int, journal: Int)
    /// The schemas have changed too many times: no number is left for a new layout.
    case tooManyLayouts
    /// A schema exceeds a limit. Without a sequence number, this is a schema of the program. With a
    /// sequence number, it is a schema in that transaction of the journal, which is not damaged.
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
    /// The method returns one record that refers to a record, but the schema does not declare the
    /// reference as unique.
    case inverseNotUnique(entity: String, attribute: String)
    /// A value does not have the type of the attribute.
    case typeMismatch(entity: String, attribute: String, type: String)
    /// A record has a value that the Swift type of its attribute cannot represent, and the schema
    /// declares no substitute.
    case unknownValue(
      entity: String, id: RecordIdentifier, attribute: String, value: AttributeValue)
    /// A record with the identifier of an inserted record exists already.
    case alreadyExists(entity: String, id: RecordIdentifier)
    /// A changed or deleted record does not exist.
    case notFound(entity: String, id: RecordIdentifier)
    /// An update assigned a different identifier to a record.
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
    /// A second writer has changed the same values or records as the save.
    case conflict([ConflictingChange])
    /// A second writer has changed values or records that the undo would change.
    case undoConflict([ConflictingChange])
    /// A second writer has changed values or records that the redo would change.
    case redoConflict([ConflictingChange])
    /// Later changes have replaced values that the transaction has written, so the transaction is
    /// not reverted.
    case revertConflict(SequenceNumber, [ConflictingChange])
    /// A write or a sync has failed, so the outcome of the save is unknown. Recover the store to
    /// find out whether the transaction was saved.
    case unknown(UnknownAppend)
    /// The transaction of a ``Store/commit(_:waitingUpTo:minimumServers:isolation:body:)`` is not
    /// in the shared log, and can be saved again.
    case notSaved(SharedLogError)
    /// The transaction may or may not be in the shared log, or fewer servers have it than the
    /// commit requires. ``Store/outcome(of:)`` returns the outcome later.
    case notKnown(PendingOutcome)
    /// An earlier transaction has the idempotency key of the write, so its body did not run, or its
    /// changes were discarded. The receipt is that of the earlier transaction.
    case repeated(Receipt)
    /// A transaction exceeds the maximum size of a journal's transaction.
    case transactionTooLarge(byteCount: Int)
    /// No creation numbers are left for new records, because a record has the highest number.
    case noCreationNumbers
    /// A transaction of a different machine contains a schema that contradicts a schema of this
    /// store, because both machines have added a schema at the same time.
    case schemaCollision(in: SequenceNumber)
    /// A different machine has added a schema after the changes were made, so the changes name
    /// attributes of an older schema. A context that saves merges the schema and tries again.
    case schemaChanged
    /// The replica has restarted, by a repair or from the base of its shared log, after the changes
    /// were made.
    case restarted
    /// The file is a replica of the shared log with this name, and a compaction would change the
    /// bytes of the log.
    case compactsReplica(of: String)
    /// The file is a replica of the shared log with this name, and an erasure would change the
    /// bytes of the log.
    case erasesInReplica(of: String)
    /// The options of a store that shares a log contain a durability. The log determines it.
    case sharedDurability
    /// The store was opened for reading only.
    case readOnly
    /// The store does not write a file, so it cannot be copied.
    case inMemory
    /// A moment is before the first one that the journal can restore, or after the last one.
    case noSuchMoment(SequenceNumber, first: SequenceNumber, last: SequenceNumber)
    /// A context cannot revert this transaction, because the journal does not contain it, or the
    /// context does not show it.
    case noSuchTransaction(SequenceNumber, first: SequenceNumber, last: SequenceNumber)
    /// The program tried to save a context that shows an earlier moment.
    case atMoment(SequenceNumber)
    /// The context was not created at a moment, so it cannot travel.
    case notAtMoment
    /// A context with unsaved changes cannot travel to a different moment.
    case unsavedChanges(at: SequenceNumber)
    /// A subscriber called a method that is not allowed while the context notifies its subscribers.
    case duringDelivery
    /// The task was cancelled before the save had a transaction number. Nothing was saved.
    case cancelled
    /// The program called a method that is not allowed while a save of the context is in progress.
    case duringSave
    /// The body of a write called a method that saves and blocks the thread.
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

  /// A Boolean value that indicates whether a shared log has caused the error, so that a later
  /// attempt can succeed.
  package var isOfSharedLog: Bool {
    switch reason {
    case .unknown, .notSaved, .notKnown: true
    case .journal(let error):
      switch error.reason {
      case .sharedLog, .stopped: true
      default: false
      }
    default: false
    }
  }
}

/// A contradiction in the schemas of a store, or between a schema and the journal.
@nonexhaustive
public enum SchemaProblem: Error, Hashable, Sendable {
  /// Two record types of one entity have identifiers of different types.
  case identifierTwice(entity: String)
  /// Two record types of one entity declare an attribute differently.
  case declaredTwice(entity: String, attribute: String)
  /// An entity or an attribute has no name.
  case noName(entity: String)
  /// Two attributes of an entity have the same name.
  case duplicateAttribute(entity: String, attribute: String)
  /// An attribute is called `id`, which is the name of the identifier.
  case reservedAttributeName(entity: String)
  /// Two attributes of an entity have the same property.
  case propertyTwice(entity: String, first: String, second: String)
  /// A property that contains references is declared with
  /// ``RecordSchema/attribute(_:at:required:default:unknown:renamedFrom:)``.
  case referenceAsAttribute(entity: String, attribute: String, hasSeveral: Bool)
  /// An attribute refers to an entity, but the store was opened without a record type of that
  /// entity.
  case unknownTarget(entity: String, attribute: String, target: String)
  /// The inverse of a reference does not exist, or does not refer back.
  case inverse(entity: String, attribute: String, target: String, inverse: String)
  /// The inverse of a reference has the name of an attribute of the other entity. Only a journal
  /// that stores both references already may contain such an inverse.
  case inverseIsAttribute(entity: String, attribute: String, target: String, inverse: String)
  /// Two references to an entity declare the same name for their inverse.
  case inverseTwice(target: String, inverse: String, first: String, second: String)
  /// An array of references declares the delete rule `cascade`, which is only allowed for a
  /// reference to one record.
  case cascadeOnArray(entity: String, attribute: String)
  /// The inverse of a reference is called `id`, which is the name of the identifier.
  case inverseCalledIdentifier(entity: String, attribute: String)
  /// A call of ``RecordSchema/unique(_:)`` names no attribute.
  case emptyUnique(entity: String)
  /// An attribute that must be unique does not exist.
  case unknownUnique(entity: String, attribute: String)
  /// An attribute that must be unique is an array.
  case uniqueArray(entity: String, attribute: String)
  /// A call of ``RecordSchema/indexed(_:)`` names no attribute.
  case emptyIndex(entity: String)
  /// An attribute of an index does not exist.
  case unknownIndexed(entity: String, attribute: String)
  /// An attribute of an index is an array.
  case indexedArray(entity: String, attribute: String)
  /// An index names an attribute twice.
  case indexedTwice(entity: String, attribute: String)
  /// A searchable attribute does not exist.
  case unknownSearchable(entity: String, attribute: String)
  /// A searchable attribute is not a string.
  case searchableNotString(entity: String, attribute: String)
  /// A schema removes an attribute that a schema of the same entity names.
  case removedAndNamed(entity: String, attribute: String)
  /// Two attributes are renamed from the same attribute.
  case renamedTwice(entity: String, earlier: String, first: String, second: String)
  /// An attribute is renamed to a name that a different attribute of the journal has.
  case renameToUsedName(entity: String, attribute: String, earlier: String)
  /// `init()` gives an attribute a different value in each call, so earlier records would read a
  /// random default.
  case varyingDefault(entity: String, attribute: String)
  /// Two types of one entity declare different earlier names of it.
  case entityRenamedFromTwo(entity: String, first: String, second: String)
  /// Two entities are renamed from the same entity.
  case entityRenamedTwice(earlier: String, first: String, second: String)
  /// An entity is renamed, but both names belong to entities of the journal or the program.
  case entityRenamedToUsedName(entity: String, earlier: String)
  /// An entity has a name that a different entity had before it was renamed.
  case entityRenamedAway(entity: String, to: String)
  /// The version of a migration step is not above the version before it.
  case migrationOrder(MigrationStep, after: Int)
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
    /// A reference points to a record that does not exist. The reference is required or checked, or
    /// has the rule `cascade` or `deny`.
    case noTarget(attribute: String, entity: String, target: RecordIdentifier)
    /// The Swift type of the attribute cannot represent the value, and the schema declares
    /// no substitute.
    case unknownValue(attribute: String, value: AttributeValue)
    /// The record was written when the attribute had a different type, and no record type of the
    /// program declares the attribute. The save would drop the value, because only a record type
    /// with a converter can convert it.
    case converterMissing(attribute: String, from: String, to: String)
    /// A second record has the same values of a unique list.
    case notUnique(attributes: [String], other: RecordIdentifier)
    /// The record is deleted while it refers to other records, and its schema denies this.
    case deletionDenied(attribute: String)
    /// The record is deleted while a second record refers to it. That reference is required or has
    /// the rule `deny`.
    case stillReferenced(entity: String, id: RecordIdentifier, attribute: String)
  }

  /// The record's entity.
  public var entity: String
  /// The record's identifier.
  public var id: RecordIdentifier
  /// The kind of the problem.
  public var kind: Kind
}

/// A change that cannot be saved, undone, redone or reverted, because a second writer or a later
/// transaction has changed the same values or records.
public struct ConflictingChange: Hashable, Sendable {
  /// The record's entity.
  public var entity: String
  /// The record's identifier.
  public var id: RecordIdentifier
  /// The kind of the conflict.
  public var kind: Kind

  /// The kind of a conflict between two sides: this context, and a second writer or a later
  /// transaction.
  public enum Kind: Hashable, Sendable {
    /// Both sides have changed these attributes.
    case changed(attributes: [String])
    /// One side has deleted the record, and the other side has changed it.
    case deleted
    /// Both sides have inserted a record with this identifier.
    case added
    /// One side has deleted the record, and the other side has set a checked reference to it. For a
    /// revert: the revert would delete the record, and a later change has set a reference to it.
    case referenced(entity: String, id: RecordIdentifier, attribute: String)
    /// A second writer has changed a record that a call of
    /// ``EditingContext/require(unchanged:attributes:)`` has named.
    case required(Requirement)
  }

  /// A requirement that the store does not meet. A requirement concerns a record that the save
  /// depends on but does not change.
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
