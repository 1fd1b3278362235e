import DaybookJournal

/// Who refers to a record.
///
/// A row has a word for each record that it refers to, made of the name of that one's entity and its
/// identifier, which need not exist. The attribute is no part of the word: rows are looked at anyway,
/// as words are hashes, and so an attribute may be renamed or move to another place in later layouts
/// without a word changing, and a record that is referred to by two attributes of a row takes up one
/// pair.
extension StateReader {
  /// Tells of each attribute of each record that refers to a record, which need not exist.
  ///
  /// Only attributes that the newest layout of their entity has are told of, by their place in it;
  /// rows of older layouts are read as that one reads them. An attribute whose type has changed
  /// since does not refer to anything until its record is saved again.
  ///
  /// The order is that of slots, and of attributes in the newest layout. It says nothing of the order in which records were made, and may
  /// differ after opening again. The state may not be changed meanwhile.
  ///
  /// - Complexity: O(log *n* + *r*) for *n* references in all, and *r* records that refer to this
  ///   one; each of these is looked at, with all the references that it has.
  package func forEachReferrer<Failure: Error>(
    of target: EntityKey,
    _ body: (_ entity: Int, _ attribute: Int, _ slot: UInt32) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(!state.defersIndexes, "the indexes are not built yet")
    guard state.references.count > 0 else { return }
    let reference = EntityReference(catalog.names[target.entity], identifierKind: target.id.kind)
    var identifier = RowBuffer()
    target.id.append(to: &identifier)
    let word = IndexPlan.referenceWord(
      of: identifier.bytes.span.bytes, kind: target.id.kind,
      seed: ReferencePlan.seed(reference.entity))
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

  /// Where the rows stand that refer to a record by an attribute of an entity, which is told by its
  /// place in the newest layout; in the order of creation.
  ///
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  func referrers(to key: EntityKey, from referrer: Int, attribute: Int) -> [RowLocation] {
    var rows: [(creation: UInt64, location: RowLocation)] = []
    forEachReferrer(of: key) { entity, place, slot in
      guard entity == referrer, place == attribute else { return }
      let row = row(inSlot: slot, of: entity)
      rows.append((row.creation, row.location))
    }
    rows.sort { $0.creation < $1.creation }
    return rows.map(\.location)
  }
}

extension IndexPlan {
  /// The word for a reference to a record; nil if the bytes are not of the width of its identifiers.
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

  /// The attributes of a row that refer to a record, by their places in the newest layout.
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
