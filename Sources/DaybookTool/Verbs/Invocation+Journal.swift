extension Invocation {
  /// Opens the journal that was named.
  func openJournal() throws -> OpenJournal {
    let journal = try OpenJournal(self["JOURNAL"])
    trouble.complaint = journal.complaint.map { ($0, journal.status) }
    return journal
  }

  /// Refuses a text where a journal file is changed.
  func refuseText() throws(ToolError) {
    let name = self["JOURNAL"]
    guard OpenJournal.text(name) != nil else { return }
    let text = name == "-" ? "standard input" : name
    let stem = name.hasSuffix(".jsonl") ? String(name.dropLast(".jsonl".utf8.count)) : name
    throw ToolError(
      .misunderstood,
      sentence:
        "'\(verb.name)' changes a journal file, and \(text) is a text journal. Import it first.",
      advice: ShellText.command(
        ["import", name, (name == "-" ? "new" : stem) + ".daybook"]))
  }

  /// Says what is the matter with a journal, behind what was found in it.
  func end(with journal: OpenJournal) throws -> ExitStatus {
    if let complaint = journal.complaint {
      try output.flush()
      Complaint.write(complaint)
    }
    return journal.status
  }
}
