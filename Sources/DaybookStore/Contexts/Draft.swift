/// The uncommitted changes of one record, until a boundary or until a save.
struct Draft {
  let key: EntityKey
  /// The row that the record is to have, of the newest layout; nil if it is to be deleted. A draft that has passed its
  /// boundary has none: the context's view has the row.
  var row: [UInt8]?
  /// The record that is shown until the boundary; nil if that is not known.
  var shown: ContextView.Shown?
  /// The difference between the record that is shown and the row; nil if that is not known.
  var net: NetChange?
  /// The row in the store when the record was first changed; none if there was none.
  var base = RowLocation.none
  /// The attributes that were changed here. The others are those of the store.
  var changed = AttributeSet(count: 0)
  /// The creation number of the record; 0 if that is not known.
  var creation: UInt64 = 0

  /// Creation numbers of records that are not saved follow all others.
  static let firstCreation = Layout.creationMax + 1

  init(
    _ key: EntityKey, to row: [UInt8]?, shown: ContextView.Shown? = nil, net: NetChange? = nil
  ) {
    self.key = key
    self.row = row
    self.shown = shown
    self.net = net
  }

  /// A Boolean value that indicates whether the record was inserted here, and is not saved.
  var isOfNewRecord: Bool { creation >= Draft.firstCreation }

  /// Returns whether the draft changes what a view shows, and notes how.
  mutating func changesRecord(in view: ContextView) -> Bool {
    let record = shown ?? view.shown(key)
    shown = record
    if net == nil { net = view.net(from: record.place.location, of: key.entity, to: row) }
    return net != NetChange.none
  }

  /// The record that is shown, and the difference between it and the row.
  ///
  /// - Precondition: The draft was compared with what is shown.
  var comparison: (shown: ContextView.Shown, net: NetChange) {
    guard let shown, let net else { preconditionFailure("a draft was not compared") }
    return (shown, net)
  }

  /// Sets the creation number in the row, if there is one; where it is, as a copy would copy all of it.
  mutating func setCreationOfRow() {
    let creation = creation
    row?.setCreation(creation)
  }

  /// Becomes the draft of an unsaved record that is changed for the first time.
  ///
  /// - Parameter view: What is shown before the change.
  mutating func begin(with change: Draft, in view: ContextView) {
    (row, shown, net) = (nil, nil, nil)
    base = change.base
    changed = AttributeSet(count: view.catalog.newest(key.entity).attributePlaces.count)
    note(change, in: view)
  }

  /// Notes a change of an unsaved record.
  mutating func note(_ change: Draft, in view: ContextView) {
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

/// What several changes of one record come to, between two moments.
///
/// | before | after | values | net change |
/// | ------ | ----- | ------ | ---------- |
/// | absent | absent | – | none |
/// | absent | present | – | insert |
/// | present | absent | – | delete |
/// | present | present | differ | update |
/// | present | present | equal | none |
///
/// What happened in between does not matter: changed and deleted is a delete, inserted and deleted is
/// nothing, deleted and inserted again is an update, written with an equal value is nothing.
package enum NetChange: Hashable, Sendable {
  case none
  case insert
  case delete
  case update(AttributeSet)

  /// The net change between two rows of one layout, each nil if there is no record then.
  package init(from old: [UInt8]?, to new: [UInt8]?, _ layout: Layout) {
    switch (old, new) {
    case (nil, nil): self = .none
    case (nil, _?): self = .insert
    case (_?, nil): self = .delete
    case (let old?, let new?): self.init(from: old.span.bytes, to: new.span.bytes, layout)
    }
  }

  /// The net change between two rows of one layout.
  package init(from old: RawSpan, to new: RawSpan, _ layout: Layout) {
    let changed = layout.changedAttributes(from: old, to: new)
    self = changed.isEmpty ? .none : .update(changed)
  }
}
