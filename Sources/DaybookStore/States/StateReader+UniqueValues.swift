import DaybookJournal

/// Finds records with equal unique values.
///
/// A unique list is a list of attributes whose values together must differ in every two records of
/// an entity. For each row and each unique list, ``RowIndex`` contains a word. The word is a hash
/// of the entity's name, the attributes' names and the values. If a value is missing, the row has
/// no word for the list.
///
/// The index does not enforce uniqueness. Each save compares the values before it writes.
extension StateReader {
  /// Returns the slots of the records that have the same values of a unique list as a row. If the
  /// row itself is in the state, its slot is included. The slots are in ascending order.
  ///
  /// Strings are compared in normal form, and numbers by their bits. The result is empty if the row
  /// lacks one of the values.
  ///
  /// - Parameters:
  ///   - row: A row of any layout of the entity. It must be whole: no value is stored outside of
  ///     it.
  ///   - list: The index of the unique list in the newest layout.
  /// - Complexity: O(log *n* + *s*) for *n* pairs in the index and *s* slots
  package func slots(
    withSameValuesAs row: RawSpan, of entity: Int, list: Int
  ) -> [UInt32] {
    guard let number = Layout.number(of: row), let plan = catalog.indexPlan(number),
      catalog.entity(of: number) == entity
    else { preconditionFailure("the row is not a row of \(catalog.names[entity])") }
    precondition(
      plan.unique.indices.contains(list),
      "\(catalog.names[entity]) has \(plan.unique.count) unique lists, but not \(list)")
    precondition(!state.defersIndexes, "the indexes are not built")
    precondition(!Layout.hasStoredValues(row), "the row does not contain all its values")
    guard let word = plan.uniqueWord(of: plan.unique[list], in: row, at: .none, memory: memory)
    else {
      return []
    }
    let values = plan.uniqueValues(of: plan.unique[list], in: row, at: .none, memory: memory)
    var slots: [UInt32] = []
    state.unique.forEach(with: word, in: space) { found, slot in
      guard found == entity else { return }
      let location = self.row(inSlot: slot, of: entity).location
      guard let plan = catalog.indexPlan(ofRowAt: location, in: memory) else { return }
      let isSame = memory.withBytes(at: location) { row in
        plan.uniqueValues(of: plan.unique[list], in: row, at: location, memory: memory) == values
      }
      if isSame { slots.append(slot) }
    }
    return slots
  }

  /// Calls a closure with each record whose values of a unique list also occur in a lower slot. The
  /// closure gets the lowest slot with these values, and the slot of the record.
  ///
  /// - Complexity: O(*n*) in the pairs of the index
  func forEachSharedValue(
    _ body: (_ entity: Int, _ list: Int, _ first: UInt32, _ slot: UInt32) -> Void
  ) {
    struct Key: Hashable {
      var entity: Int
      var list: Int
      var values: [[UInt8]?]
    }
    var first: [Key: UInt32] = [:]
    var last: TreePair?
    // Equal values have equal words, so the pairs of records with equal values are adjacent in the
    // tree.
    func inspect(_ pair: TreePair) {
      let (word, entity, slot) = RowIndex.parts(of: pair)
      let location = row(inSlot: slot, of: entity).location
      guard let plan = catalog.indexPlan(ofRowAt: location, in: memory) else { return }
      memory.withBytes(at: location) { row in
        for (list, unique) in plan.unique.enumerated()
        where plan.uniqueWord(of: unique, in: row, at: location, memory: memory) == word {
          let values = plan.uniqueValues(of: unique, in: row, at: location, memory: memory)
          let key = Key(entity: entity, list: list, values: values)
          if let lowest = first[key] { body(entity, list, lowest, slot) } else { first[key] = slot }
        }
      }
    }
    state.unique.tree.forEach(in: space) { pair in
      if let before = last,
        RowIndex.parts(of: before).word == RowIndex.parts(of: pair).word
      {
        if first.isEmpty { inspect(before) }
        inspect(pair)
      } else {
        first.removeAll(keepingCapacity: true)
      }
      last = pair
    }
  }
}

extension IndexPlan {
  /// Appends the index words of a row's values of all unique lists.
  func appendUniqueWords(
    ofRowAt location: RowLocation, in memory: RowMemory, to words: inout [UInt64]
  ) {
    guard !unique.isEmpty else { return }
    memory.withBytes(at: location) { row in
      for plan in unique {
        if let word = uniqueWord(of: plan, in: row, at: location, memory: memory) {
          words.append(word)
        }
      }
    }
  }

  /// Returns the index word of a row's values of a unique list; nil if a value is missing.
  fileprivate func uniqueWord(
    of plan: UniquePlan, in row: RawSpan, at location: RowLocation, memory: RowMemory
  ) -> UInt64? {
    guard !plan.parts.isEmpty else { return nil }
    var hash: UInt64? = plan.seed
    for part in plan.parts {
      guard let seed = hash else { return nil }
      switch part {
      case .attribute(let attribute, let isString):
        hash = withValue(of: attribute, in: row, at: location, memory: memory) { bytes in
          guard let bytes else { return nil }
          return ComparableValue.check(bytes, isString: isString, seed: seed)
        }
      case .constant(let bytes): hash = XXH64.checksum(bytes.span.bytes, seed: seed)
      case .none: return nil
      }
    }
    return hash.map { RowIndex.word(ofHash: $0) }
  }

  /// Returns a row's values of a unique list in comparable form. A missing value is nil.
  fileprivate func uniqueValues(
    of plan: UniquePlan, in row: RawSpan, at location: RowLocation, memory: RowMemory
  ) -> [[UInt8]?] {
    plan.parts.map { part in
      switch part {
      case .attribute(let attribute, let isString):
        withValue(of: attribute, in: row, at: location, memory: memory) { bytes in
          guard let bytes else { return nil }
          return ComparableValue.bytes(bytes, isString: isString)
        }
      case .constant(let bytes): bytes
      case .none: nil
      }
    }
  }
}

/// The values of a unique list in one row.
struct UniqueValues: Hashable {
  /// The index of the entity in the catalog.
  var entity: Int
  /// The index of the list in the entity.
  var list: Int
  var values: [AttributeValue]

  /// Creates the values of a list in a row of the newest layout; nil if an attribute has no value,
  /// because such a row is not compared.
  init?(ofList list: Int, in row: RawSpan, entity: Int, catalog: Catalog) {
    let layout = catalog.newest(entity)
    self.entity = entity
    self.list = list
    values = []
    for name in layout.entity.unique[list] {
      guard let index = layout.entity.index(of: name), let range = layout.range(of: index, in: row),
        let value = AttributeValue(
          layout.entity.attributes[index].type, bytes: row.extracting(range))
      else { return nil }
      values.append(value)
    }
  }
}
