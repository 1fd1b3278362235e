import DaybookJournal

/// Finds records that have the same values of a unique list.
///
/// A row has a word for each unique list of its entity, if it has a value for each attribute of the
/// list. The word is computed from the names of the entity and the attributes, and from the values.
/// The index itself does not enforce that a word belongs to one row only: each save checks this
/// first.
extension StateReader {
  /// Returns the slots of the records that have the same values of a unique list as a row, in
  /// ascending order. If the row itself is in the state, its slot is included.
  ///
  /// Strings are compared in normal form, and numbers by their bits. The result is empty if the row
  /// lacks a value for one of the attributes.
  ///
  /// - Parameters:
  ///   - row: A row of any layout of the entity, with all its values.
  ///   - list: The index of the list in the newest layout.
  /// - Complexity: O(log *n* + *s*) for *n* values in all and *s* slots
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

  /// Calls a closure with each record that has the same values of a unique list as a record in a
  /// lower slot. The closure gets the lowest slot with these values, and the slot of the record.
  ///
  /// - Complexity: O(*n*) in the values of all lists
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
    // Records with the same values have the same word, so their pairs are adjacent in the tree.
    func look(at pair: TreePair) {
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
        if first.isEmpty { look(at: before) }
        look(at: pair)
      } else {
        first.removeAll(keepingCapacity: true)
      }
      last = pair
    }
  }
}

extension IndexPlan {
  /// Appends the words of a row's unique lists.
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

  /// Returns the word of the values of a list; nil if a value is missing.
  fileprivate func uniqueWord(
    of plan: UniquePlan, in row: RawSpan, at location: RowLocation, memory: RowMemory
  ) -> UInt64? {
    guard !plan.parts.isEmpty else { return nil }
    var hash: UInt64? = plan.seed
    for part in plan.parts {
      guard let seed = hash else { return nil }
      switch part {
      case .attribute(let attribute, let isText):
        hash = withValue(of: attribute, in: row, at: location, memory: memory) { bytes in
          guard let bytes else { return nil }
          return ComparableValue.check(bytes, isText: isText, seed: seed)
        }
      case .constant(let bytes): hash = XXH64.check(bytes.span.bytes, seed: seed)
      case .none: return nil
      }
    }
    return hash.map { RowIndex.word(ofHash: $0) }
  }

  /// Returns the values of a list in the form for comparison; nil for a missing value.
  fileprivate func uniqueValues(
    of plan: UniquePlan, in row: RawSpan, at location: RowLocation, memory: RowMemory
  ) -> [[UInt8]?] {
    plan.parts.map { part in
      switch part {
      case .attribute(let attribute, let isText):
        withValue(of: attribute, in: row, at: location, memory: memory) { bytes in
          guard let bytes else { return nil }
          return ComparableValue.bytes(bytes, isText: isText)
        }
      case .constant(let bytes): bytes
      case .none: nil
      }
    }
  }
}
