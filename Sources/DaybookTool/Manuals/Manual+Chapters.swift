extension Manual {
  static let description = """
    A program appends a transaction to its journal, a file, for each change of its data. This tool \
    reads a journal at its end or as of any earlier moment, and prints what changed. Commands that read a \
    journal never change it.

    JOURNAL is a journal, a text journal (JSON Lines), or - for a text journal on standard input.

    Results are written to standard output, errors to standard error. An error is a sentence that says what \
    happened. If a second line starts with "try:", the rest of that line is a command that can be pasted.
    """

  static let flags = """
    The value of an option is the next word, or follows an equals sign. After -- every word is an argument, \
    even if it starts with -. With --help a command prints its description.
    """

  static let chapters = [
    (
      "MOMENTS",
      """
      T is a transaction or a time. Digits alone are the number of a transaction; 0 is the moment before \
      the first. last is the last transaction, and -2 the second one before it. today and yesterday are \
      midnights in UTC, 2012-03 is the first midnight of a month, and 90s ago, 5m ago, 2h ago, 3d ago and \
      4w ago count back from now. Anything else is an ISO 8601 time, for example 2015-10-27T12:10:26Z, and means the last \
      transaction at or before that time. A date alone means its midnight. A time without an offset is in \
      UTC. A name that was given with daybook tag is a moment too.
      """
    ),
    (
      "ORDER AND SECTIONS",
      """
      KEY is an attribute, or a path through references to an attribute, for example details.closeDate. \
      A name with spaces or signs is written in backquotes, for example `GICS Sector`, or as #"GICS Sector". \
      Rows are sorted by the first key, rows with equal values by the second, and so on. Rows that are equal \
      in all keys are in the order of their creation. After a key, :desc sorts in descending order, :ci \
      compares strings without case, :cdi without case and accents, and :natural compares runs of digits as \
      numbers. :words=W ranks strings by a search for the words of W, the best match first: strings that \
      contain the whole words, then strings with the words near their start, then short strings.

      Sections group the rows by the values of a key. With GROUPING they group by the first letter (letter), \
      the first N characters (prefix=N), the day, week, month or year of a date (in the time zone of \
      :zone=+02:00), or by ranges of numbers of width W (range=W).
      """
    ),
    (
      "FILTER LANGUAGE",
      #"""
      F is a condition in the format language of NSPredicate. Operators and keywords may be in any case.

        state == "CA" AND name BEGINSWITH[cd] 'first'
        details.closeDate >= "2011-01-01" AND NOT id IN {3, 5, 8}
        ANY friends.name LIKE "A*" OR friends.@count == 0

      Values are compared with == != < <= > >= (also = <> => =<), BETWEEN {a, b} and IN {a, b}. Strings are \#
      compared with BEGINSWITH, ENDSWITH, CONTAINS, LIKE (with the wildcards ?, for one character, and *, for any number) and \#
      MATCHES (a regular expression for the whole string). After a string operator, [c] ignores case and [d] \#
      ignores accents. name MATCHESWORDS "nat ban" finds strings with a word that starts with nat and a word \#
      that starts with ban; it always ignores case and accents.

      Conditions are combined with AND, OR and NOT (&& || !) and with parentheses. ANY, ALL and NONE precede \#
      a path to several values. @count at the end of a path is the number of values. TRUEPREDICATE is always \#
      true, FALSEPREDICATE never.

      Values are numbers, strings in " or ', true, false and nil. In a string, \\ \" \' \n \t and \u{41} \#
      are escapes. A string that is compared with a date is a time, as in MOMENTS. nil equals only \#
      nil. Comparisons of order and of strings are false if a value is nil. id is the identifier of the \#
      record.

      An attribute whose name has spaces or signs is written in backquotes, for example \#
      `GICS Sector` == "Energy", or as #"GICS Sector". Write # before an attribute that has the name of a \#
      keyword, for example #in. A text in quotation marks is always a value, so a comparison of two such texts \#
      is refused. % and _ are not wildcards of LIKE.
      """#
    ),
    (
      "TEXTS AND TERMINALS",
      """
      In tables and lines, characters that would move the cursor or change the terminal are escaped: a line \
      break as \\n, a tab as \\t, other control characters by their numbers, as \\u{1B}. All other text is \
      printed as it is, in UTF-8. JSON and CSV contain every value unchanged.

      Tables are made as narrow as the terminal. A value that is cut ends with a sign. In files and pipes \
      nothing is cut. If the reader of the output closes it, the tool exits with status 0.

      All arguments are UTF-8. An argument that is not is refused.
      """
    ),
  ]

  /// Example commands. The text journals have the names of the files in `Journal/Samples`.
  static let examples = [
    (
      "Create a journal from a text journal, and show its list at the end and after transaction 3:",
      [
        "daybook import games.jsonl games.daybook", "daybook show games.daybook Game --sort name",
        "daybook show games.daybook Game --sort name --at 3",
      ]
    ),
    (
      "Show what changed in the list between two transactions, and the changes of one record:",
      [
        "daybook diff games.daybook Game --sort name --from 3 --to 10",
        "daybook why games.daybook Game 3",
      ]
    ),
    (
      "Print some rows of a text journal for another program:",
      [
        "daybook show items.jsonl Item --where 'name BEGINSWITH[c] \"b\"' --format csv",
        "cat items.jsonl | daybook show - Item --section-by name:letter --format json",
      ]
    ),
  ]

  static let environment = [
    (
      "COLUMNS",
      "The number of columns of the terminal, if it is a number above 0. At least 20 are used."
    ),
    (
      "LINES",
      "The number of lines of the terminal, if it is a number above 0. At least 7 are used."
    ),
    ("NO_COLOR", "If it is set and not empty, the output has no colors and no bold text."),
    (
      "TERM",
      "If it is dumb, the tool's own text is ASCII, without colors and bold text."
    ),
    ("TMPDIR", "The directory for the temporary copy of a text journal; the default is /tmp."),
  ]

  static let files = [
    ("NAME.daybook", "A journal. It may have any name."),
    (
      "NAME.daybook-end",
      "The end position of the written journal. It is created again if it is missing."
    ),
    ("NAME.daybook-cache-*", "Lists that programs cache. They may be deleted."),
    (
      "NAME.daybook-checkpoint-*",
      "States of the journal that make it open faster. They may be deleted."
    ),
    ("NAME.daybook-torn-*", "Bytes that recovery removed from the end of the journal."),
    ("NAME.jsonl", "A text journal. It may have any name."),
  ]
}
