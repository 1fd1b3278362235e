# Functions over the processes of this machine, for the scripts beside this file.

# The children of a process.
children() {
  local file stat
  for file in /proc/[0-9]*/stat; do
    # The state and the parent follow the name, which may contain anything.
    stat=$(cat "$file" 2>/dev/null) || continue
    stat=${stat##*) }
    [ "$(cut -d" " -f2 <<<"$stat")" != "$1" ] || basename "$(dirname "$file")"
  done
}

# Ends a process and its descendants.
end_tree() {
  local child
  for child in $(children "$1"); do end_tree "$child"; done
  kill -KILL "$1" 2>/dev/null || true
}
