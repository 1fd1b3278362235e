/// A record, and one of its references that leads to a second record.
struct Referrer: Hashable, Sendable {
  var key: EntityKey
  /// The index of the reference's attribute in the newest layout.
  var attribute: Int

  /// Returns whether a referrer is before another one: by entity, then by identifier, then by
  /// attribute. The order of slots would depend on the history of the store.
  static func isOrdered(_ one: Referrer, before other: Referrer) -> Bool {
    if one.key.entity != other.key.entity { return one.key.entity < other.key.entity }
    if one.key.id != other.key.id { return one.key.id.isOrdered(before: other.key.id) }
    return one.attribute < other.attribute
  }
}

extension RecordIdentifier {
  /// Returns whether the identifier is before another one, in an order that does not depend on the
  /// store: numbers by their values, strings by their characters, and UUIDs by their text.
  func isOrdered(before other: RecordIdentifier) -> Bool {
    switch (self, other) {
    case (.int(let one), .int(let other)): one < other
    case (.uint(let one), .uint(let other)): one < other
    case (.string(let one), .string(let other)): one < other
    case (.uuid, .uuid): description < other.description
    default: kind.rawValue < other.kind.rawValue
    }
  }
}

/// What a context knows of the deletion of a record, for the save that writes it.
struct Deletion: Sendable {
  /// The reason why the record is deleted.
  enum Cause {
    /// The program has deleted it.
    case program
    /// A rule has deleted it with its owner, or with the target of one of its references.
    case owner, target
    /// An undo, a redo or a revert has deleted it. What the record owned stays, because it existed
    /// without it before.
    case inverse
  }

  var cause: Cause
  /// The row of the record before its deletion, in the newest layout; nil if the record's entity
  /// owns nothing.
  var row: [UInt8]?
  /// The records that the record owned and that the save has to examine.
  var shared: [SharedRecord] = []
  /// The references to the record that stay as they are. They existed before the record did.
  var unchangedReferrers: Set<Referrer> = []

  /// Adds the changes of other writers to the row before the deletion.
  mutating func merge(_ merged: [UInt8], of entity: Int, in catalog: Catalog) {
    let known = Set(row.map { catalog.owned(by: $0, of: entity) } ?? [])
    for key in catalog.owned(by: merged, of: entity) where !known.contains(key) {
      shared.append(SharedRecord(key: key, owners: []))
    }
    row = merged
  }
}

extension Deletion? {
  /// Returns a later deletion of the same record, or nil if the record was inserted again, with the
  /// shared records of this deletion: the save has to examine them too.
  func followed(by later: Deletion?) -> Deletion? {
    guard let self, !self.shared.isEmpty else { return later }
    var later = later ?? Deletion(cause: .program)
    let known = Set(later.shared.map(\.key))
    later.shared += self.shared.filter { !known.contains($0.key) }
    return later
  }
}

/// A record that stays although its owner is deleted.
struct SharedRecord: Sendable {
  var key: EntityKey
  /// The references of its further owners. Empty if a different writer has given the record to the
  /// deleted owner.
  var owners: [Referrer]
}

/// The delete rules. They find the effects of deletions on other records, and change nothing.
///
/// - A record that a deleted record owns is deleted too, unless a further record owns it. A record
///   *owns* the target of a reference if the reference declares that its target is deleted with the
///   record.
/// - A record with a reference to a deleted record is deleted too, if the reference has the rule
///   `cascade`.
/// - A reference to a deleted record is removed, if it has the rule `nullify` and is not required.
///
/// A context applies the rules at each deletion, so their effect does not depend on boundaries. The
/// store applies them again when a save gets its number, to what other writers have changed.
struct DeleteRules {
  /// A deleted record.
  struct Deleted {
    var key: EntityKey
    var cause: Deletion.Cause
    /// The records that it owned.
    var owned: [EntityKey]
    /// Those of them that stay, because a further record owns them.
    var shared: [SharedRecord] = []
  }

  /// The effect of a deletion on a record with a reference to the deleted one.
  enum Effect {
    case delete, clear
  }

  private let catalog: Catalog
  /// The deleted records: first the given ones, then those that the rules delete.
  private(set) var deleted: [Deleted] = []
  /// The references that the rules remove.
  private(set) var cleared: [(referrer: Referrer, target: EntityKey)] = []
  private var keys: Set<EntityKey> = []
  /// The records that a rule deletes if nothing owns them.
  private var examined: [EntityKey] = []

  init(_ catalog: Catalog) { self.catalog = catalog }

  func isDeleted(_ key: EntityKey) -> Bool { keys.contains(key) }

  /// Adds a deleted record.
  ///
  /// - Parameters:
  ///   - owned: The records that it owned.
  mutating func delete(_ key: EntityKey, cause: Deletion.Cause, owned: [EntityKey]) {
    guard keys.insert(key).inserted else { return }
    deleted.append(Deleted(key: key, cause: cause, owned: owned))
  }

