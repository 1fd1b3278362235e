import DaybookEssentials

/// A batch of updates that breaks the rules of a table view. In `UITableView` it would end the
/// program.
public struct TableViewError: Error, Hashable, Sendable {
  /// The rule that a batch breaks.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// A section does not exist before the batch, or after it.
    case noSection(Int, count: Int, isBefore: Bool)
    /// A row does not exist before the batch, or after it.
    case noRow(IndexPath, count: Int, isBefore: Bool)
    /// Two updates of one batch name one row or section.
    case twice(String)
    /// A row moves out of a section that is deleted.
    case moveFromDeletedSection(IndexPath)
    /// A row moves into a section that is inserted.
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
  /// A sentence like the message that `UITableView` prints before it ends the program.
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
