import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `Patterns of MATCHES` {
  private let world: FilterWorld

  init() throws { world = try FilterWorld([Thing(id: 1)], []) }

  private func matches(_ text: String, _ pattern: String) throws -> Bool {
    let compiled = try MatchPattern(pattern, options: [])
    let bytes = Array(text.utf8)
    return compiled.matches(bytes.span.bytes)
  }

  private func problem(_ pattern: String) -> String {
    do throws(PatternProblem) {
      _ = try MatchPattern(pattern, options: [])
      return "read"
    } catch { return "\(error.column): \(error.sentence)" }
  }

  @Test func `MATCHES matches the whole string as other engines do`() throws {
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

  @Test func `the error names the column of an unsupported pattern`() {
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
        a)b 2: ')' has no matching '('.
        *a 1: nothing precedes '*' that it can repeat; write a literal '*' as \*.
        a** 3: a repetition cannot be repeated.
        a*+ 3: possessive repetitions are not supported.
        a{2 2: expected {n}, {n,} or {n,m}; write a literal '{' as \{.
        a{x} 2: expected {n}, {n,} or {n,m}; write a literal '{' as \{.
        a{3,2} 2: the repetition has a minimum of 3, above its maximum of 2.
        a{99999} 2: a repetition count can be at most 2000.
        [a 1: '[' is not closed.
        [] 1: the brackets are empty; write a literal ']' as \].
        [b-a] 2: the range b-a starts after its end.
        [[:alpha:]] 2: in brackets, write a literal '[' as \[.
        [a&&b] 3: in brackets, write a literal '&' as \&.
        ] 1: ']' has no matching '['; write a literal ']' as \].
        } 1: '}' has no matching '{'; write a literal '}' as \}.
        \b 1: \b is not supported.
        (a)\1 4: \1 is not supported.
        \p{L} 1: \p is not supported.
        (?=a) 1: of the groups that start with '(?', only (?:…) is supported.
        (?<n>a) 1: of the groups that start with '(?', only (?:…) is supported.
        (?i)a 1: of the groups that start with '(?', only (?:…) is supported.
        a\ 2: the pattern ends after '\'; write a literal '\' as \\.
        \u{110000} 1: expected \u{…} with one to eight hexadecimal digits.
        ^* 2: '^' and '$' cannot be repeated.
        (a{1000}){1000} 1: it has more than 2000 steps, counted with its repetitions expanded.
        (((){1000}){1000}){1000} 1: it has more than 2000 steps, counted with its repetitions expanded.
        (((((((((((((((((((((((( 101: groups are nested too deeply; the limit is 100 levels.
        """#)
  }

  @Test func `a pattern is read up to the limit of its steps and refused above it`() throws {
    let problem = "1: it has more than 2000 steps, counted with its repetitions expanded."
    for (short, long) in [
      (String(repeating: "a", count: 1_999), String(repeating: "a", count: 2_000)),
      ("a{1999}", "a{2000}"), (#"\w{1,1000}"#, #"\w{1,1002}"#),
    ] {
      #expect(self.problem(short) == "read")
      #expect(self.problem(long) == problem, "\(long.prefix(24))")
    }
    #expect(try matches(String(repeating: "b", count: 1_000), #"\w{1,1000}"#))
    #expect(try !matches(String(repeating: "b", count: 1_001), #"\w{1,1000}"#))
    let error = #expect(throws: FilterError.self) {
      _ = try world.matches("name MATCHES %@", "a{2000}")
    }
    #expect(error?.description == "filter, column 14: the pattern \"a{2000}\", column \(problem)")
  }

  /// A matcher that tries one way after the other would take longer than there has been time.
  @Test func `MATCHES takes linear time`() throws {
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

@Suite struct `Patterns of LIKE` {
  private func matches(_ text: String, _ pattern: String) throws -> Bool {
    let world = try FilterWorld([Thing(id: 1, name: text)], [])
    return try world.matches("name LIKE %@", pattern) == [1]
  }

  @Test func `LIKE supports asterisks, question marks and escapes`() throws {
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

  @Test func `LIKE takes no exponential time with many asterisks`() throws {
    let text = String(repeating: "a", count: 5_000)
    let pattern = String(repeating: "*a", count: 100) + "*b"
    #expect(try !matches(text, pattern))
    #expect(try matches(text + "b", pattern))
  }
}

@Suite struct `Long patterns of LIKE` {
  /// Texts of letters that no normal form changes.
  private func text(_ symbols: [Int]) -> String {
    var text = String.UnicodeScalarView()
    for symbol in symbols {
      text.append(symbol < 0 ? "?" : Unicode.Scalar(UInt32(0x4E00 + symbol)) ?? "?")
    }
    return String(text)
  }

  /// Returns a piece with some frequent letters, some rare ones, and a gap for every third symbol.
  private func piece(_ count: Int, letters: Int, random: inout SplitMix64) -> [Int] {
    (0..<count).map { place in
      if place % 3 == 2 { return -1 }
      let number = Int(random.next() % UInt64(letters))
      return random.next() % 2 == 0 ? number % 3 : number
    }
  }

  @Test(arguments: 0..<UInt64(FaultRow.count(4, full: 40)))
  func `a piece with gaps is found where a plain search finds it`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var foundCount = 0
    for round in 0..<40 {
      let letters = [2, 5, 40, 400][round % 4]
      let pieces = (0...Int(random.next() % 2)).map { _ in
        piece(1 + Int(random.next() % 200), letters: letters, random: &random)
      }
      // A text that contains the pieces, but for one letter in every second round.
      var symbols: [Int] = []
      for piece in pieces {
        symbols += (0..<Int(random.next() % 30)).map { _ in Int(random.next() % UInt64(letters)) }
        symbols += piece.map { $0 < 0 ? Int(random.next() % UInt64(letters)) : $0 }
      }
      symbols += (0..<Int(random.next() % 30)).map { _ in Int(random.next() % UInt64(letters)) }
      if round % 8 > 3 { symbols[Int(random.next() % UInt64(symbols.count))] = 500 }
      let pattern = "*" + pieces.map { text($0) }.joined(separator: "*") + "*"
      let expected = PlainText.isLike(
        text(symbols).unicodeScalars.map(\.value)[...],
        pattern: pattern.unicodeScalars.map(\.value)[...])
      let bytes = Array(text(symbols).utf8)
      let found = LikePattern(pattern, options: []).matches(bytes.span.bytes)
      #expect(found == expected, "\(text(symbols)) LIKE \(pattern)")
      if expected { foundCount += 1 }
    }
    #expect((10..<40).contains(foundCount))
  }

  @Test func `the memory of a search grows with the length of the pattern alone`() {
    var random = SplitMix64(seed: 7)
    let distinct = (0..<8_000).flatMap { [$0, -1] }
    let single = (0..<8_000).flatMap { _ in [0, -1] }
    let crowd = (0..<16_000).map { $0 % 70 }
    for symbols in [
      distinct, single, crowd + [-1], piece(16_000, letters: 9_000, random: &random), [0, -1], [-1],
    ] {
      let pattern = LikePattern("*\(text(symbols))*", options: [])
      #expect(pattern.searchWordCount <= 4 * symbols.count)
    }
  }

  @Test func `only the pieces between two runs are searched for`() {
    for pattern in ["", "a?b", "a?b*", "*a?b", "a?b*c?d", "**", "a***b"] {
      #expect(LikePattern(pattern, options: []).searchWordCount == 0, "\(pattern)")
    }
    #expect(LikePattern("a*b*c", options: []).searchWordCount == 2)
  }
}

/// The sizes are large enough that an algorithm with time in proportion to their product does not
/// end.
@Suite struct `A search in a long text` {
  private let text = String(repeating: "a", count: 400_000)

  private func matches(_ relation: String, _ pattern: String) throws -> Bool {
    let world = try FilterWorld([Thing(id: 1, name: text)], [])
    return try world.matches("name \(relation) %@", pattern) == [1]
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

@Suite struct `Folded strings` {
  private func folded(_ text: String, _ options: TextOptions) -> String {
    String(decoding: FoldedText.bytes(of: text, options: options), as: UTF8.self)
  }

  @Test func `folding applies full case folding and composes the result`() {
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

  @Test func `folding without diacritics removes nonspacing marks`() {
    #expect(folded("\u{c9}\u{e7}\u{1ec7}", .ignoringDiacritics) == "Ece")
    #expect(folded("\u{c9}\u{130}", [.ignoringCase, .ignoringDiacritics]) == "ei")
    #expect(folded("\u{30ac}", .ignoringDiacritics) == "\u{30ab}")
    #expect(folded("\u{f8}", .ignoringDiacritics) == "\u{f8}")
  }
}
