extension Invocation {
  /// The command as it was typed, with another word in one place.
  func command(at place: Int, _ word: String) -> String {
    var words = words
    words[place] = word
    return ShellText.command([verb.name] + words)
  }

  /// The command with what was meant where something else was written; nil if that is not found.
  func command(_ correction: Correction) -> String? {
    var words = words
    var isFound = false
    for (name, kind) in verb.kinds {
      guard let place = places[name], let old = arguments[name] ?? values[name],
        let new = correction.applied(to: old, kind)
      else { continue }
      // A value may stand in one word with its flag.
      words[place] = words[place] == old ? new : "\(name)=\(new)"
      isFound = true
    }
    // What was typed would not do better a second time.
    return isFound && words != self.words ? ShellText.command([verb.name] + words) : nil
  }
}

extension ToolError {
  /// With the command that was meant as advice, if there is no other.
  func advised(by invocation: Invocation) -> ToolError {
    guard advice == nil, let correction else { return self }
    var error = self
    error.advice = invocation.command(correction)
    return error
  }
}

extension Correction {
  /// A word with what was meant in it; nil if it has nothing of what was written.
  fileprivate func applied(to word: String, _ kind: Verb.Kind) -> String? {
    switch (place, kind) {
    case (.entity, .entity), (.moment, .moment): return word == written ? meant : nil
    case (.key, .keys):
      var isFound = false
      let parts = parts(of: word).map { part in
        guard part == written else { return String(part) }
        isFound = true
        return meant
      }
      return isFound ? parts.joined() : nil
    case (.filter(let column), .filter):
      let scalars = word.unicodeScalars
      guard column > 0, column <= scalars.count else { return nil }
      let begin = scalars.index(scalars.startIndex, offsetBy: column - 1)
      guard scalars[begin...].starts(with: written.unicodeScalars) else { return nil }
      let end = scalars.index(begin, offsetBy: written.unicodeScalars.count)
      return String(scalars[..<begin]) + meant + String(scalars[end...])
    default: return nil
    }
  }

  /// The names of keys, and the signs between them.
  private func parts(of word: String) -> [Substring] {
    var parts: [Substring] = []
    var begin = word.startIndex
    for index in word.indices where ",.:=".contains(word[index]) {
      parts += [word[begin..<index], word[index...index]]
      begin = word.index(after: index)
    }
    return parts + [word[begin...]]
  }
}
