import DaybookPlatform

/// The reaction to a file that another program truncates while the tool reads it.
///
/// Journals are mapped, so that the tool can read journals that are larger than memory. An access
/// to a page of the mapping beyond the new end of the file raises a bus error, which ends the
/// process. Daybook itself never shortens a journal; other programs can.
enum ShortenedJournal {
  /// Installs a signal handler that prints a message before the process exits.
  static func expect() {
    Signals.exitOnBusError(
      message:
        "another program cut the journal short while it was being read. Run the command again.\n",
      status: ExitStatus.problem.rawValue)
  }
}
