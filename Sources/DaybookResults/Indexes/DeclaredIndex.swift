import DaybookStore
import Synchronization

/// An index that a record type declares: all rows of its entity, in the order of some attributes.
///
/// The index is a projection without a filter. Its first use builds it, and a use with a newer
/// state advances it. A second projection, a copy of the first, serves other states. Such a state
/// contains the unsaved changes of a context, or is a slightly older snapshot. For the former, the
/// first projection is advanced to the state of the store before these changes.
///
/// ```
///   states of the store   ──●────────●──────▶  main
///                                     ╲
///   states of a context                ●──●▶   branch
/// ```
///
/// If a newer state of the store differs in many rows, the index is built again. Any other state
/// that differs in many rows from both projections has no index.
final class DeclaredIndex: Sendable {
  /// The attributes, the most significant first.
  let names: [String]
  /// The parts of the keys.
  let parts: [OrderKeyPart]
  private let plan: ResultPlan

  private struct Versions {
    var main: Projection?
    /// A copy of the main projection, or a projection of unsaved changes.
    var branch: Projection?
  }

  // Shared state: guarded by its mutex. Searches use snapshots, outside of the lock.
  private let versions = Mutex(Versions())

  /// - Returns: nil if the entity lacks one of the attributes.
  init?(_ names: [String], of entity: Int, in catalog: Catalog) {
    var maker = PlanMaker(entity, in: catalog)
    do {
      for name in names { try maker.add(SortKey(path: [name])) }
    } catch { return nil }
    self.names = names
    parts = maker.orderParts
    plan = maker.plan
  }

  /// Returns whether the index covers all layouts that rows may have.
  func fits(_ catalog: Catalog) -> Bool { plan.fits(catalog) }

  /// Returns the rows of a state in the order of the index. Returns nil if rows cannot be read, or
  /// if an older or unsaved state differs too much.
  ///
  /// - Complexity: O(1) for a state that the index contains. Advancing is O(*p* + *k* log *n*): *p*
  ///   pages of records that the two states do not share, and *k* different rows. O(*n* log *n*) to
  ///   build the index.
  func snapshot(of state: FrozenState) -> ResultSnapshot? {
    versions.withLock { versions in
      // Rows that cannot be read have no keys.
      guard state.memory.damage == nil else {
        versions = Versions()
        return nil
      }
      move(&versions, to: state)
      for version in [versions.main, versions.branch] {
        if let version, version.state === state { return version.snapshot }
      }
      return nil
    }
  }

  /// Advances one of the versions to a state, if the state is near.
  ///
  /// A state with unsaved changes, or with transactions in flight, is never the main version: if a
  /// transaction fails, a later one can have its number and its offset. The main version is then
  /// advanced to the published state before these changes, so that all contexts share its work.
  private func move(_ versions: inout Versions, to state: FrozenState) {
    if versions.main?.state === state || versions.branch?.state === state { return }
    if let published = state.space.isFork ? state.published : state {
      moveMain(&versions, to: published)
    }
    if versions.main?.state === state { return }
    if let branch = versions.branch, branch.state.space === state.space, isNear(branch, to: state) {
      branch.advance(to: state)
    } else if let main = versions.main, main.state.isOfSameStore(as: state) {
      if isNear(main, to: state) {
        let branch = Projection(copying: main)
        branch.advance(to: state)
        versions.branch = branch
      }
    } else {
      versions = Versions(branch: build(state))
    }
  }

  /// Advances the main version to a published state, unless it is newer.
  private func moveMain(_ versions: inout Versions, to state: FrozenState) {
    guard let main = versions.main, main.state.isOfSameStore(as: state) else {
      versions = Versions(main: build(state))
      return
    }
    if state.sequence < main.state.sequence || state === main.state { return }
    if isNear(main, to: state) {
      main.advance(to: state)
    } else {
      versions = Versions(main: build(state))
    }
  }

  private func build(_ state: FrozenState) -> Projection {
    state.catalog.fetches.recordIndexBuild()
    return Projection(plan, of: state)
  }

  /// Returns whether it is cheaper to advance a version to a state than to build it again.
  private func isNear(_ version: Projection, to state: FrozenState) -> Bool {
    var count = 0
    for entity in plan.entities {
      state.forEachDifference(in: entity, from: version.state) { _, _, _ in count += 1 }
    }
    return count <= max(1024, version.order.count / 8)
  }
}

/// The indexes of one store that were used.
final class DeclaredIndexes: Sendable {
  // Shared state: each is guarded by its mutex, which is not held while an index is built.
  private let indexes = Mutex<[Name: DeclaredIndex]>([:])
  private let wordIndexes = Mutex<[Name: WordIndex]>([:])

  private struct Name: Hashable {
    var entity: Int
    var names: [String]
  }

  /// Returns the indexes that record types declare for an entity, without those whose attributes
  /// the entity lacks. The result is empty after the store is released.
  static func indexes(of entity: Int, in catalog: Catalog) -> [DeclaredIndex] {
    let declared = catalog.types.indexes(of: catalog.names[entity])
    guard !declared.isEmpty, let all = catalog.attachment.object({ DeclaredIndexes() }) else {
      return []
    }
    return declared.compactMap { all.index($0, of: entity, in: catalog) }
  }

  /// Returns the index of the words in an attribute that a record type declares as searchable. The
  /// result is nil if the entity lacks the attribute, and after the store is released.
  static func words(in name: String, of entity: Int, in catalog: Catalog) -> WordIndex? {
    guard let all = catalog.attachment.object({ DeclaredIndexes() }) else { return nil }
    return all.wordIndexes.withLock { indexes in
      let key = Name(entity: entity, names: [name])
      if let known = indexes[key], known.fits(catalog) { return known }
      let made = WordIndex(name, of: entity, in: catalog)
      indexes[key] = made
      return made
    }
  }

  private func index(_ names: [String], of entity: Int, in catalog: Catalog) -> DeclaredIndex? {
    indexes.withLock { indexes in
      let name = Name(entity: entity, names: names)
      if let known = indexes[name], known.fits(catalog) { return known }
      let made = DeclaredIndex(names, of: entity, in: catalog)
      indexes[name] = made
      return made
    }
  }
}
