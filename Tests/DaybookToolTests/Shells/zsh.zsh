# What zsh would offer behind each of some lines. It completes nothing without a terminal, so a zsh of its own
# is given one; what is handed to `compadd` there is written down.
zmodload zsh/zpty
script=$1
offers=$SCRATCH/offers
shift
zpty inner zsh -f -i
zpty -w inner "PROMPT=; autoload -Uz compinit; compinit -u -D; source $script
compadd() { local -a found; builtin compadd -O found \"\$@\"; print -rl -- \$found >> $offers; builtin compadd \"\$@\" }
LISTMAX=10000; bindkey '^I' complete-word
over() { BUFFER=; print -n '<ov''er>' }; zle -N over; bindkey '^T' over; print re''ady"
zpty -r inner said '*ready*'
for line; do
  : > $offers
  zpty -n -w inner "$line"$'\t\x14'
  zpty -r inner said '*<over>*'
  found=(${(f)"$(sed 's/^ //' $offers | grep . | sort -u)"})
  print -r -- "$line| $found"
done
zpty -d inner
