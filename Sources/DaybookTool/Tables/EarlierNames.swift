import Daybook
@_spi(Tools) import DaybookStore

extension OpenJournal {
  /// Prints a sentence if columns had different names at an earlier moment.
  ///
  /// A list has the newest names at every moment. So a filter, a sort key and a choice of columns
  /// mean the same in the whole history. An export has the names of its moment.
  func explainNames(
    of columns: ListColumns, at sequence: SequenceNumber, for invocation: Invocation
  ) throws {
    let entity = columns.entity
    // The history of the schema requires a pass over the journal. So it is read only for an entity
    // with renamed attributes.
    guard sequence < store.snapshot.sequence,
      entity.attributes.contains(where: { $0.earlierName != nil })
    else { return }
    let changes = try reading { try store.schemaChanges() }
    let earlier = ExportedEntity(entity, at: sequence, changes: changes)
    let renamed = earlier.columns.filter {
      let name = entity.attributes[$0.index].name
      return name != $0.name && columns.names.contains(name)
    }
    guard !renamed.isEmpty else { return }
    try invocation.output.flush()
    let names = renamed.map { "\(entity.attributes[$0.index].name) was \($0.name)" }
    StandardError.write(
      "the columns have their newest names; after transaction \(sequence), "
        + "\(names.joined(separator: ", ")).")
  }
}
