extension Verb {
  /// What a word of a command is: shells complete it, and mistakes in it are mended, by this.
  ///
  /// It follows from what the word is called where a verb is declared, so that a name means the same
  /// everywhere.
  enum Kind: Hashable, Sendable {
    case file, entity, filter, keys, moment, verb, other

    init(_ name: String) {
      switch name {
      case "JOURNAL", "TEXT", "NEW", "FILE": self = .file
      case "ENTITY", "E": self = .entity
      case "F": self = .filter
      case "T": self = .moment
      case "VERB": self = .verb
      case "a,b.c": self = .keys
      default: self = name.hasPrefix("KEY") ? .keys : .other
      }
    }
  }

  /// What the words behind some names are: arguments, and flags that take a value.
  var kinds: [(name: String, kind: Kind)] {
    arguments.map { ($0.name, $0.kind) }
      + flags.compactMap { flag in
        flag.kind.map { (flag.name, $0) }
      }
  }
}

extension Verb.Argument {
  var kind: Verb.Kind { Verb.Kind(name) }
}

extension Verb.Flag {
  /// Nil if nothing stands behind it.
  var kind: Verb.Kind? { value.map { Verb.Kind($0) } }
}
