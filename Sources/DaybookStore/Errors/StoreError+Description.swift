import DaybookJournal

extension StoreError: CustomStringConvertible {
  /// A description in one or two sentences: the journal, the problem, and the data that is safe.
  public var description: String {
    switch reason {
    case .journal(let error): "\(error)"
    default: "\(path): \(sentence)"
    }
  }

  private var sentence: String {
    switch reason {
    case .journal(let error): return "\(error)"
    case .schema(let problem): return "\(problem)"
    case .typeChanged(let entity, let attribute, let old, let new):
      return """
        the type of \(entity).\(attribute) is \(old) in the journal, but \(new) in the schema. Declare \
        a converter for the attribute. The journal was not changed.
        """
    case .identifierChanged(let entity, let old, let new):
      return """
        the type of the identifier of \(entity) is \(old.name) in the journal, but \(new.name) in the \
        schema. The journal was not changed.
        """
    case .migration(let failure):
      return """
        the migration step \(failure.step) threw an error, so the journal was not changed. The error \
        is: \(failure.error)
        """
    case .lowerVersion(let program, let journal):
      return """
        the journal has version \(journal) of its data, but the program has version \(program), so it can \
        only read the journal. Nothing was saved. Open it with a program of version \(journal).
        """
    case .tooManyLayouts:
      return """
        the schema has changed \(Int(Layout.numberMax) + 1) times, which is the limit of a journal. \
        Export the journal and import it into a new one.
        """
    case .limit(let excess, nil): return "\(excess) The journal was not changed."
    case .limit(let excess, let sequence?):
      return """
        transaction \(sequence): \(excess) The journal is intact and was not changed, but this version \
        cannot read a schema of this size.
        """
    case .payload(let sequence, let offset):
      return """
        transaction \(sequence), byte \(offset) of its payload: the bytes are intact but do not form a \
        valid change, so they were written this way.
        """
    case .unknownType(let type):
      return "the store was not opened with the type \(type). Add it to the types."
    case .unknownEntity(let entity): return "no entity '\(entity)'."
    case .unknownAttribute(let entity, let attribute):
      return "\(entity) has no attribute '\(attribute)'."
    case .inverseNotUnique(let entity, let attribute):
      return """
        several records of \(entity) may have the same \(attribute). Read all of them with \
        objects(_:of:), or declare unique("\(attribute)").
        """
    case .notUnique(let entity, let attribute):
      return """
        \(entity).\(attribute) is not unique, so no index finds a record by it. Declare it with \
        unique("\(attribute)"), or fetch with a filter.
        """
    case .computed(let entity, let inverse, let attribute):
      return
        "\(entity).\(inverse) is computed from its inverse \(attribute). Set \(attribute) instead."
    case .typeMismatch(let entity, let attribute, let type):
      return "\(entity).\(attribute) needs a value of type \(type)."
    case .unknownValue(let entity, let id, let attribute, let value):
      return """
        \(attribute) of \(entity) \(id) is \(value.shortDescription), which its Swift type cannot represent. The journal keeps \
        the value. Declare a substitute with unknown:, or set another value with setValue.
        """
    case .alreadyExists(let entity, let id): return "\(entity) \(id) already exists."
    case .notFound(let entity, let id): return "\(entity) \(id) does not exist."
    case .identifierAssigned(let entity, let id, let new):
      return """
        an update set the identifier of \(entity) \(id) to \(new), but an identifier cannot change. The \
        record was not changed. Insert a record with the new identifier and delete this one.
        """
    case .noUniqueList(let entity, let attributes):
      let names = attributes.map { "\"\($0)\"" }.joined(separator: ", ")
      return """
        \(entity) declares no unique(\(names)). Declare it in the schema, or upsert by the identifier.
        """
    case .severalRecords(let entity, let ids):
      let records = ids.map { "\(entity) \($0)" }.joined(separator: " and ")
      return """
        a record to upsert has the identifier or the unique values of \(records), but can update only \
        one record. Nothing was changed. Delete or change the others first.
        """
    case .invalidRecords(let problems):
      let listed = problems.prefix(5).map { "\($0)" }.joined(separator: "; ")
      let others = problems.count > 5 ? "; and \(problems.count - 5) more" : ""
      return """
        \(listed)\(others). The journal was not changed. Open it with a schema without \
        checkedAtOpening(), and correct the records.
        """
    case .validation(let problems):
      return problems.map { "\($0)" }.joined(separator: "; ") + ". Nothing was saved."
    case .conflict(let changes):
      return changes.map { "\($0)" }.joined(separator: "; ") + ". Nothing was saved."
    case .undoConflict(let changes):
      return changes.map { "\($0)" }.joined(separator: "; ")
        + ". Nothing was undone. Undo again and skip the conflicts, or remove this undo."
    case .redoConflict(let changes):
      return changes.map { "\($0)" }.joined(separator: "; ")
        + ". Nothing was redone. Redo again and skip the conflicts, or remove this redo."
    case .revertConflict(let sequence, let changes):
      return """
        transaction \(sequence) was not reverted: \(changes.map(\.laterChange).joined(separator: "; ")). \
        Nothing was changed. Revert the later changes first, or keep the later values.
        """
    case .unknown(let append):
      switch append.cause {
      case .disk(let error):
        return """
          \(error) Transaction \(append.sequence) may or may not be in the journal. \
          \(error.isDiskFull ? "Free some space, then recover" : "Recover") the store to find out.
          """
      case .sharedLog(let error):
        let why = if case .unknown(let why) = error.reason { why } else { "\(error)" }
        return """
          the log \(error.log) did not answer: \(why). Transaction \(append.sequence) may or may not \
          be in it. The store sends it again until the log answers; isIncluded(_:) then returns the \
          outcome.
          """
      }
    case .notSaved(let error):
      return """
        the transaction is not saved, because of its shared log. \(error) Save it again later.
        """
    case .notKnown(let pending):
      return """
        transaction \(pending.sequence) may or may not be in the log \(pending.log), or too few \
        servers have it. outcome(of:) returns the outcome when it is known.
        """
    case .repeated(let receipt):
      return """
        transaction \(receipt.sequence) has the same idempotency key. Nothing was saved again. Read the \
        answer from that transaction, or call commit, which returns its receipt.
        """
    case .transactionTooLarge(let byteCount):
      return """
        the transaction has \(byteCount) bytes, but the limit is 1 GiB. Save the changes in several \
        transactions.
        """
    case .noCreationNumbers:
      return """
        no creation number is left for a new record: a record already has the highest, \
        \(Layout.creationMax). Export the journal, and import it without the creation numbers.
        """
    case .schemaCollision(let sequence):
      return """
        transaction \(sequence) contains a schema that another machine added at the same time as this \
        store, and both have the same number. Nothing is lost. Open the store again.
        """
    case .restarted:
      return """
        the replica has restarted from its shared log, and the changes were made before that. \
        Nothing was saved. Reset the context, and make the changes again.
        """
    case .schemaChanged:
      return "another machine has added a schema since the changes were made. Save again."
    case .compactsReplica(let log):
      return """
        the file is a replica of the log \(log), and only the log can drop history. Nothing was changed. \
        Call compactSharedLog(keeping:) of a store that shares the log.
        """
    case .erasesInReplica(let log):
      return """
        the file is a replica of the log \(log), which never changes a transaction. Nothing was changed. \
        Make a backup of the replica, erase the record in it, and publish the backup as a log with a new name.
        """
    case .sharedDurability:
      return """
        the options set a durability, but a save in a shared log is as durable as the log. Leave the \
        durability at .full. Nothing was changed.
        """
    case .readOnly: return "the store is read-only."
    case .inMemory: return "the store has no file to copy. Export it instead."
    case .noSuchMoment(let sequence, let first, let last):
      return """
        no state after transaction \(sequence): the journal contains the states after transactions \
        \(first) to \(last).
        """
    case .noSuchTransaction(let sequence, let first, let last):
      let known =
        last < first
        ? "the context shows no transactions"
        : first == last
          ? "the context shows only transaction \(first)"
          : "the context shows transactions \(first) to \(last)"
      return "transaction \(sequence) cannot be reverted: \(known). Nothing was changed."
    case .atMoment(let sequence):
      return """
        a context as of transaction \(sequence) cannot be saved, because later transactions cannot be \
        replaced. Make the changes in a context from makeContext(), and save that one.
        """
    case .notAtMoment:
      return "this context follows the store. To travel, use a context from makeContext(at:)."
    case .unsavedChanges(let sequence):
      return """
        the context has unsaved changes to the state after transaction \(sequence) and was not moved. \
        Roll the changes back before it travels.
        """
    case .cancelled:
      return "the task was cancelled before the save. Nothing was saved, and the changes are kept."
    case .duringSave:
      return "a save of this context is in progress. Try again after it has returned."
    case .duringWrite:
      return """
        the body of a write cannot save and wait, because other saves may be waiting for the body to \
        return. Nothing was saved. Change records in the context of the body, which is saved when the \
        body returns, or save after write has returned.
        """
    case .valueCount(let entity, let expected, let found):
      return """
        \(entity) needs \(expected) attribute value\(expected == 1 ? "" : "s"), but the record has \(found).
        """
    case .duringDelivery:
      return """
        a delegate cannot save, fetch or roll back while it is being notified. Do it after the \
        callback returns.
        """
    }
  }
}

