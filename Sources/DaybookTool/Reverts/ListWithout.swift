import Daybook
import DaybookJournal
@_spi(Tools) import DaybookStore

/// A list at a moment, as it would be without one earlier transaction.
///
/// The changes of the transaction are reverted in the state of the moment. If a later transaction
/// has changed a value again, the later value is kept, and the value is in conflict.
struct ListWithout {
  let objects: ListObjects
  let snapshot: StoreSnapshot
  let conflicts: [ConflictingChange]
  /// The changes that the revert makes to records of the list's entity.
  private(set) var marks: [RecordIdentifier: Mark] = [:]

  /// - Parameters:
  ///   - request: The request of the list.
  ///   - sequence: The transaction to leave out.
  ///   - snapshot: The state at the moment of the list.
  ///   - journal: The journal.
  /// - Throws: `RequestError`, `StoreError`, and ``ToolError`` if the list does not contain the
  ///   transaction
  init(
    _ request: DynamicRequest, without sequence: SequenceNumber, at snapshot: StoreSnapshot,
    in journal: OpenJournal
  ) throws {
    let (store, moment) = (journal.store, snapshot.sequence)
    self.snapshot = snapshot
    guard sequence > store.base, sequence <= moment else {
      let known =
        moment == store.base ? "no transactions" : "transactions \(store.base.next) to \(moment)"
      throw ToolError(
        .usage,
        sentence: "transaction \(sequence) cannot be left out: the list contains \(known).")
    }
    let context = store.makeContext(at: snapshot)
    conflicts = try context.revert(sequence, conflicts: .keepLaterValues)
    objects = try context.fetch(request)
    let conflicting = Set(conflicts.filter { $0.entity == request.entity }.map(\.id))
    var transactions = try store.transactions(from: sequence)
    for change in try transactions.next()?.changes ?? []
    where change.entity == request.entity && !conflicting.contains(change.id) {
      marks[change.id] = change.kind == .delete ? .inserted : .updated
    }
  }

  /// Returns the attributes in conflict of each record of an entity. An array without attributes
  /// means the whole record.
  func conflicts(of entity: String) -> [RecordIdentifier: [String]] {
    var found: [RecordIdentifier: [String]] = [:]
    for conflict in conflicts where conflict.entity == entity {
      if case .changed(let attributes) = conflict.kind {
        found[conflict.id] = attributes
      } else {
        found[conflict.id] = []
      }
    }
    return found
  }

  /// A sentence about the conflicts; nil without conflicts.
  var sentence: String? {
    guard !conflicts.isEmpty else { return nil }
    let shown = conflicts.prefix(ListWithout.shownCount).map { conflict in
      let name = LoggedChange.name(conflict.entity, id: conflict.id)
      guard case .changed(let attributes) = conflict.kind else { return name }
      return "\(name) (\(DisplayWidth.shown(attributes.joined(separator: ", "))))"
    }
    let rest = conflicts.count > shown.count ? " and \(conflicts.count - shown.count) more" : ""
    let count = Counted.phrase(conflicts.count, one: "record", several: "records")
    return "Later transactions changed \(count) again; their values were kept: "
      + "\(shown.joined(separator: ", "))\(rest)."
  }

  private static let shownCount = 5
}
