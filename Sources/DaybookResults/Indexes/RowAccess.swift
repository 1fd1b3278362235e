import DaybookStore

/// A way to the rows of a request in a state.
struct RowAccess {
  enum Kind {
    case scan
    /// The record with an identifier, or the records with given values of attributes that a schema
    /// declares as unique.
    case slots([UInt32], names: [String])
    /// The rows that the words in some attributes lead to.
    case words([UInt32], names: [String])
    /// The rows at two ranges of ranks in a declared index. The rows of `head` are read first.
    case index(ResultSnapshot, IndexMatch, head: Range<Int>, ranks: Range<Int>)
  }

  let kind: Kind
  /// The number of rows that it leads to.
  let rowCount: Int
  /// The number of rows that were read to find it.
  let readCount: Int
  /// The attributes of an index that fits the request but does not contain the state; nil for no
  /// index, and for an access other than a scan.
  private(set) var unavailableIndex: [String]?

  /// Returns the access with the lowest estimated cost.
  ///
  /// A row of a scan is cheaper to read than one that an index leads to, because its neighbors are
  /// read with it. So an index is used if it leads to less than a quarter of all rows. An index in
  /// the order of the request that implies the filter costs less. With a limit above half of its
  /// rows, a scan can still cost less.
  ///
  /// - Parameter conditions: The conditions of the request's filter.
  static func best<R: FetchableRecord>(
    for request: ListRequest<R>, meeting conditions: FilterConditions, entity: Int,
    in state: FrozenState
  ) -> RowAccess {
    // No index leads to fewer rows than unique values, and none is advanced for the comparison.
    if let access = unique(meeting: conditions, of: entity, in: state) { return access }
    // Indexes that cannot be better are not built for the comparison.
    let all = RowAccess.all(for: request, meeting: conditions, entity: entity, in: state) {
      $0.mayReadFewerRows
    }
    return all.min { $0.cost(of: request.window) < $1.cost(of: request.window) } ?? all[0]
  }

  /// Returns the accesses to the rows of a request, a scan first.
  ///
  /// - Parameters:
  ///   - conditions: The conditions of the request's filter.
  ///   - isIncluded: Returns whether to include a use of an index. By default, all are.
  static func all<R: FetchableRecord>(
    for request: ListRequest<R>, meeting conditions: FilterConditions, entity: Int,
    in state: FrozenState,
    where isIncluded: (IndexMatch) -> Bool = { _ in true }
  ) -> [RowAccess] {
    let rowCount = state.rowCount(of: entity)
    var all = [RowAccess(kind: .scan, rowCount: rowCount, readCount: 0)]
    let catalog = state.catalog
    if let access = unique(meeting: conditions, of: entity, in: state) {
      all.append(access)
    }
    guard rowCount > 0 else { return all }
    for searches in conditions.searches {
      let names = searches.reduce(into: [String]()) { names, search in
        if !names.contains(search.name) { names.append(search.name) }
      }
      let indexes = searches.compactMap {
        DeclaredIndexes.words(in: $0.name, of: entity, in: catalog)
      }
      guard indexes.count == searches.count else { continue }
      guard let slots = state.slots(meetingAny: searches, in: indexes, of: entity) else {
        all[0].unavailableIndex = all[0].unavailableIndex ?? names
        continue
      }
      all.append(RowAccess(kind: .words(slots, names: names), rowCount: slots.count, readCount: 0))
    }
    let sortKeys = request.sectioning == nil ? request.sortKeys : nil
    for index in DeclaredIndexes.indexes(of: entity, in: catalog) {
      guard
        let match = IndexMatch(
          index.names, parts: index.parts, conditions: conditions, sortKeys: sortKeys),
        isIncluded(match)
      else { continue }
      guard let snapshot = index.snapshot(of: state) else {
        all[0].unavailableIndex = all[0].unavailableIndex ?? index.names
        continue
      }
      var reader = IndexReader(snapshot)
      var ranks = reader.ranks(of: match.keys)
      var head = ranks.lowerBound..<ranks.lowerBound
      if let start = request.start {
        (head, ranks) = reader.ranks(ranks, after: start, by: match)
      }
      all.append(
        RowAccess(
          kind: .index(snapshot, match, head: head, ranks: ranks),
          rowCount: head.count + ranks.count, readCount: reader.readCount))
    }
    return all
  }

  /// Returns an access by an identifier or by unique values; nil if the conditions do not require
  /// them.
  private static func unique(
    meeting conditions: FilterConditions, of entity: Int, in state: FrozenState
  ) -> RowAccess? {
    guard let (slots, names) = state.slots(meeting: conditions, of: entity) else { return nil }
    return RowAccess(kind: .slots(slots, names: names), rowCount: slots.count, readCount: 0)
  }

