# What bash would offer behind each of some lines: source this with the script and the lines.
source "$1"
shift
for line; do
  # As readline parts words: at blanks, and at what COMP_WORDBREAKS has of : and =.
  mapfile -t COMP_WORDS < <(grep -oE '[=:]|[^ =:]+' <<< "$line")
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line
  _daybook
  echo "$line| $(printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd ' ')"
done
