import DaybookPlatform

/// The reaction to the truncation of a journal by a different program while the tool reads the
/// journal.
///
/// The tool maps journals, so that it can read journals that are larger than memory. If a program
/// truncates the file, an access to a page after the new end raises a bus error (`SIGBUS`), which
/// ends the process. Daybook itself never truncates a journal that is open for reading, but other
/// programs can.
enum ShortenedJournal {
  /// Installs a signal handler that prints a message and ends the process with a defined status.
  static func expect() {
    Signals.exitOnBusError(
      message:
        "another program cut the journal short while it was being read. Run the command again.\n",
      status: ExitStatus.problem.rawValue)
  }
}
