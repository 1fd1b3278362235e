extension Invocation {
  /// Says what is the matter with a journal, behind what was found in it.
  func end(with journal: OpenJournal) throws -> ExitStatus {
    if let complaint = journal.complaint {
      try output.flush()
      Complaint.write(complaint)
    }
    return journal.status
  }
}