  /// A Boolean value that indicates whether the access leads to the rows in the order of the
  /// request.
  var isInOrder: Bool {
    if case .index(_, let match, _, _) = kind { match.order != .other } else { false }
  }

  /// Calls a closure with the slots of the rows in the order of the request, until the closure
  /// returns false. The access must be in that order.
  ///
  /// - Returns: The number of rows that were read.
  func forEachInOrder(_ body: (UInt32) -> Bool) -> Int {
    guard isInOrder, case .index(let index, let match, let head, let ranks) = kind else {
      preconditionFailure("the rows are not in the order of the request")
    }
    var reader = IndexReader(index)
    if reader.forEach(in: head, body) {
      if match.order == .opposite {
        reader.forEachReversed(in: ranks, body)
      } else {
        _ = reader.forEach(in: ranks, body)
      }
    }
    return reader.readCount
  }

  /// The slots of the rows, in ascending order; nil for all rows.
  var slots: [UInt32]? {
    switch kind {
    case .scan: nil
    case .slots(let slots, _), .words(let slots, _): slots
    case .index(let index, _, let head, let ranks):
      (index.order.values(head, in: index.space) + index.order.values(ranks, in: index.space))
        .sorted()
    }
  }

  /// The estimated cost to find the rows that a window shows, in rows of a scan.
  private func cost(of window: ResultWindow) -> Int {
    switch kind {
    case .scan: return rowCount
    // A scan folds each string, which takes longer than the access to a row.
    case .slots, .words: return rowCount
    case .index(_, let match, _, _):
      guard match.order != .other, !match.hasOtherConditions else { return 4 * rowCount }
      // The search ends with the last row that the window shows. Rows in order need no sort.
      guard let limit = window.limit else { return rowCount / 2 }
      return min(
        4 * window.range(of: rowCount).upperBound, rowCount / 2 + min(limit, rowCount))
    }
  }
}

extension FrozenState {
  /// Returns the slots of the records that may meet at least one of some searches, in ascending
  /// order; nil if an index cannot be used for the state.
  fileprivate func slots(
    meetingAny searches: [WordSearch], in indexes: [WordIndex], of entity: Int
  ) -> [UInt32]? {
    let limit = state.tables[entity].slotCount
    var found = SlotSet(below: limit)
    for (search, index) in zip(searches, indexes) {
      guard let candidates = index.candidates(for: search.query, in: self) else { return nil }
      found.formUnion(candidates)
    }
    return found.slots { slot in
      slot < limit && reader.row(inSlot: slot, of: entity).location != .none
    }
  }

  /// Finds records by conditions that require an identifier or a value of each attribute of a
  /// unique list. Returns their slots in ascending order, and the names of the attributes. Returns
  /// nil if there are no such conditions.
  fileprivate func slots(
    meeting conditions: FilterConditions, of entity: Int
  ) -> (slots: [UInt32], names: [String])? {
    guard entity < state.tables.count else { return nil }
    let layout = catalog.newest(entity)
    if let bytes = conditions.value(of: "id"),
      let key = IdentifierBytes(layout.identifierKind, bytes: bytes.span.bytes)
    {
      return (reader.slot(of: key, in: entity).map { [$0] } ?? [], ["id"])
    }
    for (list, names) in layout.entity.unique.enumerated() {
      guard let row = row(with: names, from: conditions, of: entity) else { continue }
      return (reader.slots(withSameValuesAs: row.span.bytes, of: entity, list: list), names)
    }
    return nil
  }

  /// Returns a row that contains only required values of some attributes. Returns nil if the
  /// conditions do not require a value of each attribute. Also returns nil if an attribute is
  /// converted, or if a value is stored outside of the row.
  private func row(
    with names: [String], from conditions: FilterConditions, of entity: Int
  ) -> [UInt8]? {
    let layout = catalog.newest(entity)
    var values = [AttributeValue](repeating: .null, count: layout.entity.attributes.count)
    for name in names {
      guard let bytes = conditions.value(of: name), let index = layout.index(of: name),
        let value = AttributeValue(
          layout.entity.attributes[index].type, bytes: bytes.span.bytes),
        !catalog.types.hasSubstitute(of: layout.entity.attributes[index], in: layout.entity.name),
        // The index of unique values does not contain converted values.
        AttributePath(index, of: entity, in: catalog).isInRows
      else { return nil }
      values[index] = value
    }
    var buffer = RowBuffer()
    DynamicRecord(layout.entity.name, id: layout.identifierKind.least, values: values)
      .append(layout, to: &buffer)
    return Layout.hasStoredValues(buffer.bytes.span.bytes) ? nil : buffer.bytes
  }
}
