import DaybookJournal

/// Finds the records that refer to a record.
///
/// A row has an index word for each reference in it; see ``RowIndex``. The word is a hash of the
/// first name of the target's entity and of the target's identifier. The target need not exist.
///
/// The attribute is not part of the word. Different references can have equal words, so each row
/// that is found must be read anyway. Because the attribute is not part of the word:
///
/// - Later layouts can rename an attribute without changing the words of rows.
/// - Two references from one row to one target need only one pair in the index.
extension StateReader {
  /// Calls a closure with each attribute that refers to a target, in each record. The target need
  /// not exist.
  ///
  /// An attribute is identified by its index in the newest layout. Rows of older layouts are read
  /// through their mapping to the newest layout. If an attribute's type has changed, the values of
  /// the old type refer to no record until the record is saved again.
  ///
  /// The calls are in the order of slots. For one slot, they are in the order of attributes in the
  /// newest layout. The order of slots is not the order of creation, and can differ after the store
  /// is opened again. The closure must not change the state.
  ///
  /// - Complexity: O(log *n* + *r*) for *n* references in all, and *r* records that refer to the
  ///   target. All references of these records are read.
  package func forEachReferrer<Failure: Error>(
    of target: EntityKey,
    _ body: (_ entity: Int, _ attribute: Int, _ slot: UInt32) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(!state.defersIndexes, "the indexes are not built")
    guard state.references.count > 0 else { return }
    let reference = EntityReference(catalog.names[target.entity], identifierKind: target.id.kind)
    var identifier = RowBuffer()
    target.id.append(to: &identifier)
    let word = IndexPlan.referenceWord(
      of: identifier.bytes.span.bytes, kind: target.id.kind,
      seed: ReferencePlan.seed(reference.entity, in: catalog))
    guard let word else {
      preconditionFailure("the identifier \(target.id) has \(identifier.count) bytes")
    }
    try state.references.forEach(with: word, in: space) { (referrer, slot) throws(Failure) in
      let location = row(inSlot: slot, of: referrer).location
      guard let plan = catalog.indexPlan(ofRowAt: location, in: memory) else { return }
      let attributes = memory.withBytes(at: location) { row in
        plan.attributes(
          of: row, at: location, in: memory, referringTo: reference, identifier: identifier.bytes)
      }
      for attribute in attributes { try body(referrer, attribute, slot) }
    }
  }

  /// Returns the locations of the rows that refer to a record by one attribute, in the order of
  /// creation.
  ///
  /// - Parameter attribute: The index of the attribute in the newest layout of the entity
  ///   `referrer`.
  ///
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  package func referrers(
    to key: EntityKey, from referrer: Int, attribute: Int
  ) -> [RowLocation] {
    var rows: [(creation: UInt64, location: RowLocation)] = []
    forEachReferrer(of: key) { entity, index, slot in
      guard entity == referrer, index == attribute else { return }
      let row = row(inSlot: slot, of: entity)
      rows.append((row.creation, row.location))
    }
    rows.sort { $0.creation < $1.creation }
    return rows.map(\.location)
  }
}

extension IndexPlan {
  /// Returns the index word of a reference from the bytes of the target's identifier; nil if the
  /// bytes do not have the width of the identifier's kind.
  @inline(__always)
  static func referenceWord(
    of identifier: RawSpan, kind: IdentifierKind, seed: UInt64
  ) -> UInt64? {
    IdentifierBytes.hash(of: identifier, kind: kind).map {
      RowIndex.word(ofHash: SlotHash.hash(seed, and: $0))
    }
  }

  /// Appends the words of all references in a row.
  func appendReferenceWords(
    ofRowAt location: RowLocation, in memory: RowMemory, to words: inout [UInt64]
  ) {
    guard !references.isEmpty else { return }
    memory.withBytes(at: location) { row in
      for plan in references {
        withValue(of: plan.attribute, in: row, at: location, memory: memory) { bytes in
          if let bytes { plan.appendWords(of: bytes, to: &words) }
        }
      }
    }
  }

  /// Returns the attributes of a row that refer to a record, as indexes in the newest layout.
  fileprivate func attributes(
    of row: RawSpan, at location: RowLocation, in memory: RowMemory,
    referringTo target: EntityReference, identifier: [UInt8]
  ) -> [Int] {
    let found = references.compactMap { plan -> Int? in
      guard let newest = plan.newest, plan.target == target else { return nil }
      let refers = withValue(of: plan.attribute, in: row, at: location, memory: memory) { bytes in
        guard let bytes else { return false }
        guard plan.isArray else { return bytesAreEqual(bytes, and: identifier.span.bytes) }
        guard let list = ElementList(bytes, byteCount: target.identifierKind.byteCount) else {
          return false
        }
        for index in 0..<list.count
        where bytesAreEqual(
          bytes.extracting(list.range(index, in: bytes)), and: identifier.span.bytes)
        { return true }
        return false
      }
      return refers ? newest : nil
    }
    return found.count > 1 ? found.sorted() : found
  }
}

extension ReferencePlan {
  /// Appends the words of the references in a value.
  @inline(__always)
  fileprivate func appendWords(of bytes: RawSpan, to words: inout [UInt64]) {
    let kind = target.identifierKind
    guard isArray else {
      if let word = IndexPlan.referenceWord(of: bytes, kind: kind, seed: seed) {
        words.append(word)
      }
      return
    }
    guard let list = ElementList(bytes, byteCount: kind.byteCount) else { return }
    for index in 0..<list.count {
      let element = bytes.extracting(list.range(index, in: bytes))
      if let word = IndexPlan.referenceWord(of: element, kind: kind, seed: seed) {
        words.append(word)
      }
    }
  }
}
