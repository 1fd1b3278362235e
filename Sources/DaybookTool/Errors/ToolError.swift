/// Why the tool could not do what it was asked: a sentence, what to try, and how the process ends.
struct ToolError: Error, Hashable {
  /// How the process ends; see ``ExitStatus``.
  var status: ExitStatus
  /// What happened.
  var sentence: String
  /// What was written, and below it a mark where the trouble is; empty if the sentence says it all.
  var picture: [String] = []
  /// A command that can be pasted; nil if there is none that would help.
  var advice: String?
  /// What was meant, where that is known: the advice is the command with it, unless there is another.
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

/// How the process ends.
enum ExitStatus: Int32, Sendable, CaseIterable {
  /// It was done. A torn tail is no problem.
  case done = 0
  /// The journal has a problem: damage, or a text that is none.
  case problem = 1
  /// The command was not understood: a verb, flag, entity, attribute, filter or moment.
  case misunderstood = 2
  /// The system refused: permission, disk, lock.
  case refused = 3
}
