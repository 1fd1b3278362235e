/// A small program that plays a story.
struct Example: Sendable {
  /// The name on the command line.
  let name: String
  /// A description in one line.
  let summary: String
  /// Plays the example.
  let play: @Sendable (Stage) throws -> Void

  init(_ name: String, summary: String, play: @escaping @Sendable (Stage) throws -> Void) {
    self.name = name
    self.summary = summary
    self.play = play
  }
}
