/// The uncommitted changes of one record. The overlay of a context creates a draft when the program
/// changes the record, and removes it after a successful save or a rollback.
struct Draft {
  let key: EntityKey
  /// The new row of the record, in the newest layout; nil if the record is deleted. After the
  /// boundary the row is nil too, because the context's view contains it.
  var row: [UInt8]?
  /// The record in the context's view before the boundary, called the shown record; nil if it was
  /// not looked up yet.
  var visible: ContextView.Visible?
  /// The difference between the shown record and the row; nil if they were not compared yet.
  var net: NetChange?
  /// The location of the record's row in the store when this context first changed the record;
  /// `.none` if the store had no such record.
  var base = RowLocation.none
  /// The attributes that this context has changed. All other attributes take the values of the
  /// store in a merge.
  var changed = AttributeSet(count: 0)
  /// The creation number of the record; 0 until a boundary sets it.
  var creation: UInt64 = 0
  /// The cause and the effects of the deletion, if the draft deletes the record and a rule applies
  /// to it.
  var deletion: Deletion?

  /// The smallest creation number of unsaved records. All numbers of saved records are smaller.
  static let firstCreation = Layout.creationMax + 1

  init(
    _ key: EntityKey, to row: [UInt8]?, visible: ContextView.Visible? = nil, net: NetChange? = nil,
    deletion: Deletion? = nil
  ) {
    self.key = key
    self.row = row
    self.visible = visible
    self.net = net
    self.deletion = deletion
  }

  /// A Boolean value that indicates whether the record was inserted in this context and is not
  /// saved.
  var isOfNewRecord: Bool { creation >= Draft.firstCreation }

  /// Returns whether the draft changes the record that a view shows. The method stores the shown
  /// record and the difference in the draft.
  mutating func changesRecord(in view: ContextView) -> Bool {
    let record = visible ?? view.visible(key)
    visible = record
    if net == nil { net = view.net(from: record.position.location, of: key.entity, to: row) }
    return net != NetChange.none
  }

  /// The shown record, and the difference between it and the row.
  ///
  /// - Precondition: ``changesRecord(in:)`` was called before.
  var comparison: (visible: ContextView.Visible, net: NetChange) {
    guard let visible, let net else { preconditionFailure("the draft was not compared") }
    return (visible, net)
  }

  /// Writes the draft's creation number into its row, if the draft has a row. The row is changed in
  /// place, because a copy would cost its whole size.
  mutating func setCreationOfRow() {
    let creation = creation
    row?.setCreation(creation)
  }

  /// Converts the row and the changed attributes to the newest layout of a catalog.
  mutating func renew(from old: Catalog, to new: Catalog) {
    let (before, after) = (old.newest(key.entity), new.newest(key.entity))
    // The indexes of the referring attributes can differ.
    deletion?.unchangedReferrers = []
    if before.number == after.number { return }
    row = row.map { new.types.newest($0.span.bytes, of: key.entity, in: new) }
    if let row = deletion?.row {
      let renewed = new.types.newest(row.span.bytes, of: key.entity, in: new)
      deletion?.row = renewed
    }
    (visible, net) = (nil, nil)
    var renewed = AttributeSet(count: after.fields.count)
    for (index, attribute) in after.entity.attributes.enumerated() {
      let known =
        before.index(of: attribute.name) ?? attribute.earlierName.flatMap(before.index(of:))
      if let known, changed.contains(known) { renewed.insert(index) }
    }
    changed = renewed
  }

  /// Turns a pending draft into the first unsaved draft of its record, at a boundary.
  ///
  /// - Parameter view: The view before the change.
  mutating func start(with change: Draft, in view: ContextView) {
    (row, visible, net) = (nil, nil, nil)
    base = change.base
    changed = AttributeSet(count: view.catalog.newest(key.entity).attributeFields.count)
    record(change, in: view)
  }

  /// Adds the change of a later boundary to the unsaved draft of its record.
  mutating func record(_ change: Draft, in view: ContextView) {
    creation = change.creation
    deletion = change.deletion
    switch change.comparison.net {
    case .update(let some): changed.formUnion(some)
    case .insert, .delete:
      changed = AttributeSet(all: view.catalog.newest(key.entity).attributeFields.count)
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

  /// Creates the net change between two rows of one layout. A row is nil if the record does not
  /// exist at that time.
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
