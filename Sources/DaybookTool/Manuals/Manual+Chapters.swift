extension Manual {
  static let description = """
    A journal is a file to which a program adds a transaction whenever something has changed. This tool \
    reads it, at its end or at any moment of its past, and tells what happened. Reading a journal changes \
    nothing in it.

    JOURNAL is a journal, a text journal (JSON Lines), or - for a text journal on standard input.

    Results are printed on standard output, complaints on standard error. A complaint says in one \
    sentence what happened. A second line, which begins with "try:", is a command that can be pasted.
    """

  static let flags = """
    The value of a flag stands behind it, as the next word or behind an equals sign. Behind -- there \
    are no flags: an argument that begins with - stands there. With --help a verb says what it takes.
    """

  static let chapters = [
    (
      "MOMENTS",
      """
      T is a transaction or a time. Digits alone are the number of a transaction: 0 is before the \
      first. Anything else is a time in the form of ISO 8601, as 2015-10-27T12:10:26Z, and means the \
      last transaction at or before it. A date alone is its midnight, and what has no offset is in UTC.
      """
    ),
    (
      "ORDER AND SECTIONS",
      """
      KEY is an attribute, or a path through references to one, as details.closeDate. Rows are in order \
      by the first key, those that are equal in it by the second, and so on, and at last by when they \
      were created. Behind a key, :desc turns its order around, :ci and :cdi compare texts without \
      regard to case or to case and accents, and :natural compares runs of digits as numbers.

      Sections are made of the values of a key, or of their first letter (:letter), first characters \
      (:prefix=N), day, week, month or year (:day and so on, in the zone of :zone=+02:00), or of ranges \
      of numbers (:range=W).
      """
    ),
    (
      "FILTER LANGUAGE",
      #"""
      F is a condition in the format language of NSPredicate. Operators and keywords may be in any case.

        state == "CA" AND name BEGINSWITH[cd] 'first'
        details.closeDate >= "2011-01-01" AND NOT id IN {3, 5, 8}
        ANY friends.name LIKE "A*" OR friends.@count == 0

      Compared are values by == != < <= > >= (also = <> => =<), by BETWEEN {a, b} and IN {a, b}, \#
      and texts by BEGINSWITH, ENDSWITH, CONTAINS, LIKE (? is one character, * any run) and MATCHES (a regular \#
      expression for the whole text). Behind an operator for texts, [c] disregards case and [d] accents.

      Conditions are joined by AND, OR and NOT (&& || !), and stand in parentheses. ANY, ALL and NONE \#
      stand before a path through several values, and @count behind it counts them. TRUEPREDICATE holds \#
      always, FALSEPREDICATE never.

      Values are numbers, texts in " or ', true, false and nil. Within a text \\ \" \' \n \t and \u{41} \#
      are escapes. A text beside a date is a time, as in MOMENTS. nil is equal to nil alone, and every \#
      other comparison with it is false. id is the identifier, and #name an attribute that is named like \#
      a keyword.
      """#
    ),
    (
      "TEXTS AND TERMINALS",
      """
      In tables and lines, what would move the cursor or change the terminal is shown escaped: a line \
      end as \\n, a tab as \\t, other control characters by their numbers, as \\u{1B}. Whatever else a \
      journal holds is printed as it is, in UTF-8. JSON and CSV hold every value unchanged.

      On a terminal, tables are made as narrow as it is: values are cut, and end with a sign that says \
      so. Elsewhere nothing is cut. Whoever reads the output may stop at any time: the tool then ends \
      with 0.

      Names of files and all other words are in UTF-8. A word that is not is refused.
      """
    ),
  ]

  /// What somebody would do one after the other, with text journals that have the names of the samples.
  static let examples = [
    (
      "A text journal is made a journal of, and its list is shown at the end and after transaction 3:",
      [
        "daybook import games.jsonl games.daybook", "daybook show games.daybook Game --sort name",
        "daybook show games.daybook Game --sort name --at 3",
      ]
    ),
    (
      "What happened to the list in between, and to one record ever since:",
      [
        "daybook diff games.daybook Game --sort name --from 3 --to 10",
        "daybook why games.daybook Game 3",
      ]
    ),
    (
      "Some of the rows of a text journal, for another program:",
      [
        "daybook show items.jsonl Item --where 'name BEGINSWITH[c] \"b\"' --format csv",
        "cat items.jsonl | daybook show - Item --section-by name:letter --format json",
      ]
    ),
  ]

  static let environment = [
    (
      "COLUMNS",
      "How many columns the terminal has, if it is a number above 0. At least 20 are used."
    ),
    ("NO_COLOR", "If it is there and not empty, nothing is in colour or bold."),
    ("TERM", "If it is dumb, signs of the tool's own are ASCII, and nothing is in colour or bold."),
    ("TMPDIR", "Where a text journal is kept while it is read; /tmp unless given."),
  ]

  static let files = [
    ("NAME.daybook", "A journal. It may have any name."),
    (
      "NAME.daybook-end",
      "How far a journal was written. It is made anew when it is missing."
    ),
    ("NAME.daybook-cache-*", "What programs keep of lists. It may be deleted."),
    ("NAME.daybook-torn-*", "What was cut from the end of a journal when it was recovered."),
    ("NAME.jsonl", "A text journal. It may have any name."),
  ]
}
