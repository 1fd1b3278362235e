/// The completion script for fish.
enum FishCompletion {
  static func script(of verbs: [Verb]) -> String {
    let valued = verbs.compactMap { verb in
      let names = verb.flags.filter { $0.value != nil }.map(\.name)
      return names.isEmpty
        ? nil : "    case \(verb.name)\n      set valued \(names.joined(separator: " "))"
    }
    return """
      # Completes the arguments of daybook in fish. Printed by: daybook completions fish

      # Succeeds if the command is the first argument and, with a second one, if it has that number of arguments.
      function __daybook_is_at
        set -l words (commandline -opc)
        set -q words[2]; and test "$words[2]" = $argv[1]; or return 1
        set -q argv[2]; or return 0
        test (count (__daybook_arguments)) -eq $argv[2]
      end

      # The arguments of the command, without options and their values.
      function __daybook_arguments
        set -l words (commandline -opc)
        set -l valued
        set -q words[2]; or return
        switch $words[2]
      \(valued.joined(separator: "\n"))
        end
        set -l over 0
        set -l passes 0
        for word in $words[3..-1]
          if test $passes -eq 1
            set passes 0
          else if test $over -eq 1
            echo -- $word
          else if test "$word" = --
            set over 1
          else if contains -- "$word" $valued
            set passes 1
          else if not string match -q -- '-?*' "$word"
            echo -- $word
          end
        end
      end

      # The entities of the journal that was named, if it is a file.
      function __daybook_entities
        set -l words (commandline -opc)
        set -l arguments (__daybook_arguments)
        set -q arguments[1]; or return
        set -l journal (string replace -r '^~/' "$HOME/" -- $arguments[1])
        test -f "$journal"; or return
        set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
        command $program completions fish "$journal" 2>/dev/null
      end

      complete -c daybook -e
      complete -c daybook -f
      complete -c daybook -n __fish_is_first_token -l help -d 'describe the tool'
      complete -c daybook -n __fish_is_first_token -l version -d 'print the version'
      \(verbs.map { name(of: $0, if: "__fish_is_first_token") }.joined(separator: "\n"))
      \(verbs.map { words(of: $0, among: verbs) }.joined(separator: "\n"))
      """
  }

  private static func name(of verb: Verb, if condition: String) -> String {
    "complete -c daybook -n \(condition) -a \(verb.name) -d \(quoted(verb.summary))"
  }

  /// Returns the completions of a command's arguments and options.
  private static func words(of verb: Verb, among verbs: [Verb]) -> String {
    var lines: [String] = []
    for (index, argument) in verb.arguments.enumerated() {
      let condition = quoted("__daybook_is_at \(verb.name) \(index)")
      if argument.kind == .verb {
        lines += verbs.map { name(of: $0, if: condition) }
      } else if let action = action(argument.kind, choices: argument.choices) {
        lines.append("complete -c daybook -n \(condition) \(action)")
      }
    }
    let condition = quoted("__daybook_is_at \(verb.name)")
    for flag in verb.flags {
      let name = flag.isShort ? "-s \(flag.name.dropFirst())" : "-l \(flag.name.dropFirst(2))"
      var line = "complete -c daybook -n \(condition) \(name)"
      if let kind = flag.kind { line += " -r \(action(kind, choices: flag.choices) ?? "-f")" }
      lines.append(line + " -d \(quoted(flag.summary))")
    }
    lines.append("complete -c daybook -n \(condition) -l help -d 'describe the command'")
    return lines.joined(separator: "\n")
  }

  private static func action(_ kind: Verb.Kind, choices: [String]) -> String? {
    guard choices.isEmpty else { return "-f -a \(quoted(choices.joined(separator: " ")))" }
    return switch kind {
    case .file: "-F"
    case .entity: "-f -a '(__daybook_entities)'"
    case .verb, .filter, .keys, .moment, .other: nil
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
