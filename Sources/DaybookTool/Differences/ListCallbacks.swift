import Daybook

extension RecordDifference {
  /// The calls that a delegate of the list receives, a line each.
  var callbackLines: [String] {
    if isEmpty { return [] }
    var lines = ["willChange"]
    lines += insertedSections.map { "section insert \(text(of: $0))" }
    lines += deleted.map { "delete \($0.indexPath) \(IdentifierText.text(of: $0.id))" }
    lines += inserted.map { "insert \($0.indexPath) \(IdentifierText.text(of: $0.id))" }
    lines += moved.map { "move \(text(of: $0))" }
    lines += updated.map { "update \(text(of: $0))" }
    lines += deletedSections.map { "section delete \(text(of: $0))" }
    return lines + ["didChange"]
  }

  private func text(of section: Section) -> String {
    "\(section.index) \(ValueText.json(of: .string(section.name)))"
  }

  private func text(of change: Change) -> String {
    "\(change.indexPath) -> \(change.newIndexPath) \(IdentifierText.text(of: change.id))"
  }
}
