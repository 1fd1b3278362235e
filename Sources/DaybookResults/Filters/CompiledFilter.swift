import DaybookJournal
import DaybookStore

/// A filter for the rows of one entity: no name is left in it, and no record is built to ask it.
package struct CompiledFilter: Sendable {
  /// The entity whose rows it is asked of.
  package let entity: Int
  /// What it reads, each path once, in the order of the filter.
  package let reads: [PathRead]
  private let check: FilterCheck

  init(_ check: FilterCheck, entity: Int, reads: [PathRead]) {
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
