@_spi(Tools) import DaybookStore

/// The title of a report and the description of its list.
struct ReportHeading {
  /// The name of the entity.
  let entity: String
  /// The name of the journal, without its directory.
  let journal: String
  /// The options that describe the list, with their values as the user typed them.
  let options: [(label: String, value: String)]

  var title: String { "\(entity) in \(journal)" }

  func write(to writer: inout JSONWriter) {
    writer.key("entity")
    writer.write(entity)
    writer.key("journal")
    writer.write(journal)
  }
}

extension ReportHeading {
  /// Creates the heading for the options of a command line.
  init(_ invocation: Invocation, entity: String, journal: String) {
    self.entity = DisplayWidth.shown(entity)
    self.journal = DisplayWidth.shown(
      journal.split(separator: "/").last.map(String.init) ?? journal)
    options = [
      ("where", "--where"), ("sorted by", "--sort"), ("sections by", "--section-by"),
      ("limit", "--limit"), ("offset", "--offset"), ("from", "--from"), ("to", "--to"),
    ].compactMap { label, flag in
      invocation.value(flag).map { (label: label, value: DisplayWidth.shown($0)) }
    }
  }
}
