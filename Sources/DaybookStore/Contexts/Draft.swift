/// The uncommitted changes of one record, until a boundary or until a save.
struct Draft {
  let key: EntityKey
  /// The new row of the record, in the newest layout; nil if the record is deleted. After its
  /// boundary a draft has no row, because the context's view contains the row.
  var row: [UInt8]?
  /// The record that is shown until the boundary; nil if it is unknown.
  var visible: ContextView.Visible?
  /// The difference between the shown record and the row; nil if it is unknown.
  var net: NetChange?
  /// The row in the store when the record was first changed; `.none` if there was no row.
  var base = RowLocation.none
  /// The attributes that were changed in this context. The other attributes have the values of the
  /// store.
  var changed = AttributeSet(count: 0)
  /// The creation number of the record; 0 if it is unknown.
  var creation: UInt64 = 0

  /// The smallest creation number of unsaved records. It is greater than all numbers of saved
  /// records.
  static let firstCreation = Layout.creationMax + 1

  init(
    _ key: EntityKey, to row: [UInt8]?, visible: ContextView.Visible? = nil, net: NetChange? = nil
  ) {
    self.key = key
    self.row = row
    self.visible = visible
    self.net = net
  }

  /// A Boolean value that indicates whether the record was inserted in this context and is not
  /// saved.
  var isOfNewRecord: Bool { creation >= Draft.firstCreation }

  /// Returns whether the draft changes the record that a view shows, and stores the comparison in
  /// the draft.
  mutating func changesRecord(in view: ContextView) -> Bool {
    let record = visible ?? view.visible(key)
    visible = record
    if net == nil { net = view.net(from: record.place.location, of: key.entity, to: row) }
    return net != NetChange.none
  }

  /// The shown record, and the difference between it and the row.
  ///
  /// - Precondition: The draft was compared with the shown record.
  var comparison: (visible: ContextView.Visible, net: NetChange) {
    guard let visible, let net else { preconditionFailure("the draft was not compared") }
    return (visible, net)
  }

  /// Sets the creation number of the row, if there is one. The row is changed in place, because a
  /// copy would copy all its bytes.
  mutating func setCreationOfRow() {
    let creation = creation
    row?.setCreation(creation)
  }

  /// Turns a pending draft into the first unsaved draft of its record.
  ///
  /// - Parameter view: The view before the change.
  mutating func start(with change: Draft, in view: ContextView) {
    (row, visible, net) = (nil, nil, nil)
    base = change.base
    changed = AttributeSet(count: view.catalog.newest(key.entity).attributePlaces.count)
    record(change, in: view)
  }

  /// Adds a further change to the draft of an unsaved record.
  mutating func record(_ change: Draft, in view: ContextView) {
    creation = change.creation
    switch change.comparison.net {
    case .update(let some): changed.formUnion(some)
    case .insert, .delete:
      changed = AttributeSet(all: view.catalog.newest(key.entity).attributePlaces.count)
    case .none: break
    }
  }
}

extension [UInt8] {
  /// Sets the creation number of a row.
  fileprivate mutating func setCreation(_ creation: UInt64) {
    Layout.setCreation(creation, of: &self)
  }
}

/// The net effect of several changes of one record, between two points in time.
///
/// | before | after | values | net change |
/// | ------ | ----- | ------ | ---------- |
/// | absent | absent | – | none |
/// | absent | present | – | insert |
/// | present | absent | – | delete |
/// | present | present | differ | update |
/// | present | present | equal | none |
///
/// Intermediate states do not matter:
///
/// - A record that is changed and then deleted is a delete.
/// - A record that is inserted and then deleted is no change.
/// - A record that is deleted and inserted again is an update, if its values differ.
/// - Writing an equal value is no change.
package enum NetChange: Hashable, Sendable {
  case none
  case insert
  case delete
  case update(AttributeSet)

  /// Creates the net change between two rows of one layout, each nil if the record does not exist
  /// at that time.
  package init(from old: [UInt8]?, to new: [UInt8]?, _ layout: Layout) {
    switch (old, new) {
    case (nil, nil): self = .none
    case (nil, _?): self = .insert
    case (_?, nil): self = .delete
    case (let old?, let new?): self.init(from: old.span.bytes, to: new.span.bytes, layout)
    }
  }

  /// Creates the net change between two rows of one layout.
  package init(from old: RawSpan, to new: RawSpan, _ layout: Layout) {
    let changed = layout.changedAttributes(from: old, to: new)
    self = changed.isEmpty ? .none : .update(changed)
  }
}
