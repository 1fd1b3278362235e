import DaybookJournal

/// The policy for the part of a transaction that a revert cannot undo, because later changes have
/// replaced its values.
@nonexhaustive
public enum RevertPolicy: Sendable {
  /// The revert throws ``StoreError`` with `revertConflict`, and changes nothing.
  case refuse
  /// The revert keeps the later values, and undoes the rest of the transaction.
  case keepLaterValues
}

extension EditingContext {
  /// Makes the changes that undo a past transaction. They are one boundary, which is not saved yet.
  ///
  /// ```swift
  /// try await store.write { try $0.revert(57) }
  /// ```
  ///
  /// | the transaction has | the revert |
  /// | --- | --- |
  /// | inserted a record | deletes the record |
  /// | updated a record | gives the updated attributes their earlier values |
  /// | deleted a record | inserts it again, with its identifier, values and creation number |
  ///
  /// All other attributes keep their values. The delete rules apply only to references that other
  /// writers set before the save. The program can undo the revert. After a save, it can also revert
  /// the transaction of the revert.
  ///
  /// The following are *conflicts*:
  ///
  /// - An attribute of an updated or inserted record no longer has the value that the transaction
  ///   has written.
  /// - An updated record was deleted, or a deleted record was inserted again.
  /// - A later change has set a reference to a record that the transaction has inserted. References
  ///   with the delete rule `none` are ignored, unless they are required.
  ///
  /// If an attribute already has its value from before the transaction, this is not a conflict. So
  /// a second revert of the same transaction changes nothing. A reference gets its earlier value
  /// even if its target was deleted later. The save then checks the reference by the usual rules.
  ///
  /// If the context does not show the transaction yet, the method merges first.
  ///
  /// - Parameters:
  ///   - sequence: The number of the transaction.
  ///   - policy: The policy for conflicts.
  ///   - isolation: The actor of the caller.
  /// - Returns: The conflicts. The later values of these records and attributes were kept. The
  ///   array is empty with the policy `refuse`.
  /// - Throws: ``StoreError`` with `revertConflict`; `noSuchTransaction`, if the journal does not
  ///   contain the transaction, or if it is later than the context's moment; `payload`;
  ///   `duringDelivery`
  /// - Complexity: O(*k*) in the changes of the transaction. If records refer to a record that it
  ///   has inserted, also O(*m*) in the changes after the transaction.
  @discardableResult
  public func revert(
    _ sequence: SequenceNumber, conflicts policy: RevertPolicy = .refuse,
    isolation: (any Actor)? = #isolation
  ) throws(StoreError) -> [ConflictingChange] {
    enter(isolation)
    try checkDelivery()
    processPendingChanges()
    if sequence > view.base.sequence, sequence <= store.core.published().sequence {
      try mergeChanges()
    }
    var inverse = InverseChanges(
      of: try steps(of: sequence), in: view, acceptsEarlierValues: true)
    try keepReferencedRecords(in: &inverse, before: sequence)
    switch policy {
    case .refuse:
      guard inverse.conflicts.isEmpty else {
        throw StoreError(.revertConflict(sequence, inverse.conflicts), path: store.path)
      }
    case .keepLaterValues: break
    }
    // The remaining references to deleted records were there before the transaction, or have the
    // delete rule `none`.
    set(inverse) { Set(view.reader.referrers(to: $0)) }
    makeBoundary(.changes)
    followUp()
    return inverse.conflicts
  }

  /// Returns the effect of a transaction on each record.
  private func steps(of sequence: SequenceNumber) throws(StoreError) -> [RowStep] {
    let base = view.base
    let transaction =
      sequence <= base.state.base
      ? nil
      : try reading(in: base) { () throws(HistoryDefect) in
        try base.transaction(sequence.rawValue)
      }
    guard let transaction else {
      throw StoreError(
        .noSuchTransaction(sequence, first: base.state.base.next, last: base.sequence),
        path: store.path)
    }
    let steps = zip(transaction.changedKeys, transaction.rowChanges).map { key, change in
      RowStep(
        key: key, old: view.row(at: change.old, of: key.entity),
        new: view.row(at: change.new, of: key.entity))
    }
    try base.checkWhole(store.path)
    return steps
  }

  /// Returns the result of a closure that reads the history of a state.
  private func reading<Value>(
    in state: FrozenState, _ body: () throws(HistoryDefect) -> Value
  ) throws(StoreError) -> Value {
    let read: Result<Value, HistoryDefect>
    do throws(HistoryDefect) { read = .success(try body()) } catch { read = .failure(error) }
    try state.checkWhole(store.path)
    switch read {
    case .success(let value): return value
    case .failure(let defect): throw StoreError(defect, path: store.path)
    }
  }

  // MARK: References to inserted records

  /// Removes a deletion from the inverse if a later change has set a reference to the record. Adds
  /// a conflict instead.
  ///
  /// A record that stays may itself refer to other records that the transaction has inserted. The
  /// loop then keeps those records too.
  private func keepReferencedRecords(
    in inverse: inout InverseChanges, before sequence: SequenceNumber
  ) throws(StoreError) {
    guard view.reader.state.references.count > 0 else { return }
    // The state before the transaction is expensive, so it is computed only if a record has
    // references.
    var before: FrozenState?
    while true {
      var referenced: [(key: EntityKey, kind: ConflictingChange.Kind)] = []
      for key in inverse.deletedKeys {
        var referrers = references(to: key, in: view.reader).filter { referrer in
          guard let row = inverse.row(referrer.key) else { return true }
          return isUnchanged(referrer, in: row)
        }
        if referrers.isEmpty { continue }
        if before == nil { before = try state(before: sequence) }
        if let before { referrers.subtract(references(to: key, in: before.reader)) }
        guard let first = referrers.min(by: Referrer.isOrdered) else { continue }
        let referrer = view.catalog.newest(first.key.entity).entity
        referenced.append(
          (
            key,
            .referenced(
              entity: referrer.name, id: first.key.id,
              attribute: referrer.attributes[first.attribute].name)
          ))
      }
      if referenced.isEmpty { return }
      inverse.keep(referenced)
    }
  }

  /// Returns the references to a record whose delete rule is not `none`, or that are required.
  private func references(
    to key: EntityKey, in reader: borrowing StateReader
  ) -> Set<Referrer> {
    Set(
      reader.referrers(to: key).filter {
        let definition = reader.catalog.newest($0.key.entity).entity.attributes[$0.attribute]
        return definition.targetDeleteRule != .keep || definition.isRequiredReference
      })
  }

  /// Returns whether a row has the same value of an attribute as the shown record.
  private func isUnchanged(_ referrer: Referrer, in row: [UInt8]?) -> Bool {
    guard let row, let current = view.row(referrer.key) else { return false }
    return view.catalog.newest(referrer.key.entity).isEqual(
      referrer.attribute, in: row.span.bytes, and: current.span.bytes)
  }

  private func state(before sequence: SequenceNumber) throws(StoreError) -> FrozenState {
    let base = view.base
    let found = try reading(in: base) { () throws(HistoryDefect) in
      try base.state(after: sequence.rawValue - 1)
    }
    guard let found else {
      preconditionFailure("no state before transaction \(sequence), which was read")
    }
    return found
  }
}
