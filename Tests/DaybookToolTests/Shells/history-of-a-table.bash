#!/usr/bin/env bash
# Creates a journal from the git history of a CSV file: each version of the file becomes one transaction, with the
# author, the subject and the time of its commit. The loop at the end works for every table.
#
#   history-of-a-table.bash DIRECTORY
#
# DIRECTORY is created. It then contains the repository `table`, the journal `history.daybook`, and its text `books.jsonl`.
set -euo pipefail
mkdir "$1"
cd "$1"

# The settings of the user must not change the commits.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C
git init --quiet --initial-branch=main table

# Commits a version of the table: DATE AUTHOR SUBJECT, and the lines of the file on standard input.
version() {
  cat > table/books.csv
  git -C table add books.csv
  GIT_AUTHOR_DATE=$1 GIT_COMMITTER_DATE=$1 GIT_AUTHOR_NAME=$2 GIT_COMMITTER_NAME=$2 \
    GIT_AUTHOR_EMAIL=$2@example.org GIT_COMMITTER_EMAIL=$2@example.org \
    git -C table commit --quiet --message "$3"
}

version 2024-03-01T09:00:00+00:00 Ada 'Start the list of books' <<'END'
isbn,title,author,price
0141439513,Pride and Prejudice,Jane Austen,7.99
0141439564,Great Expectations,Charles Dickens,8.5
0140449132,Crime and Punishment,Fyodor Dostoevsky,10
END
version 2024-03-04T16:30:00+01:00 Ben 'Add two novels' <<'END'
isbn,title,author,price
0141439513,Pride and Prejudice,Jane Austen,7.99
0141439564,Great Expectations,Charles Dickens,8.5
0140449132,Crime and Punishment,Fyodor Dostoevsky,10
0141439471,Frankenstein,Mary Shelly,6.25
0141441146,Jane Eyre,Charlotte Bronte,7.5
END
version 2024-03-05T08:15:00+01:00 Ada 'Fix the name of Mary Shelley' <<'END'
isbn,title,author,price
0141439513,Pride and Prejudice,Jane Austen,7.99
0141439564,Great Expectations,Charles Dickens,8.5
0140449132,Crime and Punishment,Fyodor Dostoevsky,10
0141439471,Frankenstein,Mary Shelley,6.25
0141441146,Jane Eyre,Charlotte Bronte,7.5
END
version 2024-04-02T10:00:00+02:00 Cora 'Raise the prices for spring' <<'END'
isbn,title,author,price
0141439513,Pride and Prejudice,Jane Austen,8.49
0141439564,Great Expectations,Charles Dickens,9
0140449132,Crime and Punishment,Fyodor Dostoevsky,11.5
0141439471,Frankenstein,Mary Shelley,6.75
0141441146,Jane Eyre,Charlotte Bronte,7.5
END
version 2024-05-20T12:00:00+02:00 Ben 'Count the pages' <<'END'
isbn,title,author,price,pages
0141439513,Pride and Prejudice,Jane Austen,8.49,480
0141439564,Great Expectations,Charles Dickens,9,544
0140449132,Crime and Punishment,Fyodor Dostoevsky,11.5,
0141439471,Frankenstein,Mary Shelley,6.75,273
0141441146,Jane Eyre,Charlotte Bronte,7.5,624
END
version 2024-06-11T18:45:00+02:00 Ada 'Spell the name of Charlotte Brontë' <<'END'
isbn,title,author,price,pages
0141439513,Pride and Prejudice,Jane Austen,8.49,480
0141439564,Great Expectations,Charles Dickens,9,544
0140449132,Crime and Punishment,Fyodor Dostoevsky,11.5,671
0141439471,Frankenstein,Mary Shelley,6.75,273
0141441146,Jane Eyre,Charlotte Brontë,7.5,624
END
version 2024-09-01T07:00:00+02:00 Cora 'Add Middlemarch, "the longest"' <<'END'
isbn,title,author,price,pages
0141439513,Pride and Prejudice,Jane Austen,8.49,480
0141439564,Great Expectations,Charles Dickens,9,544
0140449132,Crime and Punishment,Fyodor Dostoevsky,11.5,671
0141439471,Frankenstein,Mary Shelley,6.75,273
0141439548,"Middlemarch, A Study of Provincial Life",George Eliot,12,880
0141441146,Jane Eyre,Charlotte Brontë,7.5,624
END
version 2024-12-24T20:00:00+01:00 Ben 'Sell out of Dickens, and lower one price' <<'END'
isbn,title,author,price,pages
0141439513,Pride and Prejudice,Jane Austen,8.49,480
0140449132,Crime and Punishment,Fyodor Dostoevsky,9.99,671
0141439471,Frankenstein,Mary Shelley,6.75,273
0141439548,"Middlemarch, A Study of Provincial Life",George Eliot,12,880
0141441146,Jane Eyre,Charlotte Brontë,7.5,624
END

append=
for commit in $(git -C table log --reverse --format=%H -- books.csv); do
  git -C table show "$commit:books.csv" > books.csv
  daybook import books.csv history.daybook --entity Book --id isbn $append --time "$(git -C table log -1 --format=%cI "$commit")" \
    --author "$(git -C table log -1 --format=%an "$commit")" --reason "$(git -C table log -1 --format=%s "$commit")"
  append=--append
done
daybook export history.daybook books.jsonl
