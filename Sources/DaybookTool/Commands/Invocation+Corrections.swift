extension Invocation {
  /// Returns the command line as the user typed it, but with one word replaced.
  func command(at index: Int, _ word: String) -> String {
    var words = words
    words[index] = word
    return ShellText.command([verb.name] + words)
  }

  /// Returns the command line as the user typed it, but with a mistake corrected. Returns nil if no
  /// word contains the mistake.
  func command(_ correction: Correction) -> String? {
    var words = words
    var isFound = false
    for (name, kind) in verb.kinds {
      guard let index = wordIndexes[name], let old = arguments[name] ?? values[name],
        let new = correction.applied(to: old, kind)
      else { continue }
      // An option and its value may be one word, for example `--at=5`.
      words[index] = words[index] == old ? new : "\(name)=\(new)"
      isFound = true
    }
    // If the correction changes nothing, the command would fail again, so it is not suggested.
    return isFound && words != self.words ? ShellText.command([verb.name] + words) : nil
  }
}

extension ToolError {
  /// Returns the error with the corrected command as its advice. If the error already has advice,
  /// the method returns it unchanged.
  func advised(by invocation: Invocation) -> ToolError {
    guard advice == nil, let correction else { return self }
    var error = self
    error.advice = invocation.command(correction)
    return error
  }
}

extension Correction {
  /// Returns a word with the mistake corrected; nil if the word does not contain the mistake.
  fileprivate func applied(to word: String, _ kind: Verb.Kind) -> String? {
    switch (subject, kind) {
    case (.entity, .entity), (.moment, .moment): return word == written ? meant : nil
    case (.key, .keys):
      var isFound = false
      let parts = parts(of: word).map { part in
        guard part == written || KeyText.name(part) == written else { return String(part) }
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

  /// Splits a list of keys into names and separators. For example, `a,b.c` gives `a`, `,`, `b`, `.`
  /// and `c`.
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
