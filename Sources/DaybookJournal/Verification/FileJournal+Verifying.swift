extension FileJournal {
  /// Reads a journal from end to end and reports every complaint, not only the first.
  ///
  /// ```swift
  /// let summary = try FileJournal.verify(at: "banks.daybook") { print($0) }
  /// if summary.complaintCount == 0 { print("OK") }
  /// ```
  ///
  /// The journal is opened read-only, and no byte of it is changed. After a break the verification looks for the
  /// next frame whose header's check holds and continues there. A journal with two damaged places therefore has
  /// two complaints, and the summary contains the ranges that can be read between them.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - options: The disk, the clock and the progress; nothing else is used.
  ///   - complain: A closure that is called with each complaint, in the order of the file.
  /// - Throws: ``JournalError`` if the file cannot be opened or read. What is wrong with a file
  ///   that can be read is a complaint, not an error.
  /// - Complexity: O(*n*) in the size of the file, in constant memory
  public static func verify(
    at path: String, options: JournalOptions = JournalOptions(), complain: (Complaint) -> Void
  ) throws(JournalError) -> VerificationSummary {
    let disk = options.disk
    let place = try JournalPlace(path, on: disk)
    let opened = try JournalOpening.open(place, for: .reading, on: disk)
    return try JournalError.translating(path) { () throws(DiskError) in
      // A journal that is being verified is not trusted, and so not mapped.
      let file = try JournalFile(opened, reading: .copied)
      let verdict = try JournalReader.decide(
        file, at: place, on: disk, progress: options.progress)
      // Frames of a writer at work that are not committed yet are not a torn tail.
      let isBeingWritten = opened.isLocked
      return try withoutActuallyEscaping(complain) { (complain) throws(DiskError) in
        var run = VerificationRun(
          path: path, file: file, isBeingWritten: isBeingWritten, now: options.clock.now,
          steps: options.progress?.steps(.reading, of: file.byteCount), complain: complain)
        return try run.run(verdict)
      }
    }
  }
}
