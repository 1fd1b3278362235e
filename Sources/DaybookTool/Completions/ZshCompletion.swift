/// The completion script for zsh.
enum ZshCompletion {
  static func script(of verbs: [Verb]) -> String {
    """
    #compdef daybook
    # Completes the arguments of daybook in zsh. Printed by: daybook completions zsh

    _daybook() {
      local curcontext=$curcontext state ret=1
      local -a line verbs
      local -A opt_args
      verbs=(
    \(verbs.map { "    " + item(of: $0) }.joined(separator: "\n"))
      )
      _arguments -C \\
        '(- *)--help[describe the tool]' \\
        '(- *)--version[print the version]' \\
        '1: :->verb' '*:: :->rest' && ret=0
      case $state in
        verb) _describe -t commands command verbs && ret=0 ;;
        rest)
          local verb=$line[1] program=$_comp_command
          curcontext=${curcontext%:*}-$verb:
          case $verb in
    \(verbs.map { "        " + `case`(of: $0) }.joined(separator: "\n"))
          esac
          case $state in
            entity) _daybook_entities "$program" "${line[1]}" && ret=0 ;;
            verb) _describe -t commands command verbs && ret=0 ;;
          esac
          ;;
      esac
      return ret
    }

    # The entities of a journal, if it is a file.
    _daybook_entities() {
      local journal=${(Q)2}
      journal=${journal/#\\~\\//$HOME/}
      [[ -f $journal ]] || return 1
      local -a entities
      entities=(${(f)"$(_call_program entities ${(q)1} completions zsh ${(q)journal} 2> /dev/null)"})
      compadd -a entities
    }

    if [[ $funcstack[1] == _daybook ]]; then
      _daybook "$@"
    else
      compdef _daybook daybook
    fi
    """
  }

  /// Returns the name and the summary of a command, as an item of zsh's list of commands.
  private static func item(of verb: Verb) -> String {
    quoted("\(escaped(verb.name)):\(escaped(verb.summary))")
  }

  /// Returns the branch that completes a command's own arguments and options.
  private static func `case`(of verb: Verb) -> String {
    let flags =
      verb.flags.map { flag in
        let value = flag.value.map {
          ":\(message($0)):\(action(Verb.Kind($0), choices: flag.choices))"
        }
        let name = flag.name + (value == nil || flag.isShort ? "" : "=")
        return quoted("\(name)[\(escaped(flag.summary))]\(value ?? "")")
      } + [quoted("(- *)--help[describe the command]")]
    let arguments = verb.arguments.enumerated().map { index, argument in
      quoted(
        (argument.isRepeated ? "*" : "\(index + 1)")
          + ":\(argument.isOptional ? ":" : "")\(message(argument.name))"
          + ":\(action(argument.kind, choices: argument.choices))")
    }
    let words = (flags + arguments).joined(separator: " \\\n            ")
    return """
      \(verb.name))
                _arguments -C -S \\
                  \(words) && ret=0
                ;;
      """
  }

  private static func action(_ kind: Verb.Kind, choices: [String]) -> String {
    guard choices.isEmpty else { return "(\(choices.joined(separator: " ")))" }
    return switch kind {
    case .file: "_files"
    case .entity: "->entity"
    case .verb: "->verb"
    case .filter, .keys, .moment, .other: " "
    }
  }

  /// Returns the text that zsh shows for a missing value. In this text, zsh treats only colons as
  /// separators, so only colons are escaped.
  private static func message(_ text: String) -> String { text.replacing(":", with: "\\:") }

  /// Returns a text with escapes for all characters that zsh treats as separators.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if "\\:[]".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.escaping("'", as: "'\\''") + "'"
  }
}