  /// Adds a deleted record with what its row before the deletion owned.
  mutating func delete(_ key: EntityKey, from row: [UInt8]?, cause: Deletion.Cause) {
    let owned = row.map { catalog.owned(by: $0, of: key.entity) } ?? []
    delete(key, cause: cause, owned: owned)
  }

  /// Adds records that a former owner has left to others. They are deleted if nothing owns them.
  mutating func examine(_ keys: [EntityKey]) { examined += keys }

  /// Finds all effects of the added deletions.
  ///
  /// - Parameters:
  ///   - row: Returns the row of a record that exists before the rules are applied; nil if there is
  ///     none.
  ///   - referrers: Returns the references to a record.
  ///   - effect: Returns the effect of a deletion on a referring record; nil for none.
  mutating func apply(
    row: (EntityKey) -> [UInt8]?, referrers: (EntityKey) -> [Referrer],
    effect: (_ reference: ReferenceAttribute, _ referrer: Referrer, _ deleted: Deleted) -> Effect?
  ) {
    for target in examined where !isDeleted(target) {
      guard let row = row(target), owners(of: target, among: referrers(target)).isEmpty else {
        continue
      }
      delete(target, from: row, cause: .owner)
    }
    var next = 0
    while next < deleted.count {
      for target in deleted[next].owned where !isDeleted(target) {
        guard let row = row(target) else { continue }
        let owners = owners(of: target, among: referrers(target))
        if owners.isEmpty {
          delete(target, from: row, cause: .owner)
        } else {
          deleted[next].shared.append(SharedRecord(key: target, owners: owners))
        }
      }
      let found = referrers(deleted[next].key).sorted(by: Referrer.isOrdered)
      for referrer in found where !isDeleted(referrer.key) {
        guard let reference = catalog.reference(referrer.attribute, of: referrer.key.entity)
        else { continue }
        switch effect(reference, referrer, deleted[next]) {
        case .delete: delete(referrer.key, from: row(referrer.key), cause: .target)
        case .clear: cleared.append((referrer, deleted[next].key))
        case nil: break
        }
      }
      next += 1
    }
  }

  /// Returns the references by which records that are not deleted own a record.
  private func owners(of key: EntityKey, among referrers: [Referrer]) -> [Referrer] {
    referrers.filter { referrer in
      !isDeleted(referrer.key) && referrer.key != key
        && catalog.reference(referrer.attribute, of: referrer.key.entity)?.ownDeleteRule == .cascade
    }
  }
}

extension ReferenceAttribute {
  /// The effect of deleting the target on the record; nil for none.
  var effect: DeleteRules.Effect? {
    switch targetDeleteRule {
    case .cascade: .delete
    case .nullify where !isRequired: .clear
    case .nullify, .deny, .keep: nil
    }
  }
}

extension Catalog {
  /// Returns the records that a record with a given row owns.
  func owned(by row: [UInt8], of entity: Int) -> [EntityKey] {
    let layout = newest(entity)
    return references(of: entity).flatMap { reference -> [EntityKey] in
      guard reference.ownDeleteRule == .cascade, let target = index(of: reference.target.entity)
      else { return [] }
      return reference.targets(in: row.span.bytes, of: layout).map { EntityKey(target, id: $0) }
    }
  }

  /// Returns the records that a row refers to, each once for each reference. The row can have an
  /// earlier layout.
  func targets(ofRow row: [UInt8], of entity: Int) -> [EntityKey] {
    let references = references(of: entity)
    if references.isEmpty { return [] }
    let layout = newest(entity)
    return types.withNewest(row.span.bytes, of: entity, in: self) { row in
      references.flatMap { reference -> [EntityKey] in
        guard let target = index(of: reference.target.entity) else { return [] }
        return Set(reference.targets(in: row, of: layout)).map { EntityKey(target, id: $0) }
      }
    }
  }

  /// Returns the references of a row of the newest layout to a record.
  func referrers(_ key: EntityKey, row: [UInt8], to target: EntityKey) -> [Referrer] {
    let layout = newest(key.entity)
    return references(of: key.entity).compactMap { reference in
      guard index(of: reference.target.entity) == target.entity,
        reference.targets(in: row.span.bytes, of: layout).contains(target.id)
      else { return nil }
      return Referrer(key: key, attribute: reference.attribute)
    }
  }
}

extension StateReader {
  /// Returns the references to a record. The record need not exist.
  func referrers(to key: EntityKey) -> [Referrer] {
    var referrers: [Referrer] = []
    forEachReferrer(of: key) { entity, attribute, slot in
      referrers.append(
        Referrer(
          key: EntityKey(entity, id: identifier(ofSlot: slot, in: entity)), attribute: attribute))
    }
    return referrers
  }
}
