import DaybookPlatform

/// What happens when somebody cuts a file short while the tool reads it.
///
/// Journals are mapped, so that those can be read that are larger than memory. What was cut off cannot be
/// read any more, not even as an error: the system ends whoever tries. Daybook itself never makes a journal
/// shorter; other programs can.
enum ShortenedJournal {
  /// From now on the tool says what has happened before it ends.
  static func expect() {
    Signals.exitOnBusError(
      message: "the journal was cut short by another program while it was read. Read it again.\n",
      status: ExitStatus.problem.rawValue)
  }
}
