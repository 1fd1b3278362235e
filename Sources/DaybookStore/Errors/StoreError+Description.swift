import DaybookJournal

extension StoreError: CustomStringConvertible {
  /// A description with the journal, the problem, and the data that is safe, in one or two
  /// sentences.
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
        the journal has \(entity).\(attribute) as \(old), and the schema as \(new); give the \
        attribute a converter. The journal was not changed.
        """
    case .converterMissing(let entity, let attribute, let old, let new):
      return """
        the journal has \(entity).\(attribute) as \(new), and as \(old) in records of before; only a type \
        that names the attribute, with a converter, can read those. The journal was not changed.
        """
    case .identifierChanged(let entity, let old, let new):
      return """
        the journal identifies each \(entity) by a value of type \(old.name), and the schema by one \
        of type \(new.name). The journal was not changed.
        """
    case .tooManyLayouts:
      return "the schema has changed \(Int(Layout.numberMax) + 1) times, which is all there can be."
    case .limit(let excess, nil): return "\(excess) The journal was not changed."
    case .limit(let excess, let sequence?):
      return """
        transaction \(sequence): \(excess) The journal is not damaged, and was not changed; this \
        version does not read a schema of that size.
        """
    case .payload(let sequence, let offset):
      return """
        transaction \(sequence), byte \(offset) of its payload: what stands there is no change that \
        could follow what stands before; its checks hold, so it was written that way.
        """
    case .unknownType(let type):
      return "the store was opened without records of type \(type)."
    case .unknownEntity(let entity): return "there is no entity \(entity)."
    case .unknownAttribute(let entity, let attribute):
      return "\(entity) has no attribute \(attribute)."
    case .computed(let entity, let inverse, let attribute):
      return "\(entity).\(inverse) is computed, as the inverse of \(attribute); set that instead."
    case .typeMismatch(let entity, let attribute, let type):
      return "\(entity).\(attribute) takes a value of type \(type)."
    case .unknownValue(let entity, let id, let attribute, let value):
      return """
        \(attribute) of \(entity) \(id) is \(value.shortText), which its Swift type cannot represent. The journal keeps \
        the value. Declare a substitute with unknown:, or set another value with setValue.
        """
    case .alreadyThere(let entity, let id): return "\(entity) \(id) is there already."
    case .notThere(let entity, let id): return "there is no \(entity) \(id)."
    case .identifierAssigned(let entity, let id, let new):
      return """
        an update of \(entity) \(id) set its identifier to \(new), and a record keeps its identifier. The \
        record was not changed. Insert a record with the new identifier and delete this one.
        """
    case .invalidRecords(let problems):
      let listed = problems.prefix(5).map { "\($0)" }.joined(separator: "; ")
      let others = problems.count > 5 ? "; and \(problems.count - 5) more" : ""
      return """
        \(listed)\(others). The journal was not changed. Open it with a schema without \
        checkedAtOpening(), and mend the records.
        """
    case .validation(let problems):
      return problems.map { "\($0)" }.joined(separator: "; ") + ". Nothing was saved."
    case .conflict(let changes):
      return changes.map { "\($0)" }.joined(separator: "; ") + ". Nothing was saved."
    case .undoConflict(let changes):
      return changes.map { "\($0)" }.joined(separator: "; ")
        + ". Nothing was undone. Undo passing over conflicts to undo the rest, or drop this undo."
    case .redoConflict(let changes):
      return changes.map { "\($0)" }.joined(separator: "; ")
        + ". Nothing was done again. Redo passing over conflicts to do the rest, or drop this redo."
    case .unknown(let append):
      return """
        \(append.cause) Whether transaction \(append.sequence) is in the journal shows when the store \
        is recovered.\(append.cause.isDiskFull ? " Free some space, then recover it." : "")
        """
    case .transactionTooLarge(let byteCount):
      return "the transaction has \(byteCount) bytes; a journal takes at most 1 GiB in one."
    case .noCreationNumbers:
      return """
        there is no creation number left for a new record, as a record has \(Layout.creationMax). \
        Export the journal and import it without that.
        """
    case .readOnly: return "the store is open for reading only."
    case .inMemory: return "the store has no file that could be copied; export it instead."
    case .noSuchMoment(let sequence, let first, let last):
      return """
        there is no state after transaction \(sequence): the journal knows those after \(first) to \
        \(last).
        """
    case .atMoment(let sequence):
      return """
        a context as of transaction \(sequence) cannot be saved, as what came later stands; make the \
        changes in a context of makeContext(), and save that.
        """
    case .notAtMoment:
      return "this context goes with the store; one of makeContext(at:) can travel."
    case .unsavedChanges(let sequence):
      return """
        the context has changes to what was there after transaction \(sequence); roll them back \
        before it travels. It is where it was.
        """
    case .duringSave:
      return "a save of this context is under way; do this when it has returned."
    case .duringWrite:
      return """
        the body of a write cannot save and wait, as other saves may wait until it ends. Nothing was \
        saved. Change records in the body's own context, which is saved when the body returns, or \
        save after write has returned.
        """
    case .valueCount(let entity, let expected, let found):
      return "\(entity) has \(expected) attributes, and the record \(found) values."
    case .duringDelivery:
      return "a subscriber that is being told of a boundary cannot do this; do it afterwards."
    }
  }
}

extension SchemaProblem: CustomStringConvertible {
  /// A sentence that describes the problem.
  public var description: String {
    switch self {
    case .identifierTwice(let entity):
      "two record types of \(entity) have identifiers of different types."
    case .declaredTwice(let entity, let attribute):
      """
      two record types declare \(entity).\(attribute) differently; its type, its default and its \
      options must be the same in both.
      """
    case .noName(let entity):
      entity.isEmpty ? "an entity has no name." : "an attribute of \(entity) has no name."
    case .attributeTwice(let entity, let attribute):
      "\(entity) has two attributes called \(attribute)."
    case .attributeCalledIdentifier(let entity):
      "an attribute of \(entity) is called id, which is the name of the identifier."
    case .unknownTarget(let entity, let attribute, let target):
      "\(entity).\(attribute) refers to \(target), which the store was opened without."
    case .inverse(let entity, let attribute, let target, let inverse):
      """
      the inverse of \(entity).\(attribute) is said to be \(target).\(inverse), which does not refer \
      back to it.
      """
    case .inverseTwice(let target, let inverse, let first, let second):
      "\(first) and \(second) both say that their inverse is \(target).\(inverse)."
    case .emptyUnique(let entity):
      "unique() of \(entity) names no attribute. Name at least one attribute, or remove unique()."
    case .unknownUnique(let entity, let attribute):
      "\(entity) is to be unique by \(attribute), which is none of its attributes."
    case .uniqueArray(let entity, let attribute):
      "\(entity) is to be unique by \(attribute), which holds several values."
    case .removedAndNamed(let entity, let attribute):
      "\(entity).\(attribute) is removed, and a schema of \(entity) names it; do one of the two."
    case .renamedTwice(let entity, let earlier, let first, let second):
      "\(entity).\(first) and \(entity).\(second) are both renamed from \(earlier)."
    case .renameToUsedName(let entity, let attribute, let earlier):
      """
      \(entity).\(earlier) cannot be renamed to \(attribute), as the journal has an attribute of that \
      name. Declare that one under another name with renamedFrom: "\(attribute)", or keep both and \
      leave out renamedFrom: "\(earlier)". The journal was not changed.
      """
    case .varyingDefault(let entity, let attribute):
      """
      init() gives \(entity).\(attribute) another value each time, so records of before would read \
      differently in every process. Declare the attribute with a default: that stays the same. The \
      journal was not changed.
      """
    case .missingDefault(let entity, let attribute):
      """
      \(entity).\(attribute) is new and required, and the records of before have no value for it. \
      Declare it with a default:, or make it required after each record has a value. The journal was \
      not changed.
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
      "\(entity) \(id) refers by \(attribute) to \(target) \(targetID), which does not exist"
    case .unknownValue(let attribute, let value):
      "\(attribute) of \(entity) \(id) is \(value.shortText), which its Swift type cannot represent"
    case .notUnique(let attributes, let other):
      "\(entity) \(id) has the same \(attributes.joined(separator: " and ")) as \(other)"
    case .deletionDenied(let attribute):
      "\(entity) \(id) cannot be deleted while it has \(attribute)"
    case .stillReferenced(let referrer, let referrerID, let attribute):
      "\(entity) \(id) cannot be deleted while \(referrer) \(referrerID) refers to it by \(attribute)"
    }
  }
}

extension ConflictingChange: CustomStringConvertible {
  /// A clause that describes the conflict, without a period.
  public var description: String {
    switch kind {
    case .changed(let attributes):
      "\(attributes.joined(separator: " and ")) of \(entity) \(id) was changed here and elsewhere"
    case .deleted:
      "\(entity) \(id) was changed here and deleted elsewhere, or the other way round"
    case .added: "\(entity) \(id) was added here and elsewhere"
    case .referenced(let referrer, let referrerID, let attribute):
      """
      \(entity) \(id) was deleted here, and elsewhere \(referrer) \(referrerID) was made to refer to it \
      by \(attribute)
      """
    case .required(.unchanged(let attributes)):
      """
      \(attributes.joined(separator: " and ")) of \(entity) \(id) was changed elsewhere, and must \
      be unchanged
      """
    case .required(.present): "\(entity) \(id) was deleted elsewhere, and must exist"
    case .required(.absent): "\(entity) \(id) was added elsewhere, and must not exist"
    }
  }
}

extension AttributeValue {
  /// The value as JSON; a long value is truncated.
  var shortText: String {
    var writer = JSONWriter()
    writer.write(self)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    return text.utf8.count > 80 ? text.prefix(80) + "…" : text
  }
}
