/// An example: a small program that performs a sequence of actions, and prints each action and its
/// effects.
struct Example: Sendable {
  /// The name on the command line.
  let name: String
  /// A description in one line.
  let summary: String
  /// A Boolean value that indicates whether the journal is identical in every run. It is not if
  /// identifiers are random, or if the order of transactions depends on threads.
  let repeatsJournal: Bool
  /// A closure that runs the example.
  let play: @Sendable (Stage) async throws -> Void

  /// Creates an example that saves with calls that block its thread.
  init(_ name: String, summary: String, play: @escaping @Sendable (Stage) throws -> Void) {
    self.name = name
    self.summary = summary
    repeatsJournal = true
    self.play = { try play($0) }
  }

  /// Creates an example that saves with calls that suspend its task.
  init(
    _ name: String, summary: String, repeatsJournal: Bool,
    play: @escaping @Sendable (Stage) async throws -> Void
  ) {
    self.name = name
    self.summary = summary
    self.repeatsJournal = repeatsJournal
    self.play = play
  }
}
