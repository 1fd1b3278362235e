import DaybookPlatform

/// The commands of two words, such as `log create`.
enum LogCommands {
  private static let verbs = ["create": CreateLogVerb.verb, "remove": RemoveLogVerb.verb]

  /// Returns a command line with the own name of its command in place of two words; nil if it
  /// contains no such words.
  ///
  /// Without a URL, `log create` prints the log of a journal with the name `create`, if there is
  /// one.
  static func resolved(_ words: [String]) -> [String]? {
    let start = words.first == "help" ? 1 : 0
    guard words.count > start + 1, words[start] == "log", let verb = verbs[words[start + 1]] else {
      return nil
    }
    let rest = words.dropFirst(start + 2)
    guard start == 1 || rest.first?.contains("://") == true || !SystemDisk().exists(words[1])
    else { return nil }
    return words.prefix(start) + [verb.name] + rest
  }
}
