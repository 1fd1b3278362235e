/// An error of the tool: a sentence, the exit status, and possibly a command that the user can try.
struct ToolError: Error, Hashable {
  /// The exit status of the process.
  var status: ExitStatus
  /// The description of the error, as a sentence.
  var sentence: String
  /// The lines with the text that the user typed, and a caret below the error; empty if the
  /// sentence is enough.
  var picture: [String] = []
  /// A command that the user can paste; nil if no command helps.
  var advice: String?
  /// The correction of the mistake; nil if it is not known. If the error has no advice, the
  /// corrected command becomes the advice.
  var correction: Correction?

  init(
    _ status: ExitStatus, sentence: String, advice: String? = nil, correction: Correction? = nil
  ) {
    self.status = status
    self.sentence = sentence
    self.advice = advice
    self.correction = correction
  }

  /// Replaces a path in the texts, for example the path of a temporary file.
  mutating func replace(_ path: String, with name: String) {
    sentence = sentence.replacing(path, with: name)
    advice = advice?.replacing(path, with: name)
  }
}

/// The exit status of the process.
enum ExitStatus: Int32, Sendable, CaseIterable {
  /// The command succeeded. A torn end of the journal is a problem only for `verify`.
  case done = 0
  /// The journal has a problem: it is damaged, or its text is invalid.
  case problem = 1
  /// The command is invalid: its name, an option, an entity, an attribute, a filter or a moment.
  case usage = 2
  /// The system refused an operation: permission, disk, lock.
  case refused = 3
  /// The journal refused a change: a conflict, a rule of the schema, or the option `--expect`.
  case declined = 4
}
