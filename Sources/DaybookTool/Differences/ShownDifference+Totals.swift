import Daybook
@_spi(Tools) import DaybookStore

extension ShownDifference {
  /// The scopes whose totals changed, each with its changes, in order.
  private var changedTotals: [[RecordDifference.TotalChange]] {
    var scopes: [[RecordDifference.TotalChange]] = []
    for change in difference.changedTotals {
      if scopes.last?[0].scope == change.scope {
        scopes[scopes.count - 1].append(change)
      } else {
        scopes.append([change])
      }
    }
    return scopes
  }

  /// Writes the totals that changed, if the list has totals.
  func writeTotals(to writer: inout JSONWriter) {
    if difference.after.totals.isEmpty { return }
    writer.key("totals")
    writer.beginArray()
    for changes in changedTotals {
      writer.beginArray()
      switch changes[0].scope {
      case .list: writer.writeNull()
      case .all: writer.write("all")
      case .section(let section):
        writer.beginArray()
        writer.write(section.index)
        writer.write(section.name)
        writer.endArray()
      }
      writer.beginObject()
      for change in changes {
        writer.key(change.measure.name)
        writer.beginArray()
        writer.write(change.old ?? .null)
        writer.write(change.new)
        writer.endArray()
      }
      writer.endObject()
      writer.endArray()
    }
    writer.endArray()
  }

  /// The totals that changed as lines of text, as in `= list sum:amount 3 -> 5`.
  var totalLines: [String] {
    changedTotals.flatMap { changes in
      changes.map { change in
        let scope =
          switch change.scope {
          case .list: "list"
          case .all: "all"
          case .section(let section):
            "section \(section.index) \(ValueText.json(of: .string(section.name)))"
          }
        let (old, new) = (change.old ?? .null, change.new)
        return "= \(scope) \(change.measure.name) \(ShownTotals.cell(old)) -> "
          + ShownTotals.cell(new)
      }
    }
  }
}
