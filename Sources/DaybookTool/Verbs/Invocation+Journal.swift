extension Invocation {
  /// Opens the journal that was named.
  func openJournal() throws -> OpenJournal {
    let journal = try OpenJournal(self["JOURNAL"])
    trouble.complaint = journal.complaint.map { ($0, journal.status) }
    return journal
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
