/// An example: a small program that performs a sequence of actions, and prints each action and its
/// effects.
struct Example: Sendable {
  /// The name on the command line.
  let name: String
  /// A description in one line.
  let summary: String
  /// A closure that runs the example.
  let play: @Sendable (Stage) throws -> Void

  init(_ name: String, summary: String, play: @escaping @Sendable (Stage) throws -> Void) {
    self.name = name
    self.summary = summary
    self.play = play
  }
}
