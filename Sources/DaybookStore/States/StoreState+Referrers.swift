import DaybookJournal

/// Who refers to a record.
///
/// A row has a word for each record that it refers to, made of the name of that one's entity and its
/// identifier, which need not exist. The attribute is no part of the word: rows are looked at anyway,
/// as words are hashes, and so an attribute may be renamed or move to another place in later layouts
/// without a word changing, and a record that is referred to by two attributes of a row takes up one
/// pair.
extension StoreState {
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
    of entity: Int, _ id: RecordIdentifier, in memory: RowMemory, _ catalog: Catalog,
    _ space: PageSpace,
    _ body: (_ entity: Int, _ attribute: Int, _ slot: UInt32) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(!defersIndexes, "the indexes are not built yet")
    guard references.count > 0 else { return }
    let name = catalog.names[entity]
    var identifier = RowBuffer()
    id.append(to: &identifier)
    let word = IndexPlan.referenceWord(
      ReferencePlan.seed(name), id.kind, identifier.bytes.span.bytes)
    guard let word else {
      preconditionFailure("the identifier \(id) has \(identifier.count) bytes")
    }
    try references.forEach(word, in: space) { (referrer, slot) throws(Failure) in
      let location = tables[referrer].row(slot, in: space).location
      guard let plan = catalog.indexPlan(ofRowAt: location, memory) else { return }
      let attributes = memory.withBytes(at: location) { row in
        plan.attributes(
          of: row, at: location, memory, referringTo: name, id.kind, identifier.bytes)
      }
      for attribute in attributes { try body(referrer, attribute, slot) }
    }
  }
}

extension FrozenState {
  /// Tells of each attribute of each record that refers to a record; see
  /// ``StoreState/forEachReferrer(of:_:in:_:_:_:)``.
  package func forEachReferrer<Failure: Error>(
    of entity: Int, _ id: RecordIdentifier,
    _ body: (_ entity: Int, _ attribute: Int, _ slot: UInt32) throws(Failure) -> Void
  ) throws(Failure) {
    try state.forEachReferrer(of: entity, id, in: memory, catalog, space, body)
  }
}

extension IndexPlan {
  /// The word for a reference to a record; nil if the bytes are not of the width of its identifiers.
  @inline(__always)
  static func referenceWord(
    _ seed: UInt64, _ kind: IdentifierKind, _ identifier: RawSpan
  ) -> UInt64? {
    IdentifierBytes.hash(kind, identifier).map { RowIndex.word(ofHash: SlotHash.hash(seed, $0)) }
  }

  /// Appends the words of all references in a row.
  func appendReferenceWords(
    ofRowAt location: RowLocation, _ memory: RowMemory, to words: inout [UInt64]
  ) {
    guard !references.isEmpty else { return }
    memory.withBytes(at: location) { row in
      for plan in references {
        withValue(of: plan.attribute, in: row, at: location, memory) { bytes in
          if let bytes { plan.appendWords(of: bytes, to: &words) }
        }
      }
    }
  }

  /// The attributes of a row that refer to a record, by their places in the newest layout.
  fileprivate func attributes(
    of row: RawSpan, at location: RowLocation, _ memory: RowMemory, referringTo entity: String,
    _ kind: IdentifierKind, _ identifier: [UInt8]
  ) -> [Int] {
    let found = references.compactMap { plan -> Int? in
      guard let newest = plan.newest, plan.target.identifierKind == kind,
        plan.target.entity == entity
      else { return nil }
      let refers = withValue(of: plan.attribute, in: row, at: location, memory) { bytes in
        guard let bytes else { return false }
        guard plan.isArray else { return bytesAreEqual(bytes, identifier.span.bytes) }
        guard let list = ElementList(bytes, byteCount: kind.byteCount) else { return false }
        for index in 0..<list.count
        where bytesAreEqual(
          bytes.extracting(list.range(index, in: bytes)), identifier.span.bytes)
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
      if let word = IndexPlan.referenceWord(seed, kind, bytes) { words.append(word) }
      return
    }
    guard let list = ElementList(bytes, byteCount: kind.byteCount) else { return }
    for index in 0..<list.count {
      let element = bytes.extracting(list.range(index, in: bytes))
      if let word = IndexPlan.referenceWord(seed, kind, element) { words.append(word) }
    }
  }
}
