extension Verb {
  /// The kind of an argument or of an option's value. Shell completions and the correction of
  /// mistakes use it.
  ///
  /// The placeholder in a command's declaration determines the kind. Therefore a placeholder must
  /// have the same meaning in every command.
  enum Kind: Hashable, Sendable {
    case file, entity, filter, keys, moment, verb, other

    init(_ name: String) {
      switch name {
      case "JOURNAL", "TEXT", "NEW", "FILE": self = .file
      case "ENTITY", "E": self = .entity
      case "F": self = .filter
      case "T": self = .moment
      case "COMMAND": self = .verb
      case "a,b.c": self = .keys
      default: self = name.hasPrefix("KEY") ? .keys : .other
      }
    }
  }

  /// The names and kinds of all arguments, and of all options that take a value.
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
  /// The kind of the value; nil if the option takes no value.
  var kind: Verb.Kind? { value.map { Verb.Kind($0) } }
}
