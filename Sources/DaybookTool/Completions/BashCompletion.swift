/// The completion script for bash.
enum BashCompletion {
  static func script(of verbs: [Verb]) -> String {
    let names = verbs.map(\.name).joined(separator: " ")
    return """
      # Completes the arguments of daybook in bash. Printed by: daybook completions bash

      _daybook() {
        local current kept verb flag= journal= over= word line=$COMP_LINE
        local -i index place=0
        local -a words=()
        COMPREPLY=()

        # bash splits words at equals signs and colons; join the parts without blanks between them.
        for ((index = 0; index <= COMP_CWORD; index++)); do
          word=${COMP_WORDS[index]}
          if ((index > 0)) && [[ $line && $line != [[:space:]]* ]]; then
            words[${#words[@]} - 1]+=$word
          else
            line=${line#"${line%%[![:space:]]*}"}
            words+=("$word")
          fi
          line=${line#"$word"}
        done
        current=${words[${#words[@]} - 1]}
        kept=${current%"${COMP_WORDS[COMP_CWORD]}"}
        [[ ${COMP_WORDS[COMP_CWORD]} == [=:] ]] && kept=$current
        verb=${words[1]}

        if ((${#words[@]} <= 2)); then
          _daybook_words '' "$current" \(names) --help --version
          return
        fi

        local flags= valued= what=
        case $verb in
      \(indented(verbs.map(flags), by: 4))
          *) return ;;
        esac

        # Find the position of the current word: the value of an option, or an argument.
        for ((index = 2; index < ${#words[@]} - 1; index++)); do
          word=${words[index]}
          if [[ ! $over && $word == -- ]]; then
            over=1
          elif [[ ! $over && $word == -?* ]]; then
            if [[ " $valued " == *" $word "* ]]; then
              index+=1
              ((index == ${#words[@]} - 1)) && flag=$word
            fi
          else
            ((place == 0)) && journal=$word
            place+=1
          fi
        done

        local before=
        if [[ ! $over && ! $flag && $current == --*=* ]]; then
          flag=${current%%=*} before=${current%%=*}= current=${current#*=}
        elif [[ ! $over && ! $flag && $current == -* ]]; then
          _daybook_words '' "$current" $flags --help
          return
        fi

        case "$verb ${flag:-$place}" in
      \(indented(verbs.flatMap(branches), by: 4))
        esac
        case $what in
          file)
            compopt -o filenames 2> /dev/null
            while IFS= read -r word; do
              COMPREPLY+=("${before#"$kept"}$word")
            done < <(compgen -f -- "$current")
            ;;
          entity)
            journal=${journal/#\\~\\//$HOME/}
            journal=${journal//[\\'\\"\\\\]/}
            if [[ -f $journal ]]; then
              while IFS= read -r word; do
                _daybook_words "$before" "$current" "$(printf %q "$word")"
              done < <("${words[0]/#\\~\\//$HOME/}" completions bash "$journal" 2> /dev/null)
            fi
            ;;
          verb) _daybook_words "$before" "$current" \(names) ;;
          *) _daybook_words "$before" "$current" $what ;;
        esac
      }

      # Adds the words with the current prefix, without the part of it that bash keeps.
      _daybook_words() {
        local before=$1 start=$2 word
        shift 2
        for word; do
          [[ $word == "$start"* ]] || continue
          word=$before$word
          COMPREPLY+=("${word#"$kept"}")
        done
      }

      complete -F _daybook daybook
      """
  }

  /// Returns the branch that sets the options of a command, and its options that take a value.
  private static func flags(of verb: Verb) -> String {
    let flags = verb.flags.map(\.name).joined(separator: " ")
    let valued = verb.flags.filter { $0.value != nil }.map(\.name).joined(separator: " ")
    return "\(verb.name)) flags='\(flags)' valued='\(valued)' ;;"
  }

  /// Returns the branches that set the completions of a command's arguments, by their indexes, and
  /// of its options' values.
  private static func branches(of verb: Verb) -> [String] {
    let arguments = verb.arguments.enumerated().map { index, argument in
      ("\(index)", what(argument.kind, choices: argument.choices))
    }
    let flags = verb.flags.compactMap { flag in
      flag.kind.map { (flag.name, what($0, choices: flag.choices)) }
    }
    return (arguments + flags).compactMap { key, what in
      what.map { "'\(verb.name) \(key)') what='\($0)' ;;" }
    }
  }

  private static func what(_ kind: Verb.Kind, choices: [String]) -> String? {
    guard choices.isEmpty else { return choices.joined(separator: " ") }
    return switch kind {
    case .file: "file"
    case .entity: "entity"
    case .verb: "verb"
    case .filter, .keys, .moment, .other: nil
    }
  }

  private static func indented(_ lines: [String], by count: Int) -> String {
    lines.map { String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
  }
}
