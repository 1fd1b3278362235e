import DaybookEssentials

/// The error of a batch of updates that breaks a rule of a table view. `UITableView` would end the
/// program.
public struct TableViewError: Error, Hashable, Sendable {
  /// The rule that a batch breaks.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// An update refers to a section that does not exist before the batch or after the batch.
    case noSection(Int, count: Int, isBefore: Bool)
    /// An update refers to a row that does not exist before the batch or after the batch.
    case noRow(IndexPath, count: Int, isBefore: Bool)
    /// Two updates of one batch refer to the same row or section.
    case twice(String)
    /// An update moves a row from a section that the batch deletes.
    case moveFromDeletedSection(IndexPath)
    /// An update moves a row to a section that the batch inserts.
    case moveToInsertedSection(IndexPath)
    /// The number of sections differs from the number that results from the updates.
    case sectionCount(before: Int, after: Int, inserted: Int, deleted: Int)
    /// The number of rows of a section differs from the number that results from the updates.
    case rowCount(
      section: Int, before: Int, after: Int, inserted: Int, deleted: Int, movedIn: Int,
      movedOut: Int)
  }

  /// The rule that the batch breaks.
  public let reason: Reason

  init(_ reason: Reason) { self.reason = reason }
}

extension TableViewError: CustomStringConvertible {
  /// A sentence that is similar to the message of `UITableView`.
  public var description: String {
    switch reason {
    case .noSection(let section, let count, let isBefore):
      "section \(section) is not there \(TableViewError.when(isBefore)), of \(count) sections."
    case .noRow(let path, let count, let isBefore):
      """
      row \(path.map { "\($0)" }.joined(separator: ", ")) is not there \
      \(TableViewError.when(isBefore)), of \(count) rows in the section.
      """
    case .twice(let what): "two updates in one batch are about \(what)."
    case .moveFromDeletedSection(let path):
      "cannot move an item from a deleted section (\(path[0]))."
    case .moveToInsertedSection(let path):
      "cannot move an item into a newly inserted section (\(path[0]))."
    case .sectionCount(let before, let after, let inserted, let deleted):
      """
      invalid number of sections: the number of sections after the update (\(after)) must be equal \
      to the number of sections before the update (\(before)), plus or minus the number of sections \
      inserted or deleted (\(inserted) inserted, \(deleted) deleted).
      """
    case .rowCount(
      let section, let before, let after, let inserted, let deleted, let movedIn, let movedOut):
      """
      invalid number of rows in section \(section): the number of rows in an existing section after \
      the update (\(after)) must be equal to the number of rows in it before the update (\(before)), \
      plus or minus the number of rows inserted or deleted (\(inserted) inserted, \(deleted) \
      deleted) and plus or minus the number of rows moved into or out of it (\(movedIn) moved in, \
      \(movedOut) moved out).
      """
    }
  }

  private static func when(_ isBefore: Bool) -> String {
    isBefore ? "before the updates" : "after the updates"
  }
}