extension ValidationProblem: CustomStringConvertible {
  /// A clause that describes the problem, without a period.
  public var description: String {
    switch kind {
    case .required(let attribute): "\(entity) \(id) has no \(attribute), which is required"
    case .noTarget(let attribute, let target, let targetID):
      "\(attribute) of \(entity) \(id) refers to \(target) \(targetID), which does not exist"
    case .unknownValue(let attribute, let value):
      "\(attribute) of \(entity) \(id) is \(value.shortDescription), which its Swift type cannot represent"
    case .converterMissing(let attribute, let old, let new):
      """
      \(attribute) of \(entity) \(id) is of the earlier type \(old), and no record type converts it to \
      \(new); declare the attribute with a converter, or as removed
      """
    case .notUnique(let attributes, let other):
      "\(entity) \(id) has the same \(attributes.joined(separator: " and ")) as \(entity) \(other)"
    case .deletionDenied(let attribute):
      "\(entity) \(id) cannot be deleted while its \(attribute) is set"
    case .stillReferenced(let referrer, let referrerID, let attribute):
      "\(entity) \(id) cannot be deleted while \(attribute) of \(referrer) \(referrerID) refers to it"
    }
  }
}

extension ConflictingChange: CustomStringConvertible {
  /// A clause that describes the conflict, without a period.
  public var description: String {
    switch kind {
    case .changed(let attributes):
      """
      \(attributes.joined(separator: " and ")) of \(entity) \(id) \
      \(attributes.count == 1 ? "was" : "were") changed both here and elsewhere
      """
    case .deleted:
      "\(entity) \(id) was changed in one place and deleted in the other"
    case .added: "\(entity) \(id) was inserted both here and elsewhere"
    case .referenced(let referrer, let referrerID, let attribute):
      """
      \(entity) \(id) was deleted here, but \(attribute) of \(referrer) \(referrerID) was changed \
      elsewhere to refer to it
      """
    case .required(.unchanged(let attributes)):
      """
      \(attributes.joined(separator: " and ")) of \(entity) \(id) must be unchanged, but \
      \(attributes.count == 1 ? "was" : "were") changed elsewhere
      """
    case .required(.present): "\(entity) \(id) must exist, but was deleted elsewhere"
    case .required(.absent): "\(entity) \(id) must not exist, but was inserted elsewhere"
    }
  }
}

extension ConflictingChange {
  /// A clause that describes the conflict with a revert, without a period.
  fileprivate var laterChange: String {
    switch kind {
    case .changed(let attributes):
      """
      \(attributes.joined(separator: " and ")) of \(entity) \(id) \
      \(attributes.count == 1 ? "was" : "were") changed later
      """
    case .deleted: "\(entity) \(id) was deleted later"
    case .added: "\(entity) \(id) was inserted again later"
    case .referenced(let referrer, let referrerID, let attribute):
      """
      \(attribute) of \(referrer) \(referrerID) was set later and refers to \(entity) \(id), \
      which the revert would delete
      """
    case .required: description
    }
  }
}

extension AttributeValue {
  /// The value as JSON; a long value is truncated.
  var shortDescription: String {
    var writer = JSONWriter()
    writer.write(self)
    let json = String(decoding: writer.bytes, as: UTF8.self)
    return json.utf8.count > 80 ? json.prefix(80) + "…" : json
  }
}
