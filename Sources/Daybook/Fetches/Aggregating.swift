import DaybookResults
import DaybookStore

extension StoreSnapshot {
  /// Returns totals of the records of a request at this moment.
  ///
  /// ```swift
  /// let totals = try store.snapshot.aggregate(request, .count, .sum(\.amount))
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request. Without a limit and an offset, its order is not computed.
  ///   - measures: The measures.
  /// - Throws: `RequestError` for an error in the request or the measures, `StoreError` with
  ///   `unknownType`
  /// - Complexity: O(*n*); with a limit or an offset O(*n* log *n*)
  public func aggregate<R: FetchableRecord>(
    _ request: ListRequest<R>, _ measures: Measure<R>...
  ) throws -> Totals<R> {
    try frozen.totals(request, measures: measures, of: path)
  }

  /// Returns totals of the records of a request at this moment, for each value of a property.
  ///
  /// ```swift
  /// let regions = try store.snapshot.aggregate(
  ///   request, by: \.region, .count, .sum(\.amount), .average(\.amount),
  ///   having: Measure<Sale>.sum(\.amount) > 1000)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request. Without a limit and an offset, its order is not computed.
  ///   - keyPath: The property. Records without a value are one group.
  ///   - measures: The measures of each group.
  ///   - having: The condition that groups must satisfy. It compares measures, or is a text such as
  ///     `@count > 3 AND @sum.amount >= 100 AND key != "PR"`. A total without a value is nil there.
  /// - Returns: The groups, in the order of the property, the smallest value first.
  /// - Throws: `RequestError` for an error in the request, the measures or the condition,
  ///   `StoreError` with `unknownType`
  /// - Complexity: O(*n*), and *g* log *g* in the groups; with a limit or an offset O(*n* log *n*)
  public func aggregate<R: Record, Value>(
    _ request: ListRequest<R>, by keyPath: KeyPath<R, Value>, _ measures: Measure<R>...,
    having: Filter? = nil
  ) throws -> [GroupTotals<R>] {
    try frozen.groups(
      request, by: .attribute(keyPath), measures: measures, having: having, of: path)
  }

  /// Returns totals of the records of a request at this moment, for each value of an attribute,
  /// which may be one of the records that the records refer to.
  ///
  /// ```swift
  /// try store.snapshot.aggregate(request, by: .attribute(named: "city.country"), .count)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request. Without a limit and an offset, its order is not computed.
  ///   - attribute: The attribute. Records without a value are one group.
  ///   - measures: The measures of each group.
  ///   - having: The condition that groups must satisfy.
  /// - Returns: The groups, in the order of the attribute, the smallest value first.
  /// - Throws: `RequestError` for an error in the request, the measures or the condition,
  ///   `StoreError` with `unknownType`
  /// - Complexity: O(*n*), and *g* log *g* in the groups; with a limit or an offset O(*n* log *n*)
  public func aggregate<R: FetchableRecord>(
    _ request: ListRequest<R>, by attribute: FetchedAttribute<R>, _ measures: Measure<R>...,
    having: Filter? = nil
  ) throws -> [GroupTotals<R>] {
    try frozen.groups(request, by: attribute, measures: measures, having: having, of: path)
  }

  /// Returns totals of the records of a request at this moment, for each value of an attribute.
  public func aggregate<R: FetchableRecord>(
    _ request: ListRequest<R>, by attribute: FetchedAttribute<R>, measures: [Measure<R>],
    having: Filter? = nil
  ) throws -> [GroupTotals<R>] {
    try frozen.groups(request, by: attribute, measures: measures, having: having, of: path)
  }
}

extension EditingContext {
  /// Returns totals of the records of a request, unsaved changes included.
  ///
  /// It starts with a boundary, unless an observer calls it.
  ///
  /// - Parameters:
  ///   - request: The request. Without a limit and an offset, its order is not computed.
  ///   - measures: The measures.
  /// - Throws: `RequestError` for an error in the request or the measures, `StoreError` with
  ///   `unknownType`
  /// - Complexity: O(*n*); with a limit or an offset O(*n* log *n*)
  public func aggregate<R: FetchableRecord>(
    _ request: ListRequest<R>, _ measures: Measure<R>...
  ) throws -> Totals<R> {
    processPendingChanges()
    return try searched.totals(request, measures: measures, of: store.path)
  }

  /// Returns totals of the records of a request, unsaved changes included, for each value of a
  /// property.
  ///
  /// It starts with a boundary, unless an observer calls it.
  ///
  /// - Parameters:
  ///   - request: The request. Without a limit and an offset, its order is not computed.
  ///   - keyPath: The property. Records without a value are one group.
  ///   - measures: The measures of each group.
  ///   - having: The condition that groups must satisfy.
  /// - Returns: The groups, in the order of the property, the smallest value first.
  /// - Throws: `RequestError` for an error in the request, the measures or the condition,
  ///   `StoreError` with `unknownType`
  /// - Complexity: O(*n*), and *g* log *g* in the groups; with a limit or an offset O(*n* log *n*)
  public func aggregate<R: Record, Value>(
    _ request: ListRequest<R>, by keyPath: KeyPath<R, Value>, _ measures: Measure<R>...,
    having: Filter? = nil
  ) throws -> [GroupTotals<R>] {
    processPendingChanges()
    return try searched.groups(
      request, by: .attribute(keyPath), measures: measures, having: having, of: store.path)
  }

  /// Returns totals of the records of a request, unsaved changes included, for each value of an
  /// attribute, which may be one of the records that the records refer to.
  ///
  /// It starts with a boundary, unless an observer calls it.
  ///
  /// - Parameters:
  ///   - request: The request. Without a limit and an offset, its order is not computed.
  ///   - attribute: The attribute. Records without a value are one group.
  ///   - measures: The measures of each group.
  ///   - having: The condition that groups must satisfy.
  /// - Returns: The groups, in the order of the attribute, the smallest value first.
  /// - Throws: `RequestError` for an error in the request, the measures or the condition,
  ///   `StoreError` with `unknownType`
  /// - Complexity: O(*n*), and *g* log *g* in the groups; with a limit or an offset O(*n* log *n*)
  public func aggregate<R: FetchableRecord>(
    _ request: ListRequest<R>, by attribute: FetchedAttribute<R>, _ measures: Measure<R>...,
    having: Filter? = nil
  ) throws -> [GroupTotals<R>] {
    processPendingChanges()
    return try searched.groups(
      request, by: attribute, measures: measures, having: having, of: store.path)
  }
}

extension FrozenState {
  fileprivate func totals<R: FetchableRecord>(
    _ request: ListRequest<R>, measures: [Measure<R>], of path: String
  ) throws -> Totals<R> {
    try request.checkType(self, of: path)
    let groups = try request.aggregate(measures, by: nil, having: nil, in: self)
    try checkWhole(path)
    return Totals(measures.map(\.definition), values: groups[0].values)
  }

  fileprivate func groups<R: FetchableRecord>(
    _ request: ListRequest<R>, by attribute: FetchedAttribute<R>, measures: [Measure<R>],
    having: Filter?, of path: String
  ) throws -> [GroupTotals<R>] {
    try request.checkType(self, of: path)
    let groups = try request.aggregate(measures, by: attribute.names, having: having, in: self)
    try checkWhole(path)
    return groups.map { GroupTotals($0, measures: measures) }
  }
}
