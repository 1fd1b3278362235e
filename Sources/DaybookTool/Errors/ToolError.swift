/// An error of the tool: a sentence, a command to try, and the exit status.
struct ToolError: Error, Hashable {
  /// The exit status of the process.
  var status: ExitStatus
  /// The description of the error.
  var sentence: String
  /// The typed text, and below it a caret at the error; empty if the sentence is enough.
  var picture: [String] = []
  /// A command that can be pasted, or nil if none would help.
  var advice: String?
  /// The correction of the mistake, where it is known. The advice is then the corrected command,
  /// unless the error already has advice.
  var correction: Correction?

  init(
    _ status: ExitStatus, sentence: String, advice: String? = nil, correction: Correction? = nil
  ) {
    self.status = status
    self.sentence = sentence
    self.advice = advice
    self.correction = correction
  }
}

/// The exit status of the process.
enum ExitStatus: Int32, Sendable, CaseIterable {
  /// The command succeeded. A torn tail is not a problem.
  case done = 0
  /// The journal has a problem: it is damaged, or its text is invalid.
  case problem = 1
  /// The command is invalid: its name, an option, an entity, an attribute, a filter or a moment.
  case misunderstood = 2
  /// The system refused an operation: permission, disk, lock.
  case refused = 3
}
