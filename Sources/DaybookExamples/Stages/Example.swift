/// A small program that plays a story, as `daybook-examples` knows it.
struct Example: Sendable {
  /// What it is called on the command line.
  let name: String
  /// What it is about, in a line.
  let summary: String
  /// Plays it.
  let play: @Sendable (Stage) throws -> Void

  init(_ name: String, summary: String, play: @escaping @Sendable (Stage) throws -> Void) {
    self.name = name
    self.summary = summary
    self.play = play
  }
}
