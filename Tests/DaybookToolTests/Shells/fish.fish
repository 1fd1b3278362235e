# What fish would offer behind each of some lines, without what it says of each.
source $argv[1]
for line in $argv[2..-1]
    set -l offers (complete -C $line | string replace -r '\t.*' '' | string replace -r '^--[a-z-]+=' '' | sort -u)
    echo "$line| $offers"
end
