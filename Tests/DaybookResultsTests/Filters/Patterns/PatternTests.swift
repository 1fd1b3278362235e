import DaybookResults
import DaybookStore
import Testing

@Suite struct `A pattern of MATCHES` {
  private let world: FilterWorld

  init() throws { world = try FilterWorld([Thing(id: 1)], []) }

  private func matches(_ text: String, _ pattern: String) throws -> Bool {
    try world.matches("%@ MATCHES %@", text, pattern) == [1]
  }

  private func problem(_ pattern: String) -> String {
    do throws(PatternProblem) {
      _ = try MatchPattern(pattern, [])
      return "read"
    } catch { return "\(error.column): \(error.sentence)" }
  }

  @Test func `matches the whole text, as other engines do`() throws {
    let patterns = [
      "", "a", "a*", "a+b?", "(a|b)*c", "a|bc|", "[abc]{2}", "[^a]{1,3}", "a{2,}", "a{0}",
      "(?:ab)+",
      "^a.c$", "(^a|b$)+", "x*?y+?z??", #"\d+"#, #"[\d-]+"#, #"\.\*"#, "a.b", #"[a\]]+"#, "(a*)*",
      "((a|b)?c){2,3}", "[a-]+", #"\s\S"#, #"\W\w"#, "[^^]", #"\u{61}"#,
    ]
    let texts = [
      "", "a", "aa", "ab", "abc", "bc", "c", "acac", "bcacbc", "aab", "abab", "axc", "xyz", "yz",
      "12", "1-2", ".*", "a\nb", "a-", "a]", " a", "-a", "^", "acbcc",
    ]
    for pattern in patterns {
      let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
      for text in texts {
        #expect(
          try matches(text, pattern) == (text.wholeMatch(of: regex) != nil), "\(text), \(pattern)")
      }
    }
  }

  @Test func `says at which column what is not supported`() {
    let lines = [
      "a(b", "a)b", "*a", "a**", "a*+", "a{2", "a{x}", "a{3,2}", "a{99999}", "[a", "[]", "[b-a]",
      "[[:alpha:]]", "[a&&b]", "]", "}", #"\b"#, #"(a)\1"#, #"\p{L}"#, "(?=a)", "(?<n>a)", "(?i)a",
      #"a\"#, #"\u{110000}"#, "^*", "(a{1000}){1000}", "(((){1000}){1000}){1000}",
      String(repeating: "(", count: 200_000),
    ].map { pattern in
      "\(pattern.prefix(24)) \(problem(pattern))"
    }
    #expect(
      lines.joined(separator: "\n") == #"""
        a(b 2: '(' is not closed.
        a)b 2: ')' closes no group.
        *a 1: '*' repeats what stands before it, and nothing does.
        a** 3: a repetition is not repeated.
        a*+ 3: repetitions that give nothing back are not supported.
        a{2 2: a repetition is {n}, {n,} or {n,m}, and '{' alone is \{.
        a{x} 2: a repetition is {n}, {n,} or {n,m}, and '{' alone is \{.
        a{3,2} 2: a repetition of at least 3 and at most 2 is none.
        a{99999} 2: a repetition counts up to 10000.
        [a 1: '[' is not closed.
        [] 1: brackets hold at least one scalar.
        [b-a] 2: the range b-a begins behind its end.
        [[:alpha:]] 2: '[' in brackets is \[.
        [a&&b] 3: '&' in brackets is \&.
        ] 1: ']' closes nothing; alone it is \].
        } 1: '}' closes nothing; alone it is \}.
        \b 1: \b is not supported.
        (a)\1 4: \1 is not supported.
        \p{L} 1: \p is not supported.
        (?=a) 1: of groups that begin with (? only (?:…) is supported.
        (?<n>a) 1: of groups that begin with (? only (?:…) is supported.
        (?i)a 1: of groups that begin with (? only (?:…) is supported.
        a\ 2: nothing stands behind the last '\'.
        \u{110000} 1: a scalar is \u{…} with up to eight digits to the base 16.
        ^* 2: '^' and '$' are not repeated.
        (a{1000}){1000} 1: with its repetitions written out it has more than 10000 steps.
        (((){1000}){1000}){1000} 1: with its repetitions written out it has more than 10000 steps.
        (((((((((((((((((((((((( 101: groups may stand in each other 100 deep.
        """#)
  }

  /// A matcher that tries one way after the other would take longer than there has been time.
  @Test func `takes linear time`() throws {
    let text = String(repeating: "a", count: 5_000)
    for pattern in ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(a*)*(a*)*(a*)*b", "(.*a){10}b", "((a*)+)+b"]
    {
      #expect(try !matches(text, pattern))
      #expect(try matches(text + "b", pattern))
    }
    let optional = String(repeating: "a?", count: 200) + String(repeating: "a", count: 200)
    #expect(try matches(String(repeating: "a", count: 200), optional))
  }
}

@Suite struct `A pattern of LIKE` {
  private func matches(_ text: String, _ pattern: String) throws -> Bool {
    let world = try FilterWorld([Thing(id: 1)], [])
    return try world.matches("%@ LIKE %@", text, pattern) == [1]
  }

  @Test func `has runs, single scalars, and escapes`() throws {
    #expect(try matches("", ""))
    #expect(try matches("", "*"))
    #expect(try !matches("", "?"))
    #expect(try matches("😀", "?"))
    #expect(try matches("abcbc", "a*bc"))
    #expect(try !matches("abcbd", "a*bc"))
    #expect(try matches("a*b", #"a\*b"#))
    #expect(try !matches("axb", #"a\*b"#))
    #expect(try matches(#"a?\b"#, #"a\?\b"#))
    #expect(try matches(#"a\xb"#, #"a\\*b"#))
  }

  @Test func `takes no exponential time, however many runs it has`() throws {
    let text = String(repeating: "a", count: 5_000)
    let pattern = String(repeating: "*a", count: 100) + "*b"
    #expect(try !matches(text, pattern))
    #expect(try matches(text + "b", pattern))
  }
}

/// The sizes are such that an algorithm whose time grows with their product does not end.
@Suite struct `A search in a long text` {
  private let text = String(repeating: "a", count: 400_000)

  private func matches(_ relation: String, _ pattern: String) throws -> Bool {
    let world = try FilterWorld([Thing(id: 1)], [])
    return try world.matches("%@ \(relation) %@", text, pattern) == [1]
  }

  @Test func `CONTAINS takes linear time in a long text`() throws {
    let part = String(repeating: "a", count: 200_000)
    #expect(try matches("CONTAINS", part))
    #expect(try !matches("CONTAINS", part + "b"))
    #expect(try !matches("CONTAINS", "b" + part))
    #expect(try !matches("CONTAINS[cd]", part + "b" + part))
  }

  @Test func `LIKE takes linear time for a long piece of a pattern`() throws {
    let part = String(repeating: "a", count: 190_000)
    #expect(try matches("LIKE", "*" + part + "*" + part + "*"))
    #expect(try !matches("LIKE", "*" + part + "b*"))
    #expect(try !matches("LIKE", "*" + part + "b*" + part + "b"))
  }

  @Test func `LIKE takes linear time for a piece with question marks`() throws {
    let part = String(repeating: "a?", count: 30)
    #expect(try matches("LIKE", "*" + part + "a*"))
    #expect(try !matches("LIKE", "*" + part + "b*"))
    #expect(try matches("LIKE", String(repeating: "*?a?", count: 1_000) + "*"))
  }
}

@Suite struct `Folded texts` {
  private func folded(_ text: String, _ options: TextOptions) -> String {
    String(decoding: FoldedText.bytes(of: text, options), as: UTF8.self)
  }

  @Test func `are folded in full, and composed`() {
    let pairs = [
      ("Stra\u{df}e", "strasse"), ("STRA\u{1e9e}E", "strasse"), ("\u{130}", "i\u{307}"),
      ("\u{131}", "\u{131}"), ("\u{3a3}\u{3c2}", "\u{3c3}\u{3c3}"), ("\u{212a}", "k"),
      ("\u{17f}", "s"), ("\u{13a0}", "\u{13a0}"), ("\u{ab70}", "\u{13a0}"), ("\u{fb01}", "fi"),
      ("E\u{301}", "\u{e9}"), ("\u{10d0}\u{1c90}", "\u{10d0}\u{10d0}"),
      ("\u{1f88}", "\u{1f00}\u{3b9}"),
      ("\u{ac00}", "\u{ac00}"),
    ]
    for (text, expected) in pairs {
      #expect(
        folded(text, .ignoringCase).unicodeScalars.map(\.value)
          == expected.unicodeScalars.map(\.value), "\(text)")
    }
  }

  @Test func `lose their nonspacing marks`() {
    #expect(folded("\u{c9}\u{e7}\u{1ec7}", .ignoringDiacritics) == "Ece")
    #expect(folded("\u{c9}\u{130}", [.ignoringCase, .ignoringDiacritics]) == "ei")
    #expect(folded("\u{30ac}", .ignoringDiacritics) == "\u{30ab}")
    #expect(folded("\u{f8}", .ignoringDiacritics) == "\u{f8}")
  }
}
