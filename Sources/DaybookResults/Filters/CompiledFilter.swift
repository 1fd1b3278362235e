import DaybookJournal
import DaybookStore

/// A filter for the rows of one entity: no name is left in it, and no record is built to ask it.
package struct CompiledFilter: Sendable {
  /// The entity whose rows it is asked of.
  package let entity: Int
  /// What it reads, each path once, in the order of the filter.
  package let reads: [FilterRead]
  private let check: FilterCheck

  init(_ check: FilterCheck, entity: Int, reads: [FilterRead]) {
    self.check = check
    self.entity = entity
    self.reads = reads
  }

  /// Whether a row matches.
  package func matches(_ row: RowLocation, in frozen: FrozenState) -> Bool {
    frozen.withRow(at: row) { check.answer($0, row, frozen) }
  }

  /// Whether a row matches whose bytes are at hand.
  package func matches(_ bytes: RawSpan, at row: RowLocation, in frozen: FrozenState) -> Bool {
    check.answer(bytes, row, frozen)
  }
}

/// A path that a filter reads: whoever changes a row of one of these attributes may change the answer.
package struct FilterRead: Hashable, Sendable {
  /// A reference that is followed: whether it leads to a record is read too.
  package struct Step: Hashable, Sendable {
    package let entity: Int
    /// Its place in the newest layout.
    package let attribute: Int
    /// The entity that it leads to.
    package let target: Int
    package let isToMany: Bool
  }

  /// The names, as they stand in the filter.
  package let names: [String]
  package let steps: [Step]
  /// The entity in whose rows the value stands, and its place in the newest layout; nil if it is the
  /// identifier.
  package let entity: Int
  package let attribute: Int?
  /// The entity whose records the value refers to: whether they are there is read too.
  package let resolvedEntity: Int?

  init(_ path: ValuePath, in catalog: Catalog) {
    names = path.names
    steps = path.steps.map { Step($0) }
    entity = path.entity
    attribute = path.attribute
    resolvedEntity = ReferenceTarget(path, in: catalog)?.entity
  }

  init(_ path: MembersPath, in catalog: Catalog) {
    let several = FilterRead(path.several, in: catalog)
    guard let members = path.members, let attribute = several.attribute else {
      self = several
      return
    }
    let rest = FilterRead(members.path, in: catalog)
    let step = Step(
      entity: several.entity, attribute: attribute, target: members.entity, isToMany: true)
    names = path.names
    steps = several.steps + [step] + rest.steps
    entity = rest.entity
    self.attribute = rest.attribute
    resolvedEntity = rest.resolvedEntity
  }
}

extension FilterRead.Step {
  fileprivate init(_ step: ValuePath.Step) {
    self.init(
      entity: step.entity, attribute: step.attribute, target: step.target, isToMany: false)
  }
}
