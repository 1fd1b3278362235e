/// Everything that is wrong with a journal, not only the first thing.
///
/// ```swift
/// let summary = try Verification.verify("banks.daybook") { print($0) }
/// if summary.complaintCount == 0 { print("OK") }
/// ```
///
/// It opens read-only and never changes a byte. Behind a break it looks for the next frame whose
/// header's check holds and goes on from there, so that a journal with two damaged places has two
/// complaints, and the summary tells what can be read between them.
public enum Verification {
  /// Reads a journal from end to end and reports every complaint as it is found.
  ///
  /// - Parameter complain: Called for each complaint, in the order of the file.
  /// - Throws: ``JournalError`` if the file cannot be opened or read. What is wrong with a file
  ///   that can be read is a complaint, not an error.
  /// - Complexity: O(*n*) in the size of the file, in constant memory
  public static func verify(
    _ path: String, on disk: any Disk = SystemDisk(), clock: any JournalClock = MachineClock(),
    complain: (Complaint) -> Void
  ) throws(JournalError) -> VerificationSummary {
    try verify(path, on: disk, clock: clock, progress: nil, complain: complain)
  }

  /// The same, with somebody who is told how far it is.
  package static func verify(
    _ path: String, on disk: any Disk = SystemDisk(), clock: any JournalClock = MachineClock(),
    progress: ReadingProgress?, complain: (Complaint) -> Void
  ) throws(JournalError) -> VerificationSummary {
    let place = try JournalPlace(path, on: disk)
    let opened = try JournalOpening.open(place, for: .reading, on: disk)
    return try JournalError.translating(path) { () throws(DiskError) in
      // A journal that is being verified is not trusted, and so not mapped.
      let file = try JournalFile(opened, reading: .copied)
      let hasDerivedFiles = try place.hasDerivedFiles(on: disk)
      let verdict = try JournalReader.decide(
        file, hasDerivedFiles: hasDerivedFiles, progress: progress)
      // Frames of a writer at work that are not committed yet are not a torn tail.
      let isBeingWritten = opened.isLocked
      return try withoutActuallyEscaping(complain) { (complain) throws(DiskError) in
        var run = VerificationRun(
          path: path, file: file, isBeingWritten: isBeingWritten, now: clock.now,
          steps: progress?.steps(.reading, of: file.byteCount), complain: complain)
        return try run.run(verdict)
      }
    }
  }
}
