/// What was found to be the matter with the journal of a command when it was opened.
///
/// A command that asks for what is not there may ask for what was lost.
//
// A class, as whoever opens the journal leaves it for whoever ends the command.
final class JournalTrouble {
  /// What is to be said of it, and how the process then ends.
  var complaint: (text: String, status: ExitStatus)?

  /// An error of a command, in the light of it.
  func told(with error: ToolError) -> ToolError {
    guard error.status == .misunderstood, let complaint else { return error }
    Complaint.write(complaint.text)
    var error = error
    if complaint.status != .done { error.status = complaint.status }
    return error
  }
}
