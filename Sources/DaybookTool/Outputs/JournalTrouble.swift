import DaybookJournal

/// The problems that a command found when it opened its journal.
///
/// If a command does not find a name, such as an entity, the name may be in a lost part of a
/// damaged journal. Therefore the problems are reported before such an error.
//
// The type is a class, so that the function that opens the journal and the code that ends the
// command share one instance.
final class JournalTrouble {
  /// The text about the problems, and the exit status for them; nil if there are no problems.
  var problem: (text: String, status: ExitStatus)?
  /// A function that returns the damage that the command has found before the checkpoint of its
  /// journal; nil if it has found none.
  var checkpointDamage: () -> JournalError? = { nil }
  /// A Boolean value that indicates whether the command reads the whole journal, because the part
  /// before the checkpoint is damaged.
  var readsFullJournal = false

  /// Prints the problems if an error of the command may be their result, and returns the error. The
  /// returned error then has the exit status of the problems, unless that status is `done`.
  func reported(with error: ToolError) -> ToolError {
    guard error.status == .usage, let problem else { return error }
    StandardError.write(problem.text)
    var error = error
    if problem.status != .done { error.status = problem.status }
    return error
  }
}
