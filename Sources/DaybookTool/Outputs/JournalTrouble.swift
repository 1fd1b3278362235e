/// The problems that were found when a command opened its journal.
///
/// A name that a command does not find may belong to the part of the journal that was lost. The
/// problems are therefore reported before such an error.
//
// A class, because the function that opens the journal sets it and the code that ends the command
// reads it.
final class JournalTrouble {
  /// The report of the problems, and the exit status that they cause.
  var problem: (text: String, status: ExitStatus)?

  /// Reports the problems before an error of the command, and returns the error. Its exit status is
  /// that of the problems, if these cause one.
  func reported(with error: ToolError) -> ToolError {
    guard error.status == .misunderstood, let problem else { return error }
    StandardError.write(problem.text)
    var error = error
    if problem.status != .done { error.status = problem.status }
    return error
  }
}
