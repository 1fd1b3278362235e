extension Verb {
  /// The command with a pager, and with the option that turns it off.
  var paged: Verb {
    var verb = self
    verb.isPaged = true
    verb.flags.append(Verb.noPager)
    return verb
  }

  fileprivate static let noPager = Flag(
    name: "--no-pager", value: nil, summary: "do not show long output with a pager")
}

extension Pager {
  /// Creates the pager of a command.
  ///
  /// - Returns: nil if the command has no pager, the user wants none, or standard output is no
  ///   terminal.
  convenience init?(for invocation: Invocation) {
    let terminal = invocation.terminal
    // A film shows its pictures itself.
    let isFilm = invocation.value("--delay") != nil || invocation.has("--step")
    guard invocation.verb.isPaged, terminal.isScreen, !isFilm,
      !invocation.has(Verb.noPager.name), let command = Pager.command
    else { return nil }
    self.init(command, on: terminal)
  }
}
