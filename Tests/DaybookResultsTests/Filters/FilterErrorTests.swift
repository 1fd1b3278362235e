import DaybookResults
import DaybookStore
import Testing

/// Returns the error of an invalid filter: the column and the sentence.
func problem(_ text: String, _ arguments: [AttributeValue] = []) -> String {
  do throws(FilterError) {
    return "read as \(try Filter(text, arguments: arguments))"
  } catch {
    return "\(error.column.map { "\($0): " } ?? "")\(error.sentence)"
  }
}

@Suite struct `Syntax errors of filters` {
  @Test func `a syntax error names the column and the expected and found tokens`() {
    #expect(problem("") == "1: the filter ends where a condition should follow.")
    #expect(problem("a") == "2: the filter ends where an operator should follow.")
    #expect(problem("a 'b'") == #"3: expected an operator, found "b"."#)
    #expect(problem("a ==") == "5: the filter ends where a value or a path should follow.")
    #expect(
      problem("a == AND") == "6: expected a value or a path, found 'AND'.")
    #expect(problem("a == 1 b") == "8: expected AND, OR or the end, found 'b'.")
    #expect(
      problem("(a == 1") == "8: the filter ends where AND, OR or ')' should follow.")
    #expect(problem("a == 1)") == "7: expected AND, OR or the end, found ')'.")
    #expect(problem("a[c] == 1") == "2: expected an operator, found '['.")
    #expect(problem("a ==[x] 'b'") == "6: expected c, d or cd, found 'x'.")
    #expect(problem("a ==[c 'b'") == #"8: expected ']', found "b"."#)
    #expect(
      problem("a <[c] 'b'") == "4: expected a value or a path, found '['.")
    #expect(problem("a IN {1 2}") == "9: expected ',' or '}', found 2.")
    #expect(problem("a IN (1,") == "9: the filter ends where a value should follow.")
    #expect(problem("a IN {b}") == "7: expected a value, found 'b'.")
    #expect(problem("a IN {{1}}") == "7: expected a value, found '{'.")
    #expect(problem("a IN ]") == "6: expected a list or a path, found ']'.")
    #expect(
      problem("ANY == 1") == "5: expected a path after ANY, found '=='.")
    #expect(
      problem("a. == 1") == "4: expected a name or @count after '.', found '=='.")
    #expect(problem("a.@sum == 1") == "3: expected @count, found '@sum'.")
    #expect(problem("a == %d") == "6: expected %@ or %K, found '%'.")
    #expect(problem("# == 1") == "2: expected a name after '#', found U+0020.")
    #expect(
      problem("#'' == 1") == "2: expected a name after '#', found an empty one.")
    #expect(problem("é == 😀") == "6: expected a value or a path, found '😀'.")
    #expect(
      problem("a IN {%@}", [.array([.int(1)])])
        == "7: expected a value, found a list.")
  }

  @Test func `an error shows how to write a name with spaces`() {
    #expect(
      problem(#"GICS Sector == "Energy""#) == """
        6: expected an operator, found 'Sector'. If GICS Sector is one name, write it in backquotes: \
        `GICS Sector`.
        """)
    #expect(
      problem("a == 1 AND details.Market Cap in USD > 5") == """
        27: expected an operator, found 'Cap'. If Market Cap is one name, write it in backquotes: \
        `Market Cap`.
        """)
    #expect(problem("a b c 'd").hasSuffix("write it in backquotes: `a b c`."))
    // Only a name that was written as a word can continue.
    #expect(problem("`a b` c") == "7: expected an operator, found 'c'.")
    #expect(problem("a.@count b") == "10: expected an operator, found 'b'.")
    #expect(problem("a AND b == 1") == "3: expected an operator, found 'AND'.")
  }

  @Test func `the error names an unclosed or empty name in backquotes`() {
    #expect(
      problem("a == 1 OR `b c == 1")
        == "11: the name that starts here is not closed; add ` at its end.")
    #expect(problem("`` == 1") == "1: expected a name between backquotes, found an empty one.")
    #expect(
      problem("a.`b` `c d`") == "7: expected an operator, found `c d`.")
  }

  @Test func `the error names an unclosed string or an invalid escape`() {
    #expect(
      problem("a == 'b") == "6: the string that starts here is not closed; add ' at its end.")
    #expect(
      problem(#"a == "b'"#) == #"6: the string that starts here is not closed; add " at its end."#
    )
    #expect(
      problem(#"a == "b\x""#)
        == #"8: expected an escape (\\, \", \', \n, \t or \u{…}), found 'x'."#)
    #expect(
      problem(#"a == "\u{110000}""#)
        == #"7: expected an escape (\\, \", \', \n, \t or \u{…}), found 'u'."#)
    #expect(
      problem(#"a == "\"#)
        == #"8: expected an escape (\\, \", \', \n, \t or \u{…}), found the end."#)
  }

  @Test func `the error says why a number is invalid`() {
    #expect(
      problem("a == 05") == "6: 05 is not a valid number: a number has no leading zeros.")
    #expect(
      problem("a == 1.")
        == "6: 1. is not a valid number: expected a digit after the point, found the end.")
    #expect(
      problem("a == 1x")
        == "6: 1x is not a valid number: expected the end of the number, found 'x'.")
    #expect(
      problem("a == 1e400")
        == "6: 1e400 is not a valid number: the number is out of range; the limit is "
        + "1.7976931348623157e+308.")
  }

  @Test func `the parser rejects nesting beyond the limit at any depth`() {
    let sentence = "parentheses and NOT are nested too deeply; the limit is 100 levels."
    #expect(problem(String(repeating: "(", count: 101) + "a == 1") == "101: \(sentence)")
    #expect(problem(String(repeating: "(", count: 1_000_000)) == "101: \(sentence)")
    #expect(problem(String(repeating: "!", count: 1_000_000)) == "101: \(sentence)")
    #expect(problem(String(repeating: "NOT ", count: 1_000_000)) == "401: \(sentence)")
    let braces = String(repeating: "{", count: 1_000_000)
    #expect(problem("a IN \(braces)") == "7: expected a value, found '{'.")
  }

  @Test func `the error names missing, unused and mistyped arguments`() {
    #expect(
      problem("a == %@ AND b == %@", [.int(1)])
        == "18: the filter uses argument 2, which was not passed.")
    #expect(
      problem("a == %@", [.int(1), .int(2)])
        == "2 arguments were passed, but the filter uses only 1.")
    #expect(
      problem("a == 1", [.int(1)]) == "1 argument was passed, but the filter uses none.")
    let names =
      "%K needs a string with a key path, such as details.closeDate; argument 1 is not one."
    #expect(problem("%K == 1", [.int(1)]) == "1: \(names)")
    #expect(problem("%K == 1", [.string("a..b")]) == "1: \(names)")
    #expect(problem("%K == 1", [.string("")]) == "1: \(names)")
    #expect(
      problem("a == %@", [.array([.array([])])])
        == "6: %@ needs a value, nil or a list of values; argument 1 is not one of these.")
  }

  @Test func `the error shows the line with a caret below it`() throws {
    func caret(_ text: String) -> String? {
      do throws(FilterError) {
        _ = try Filter(text)
        return nil
      } catch { return error.caret }
    }
    #expect(
      caret("état = 'CA' amount > 5") == """
        état = 'CA' amount > 5
                    ^
        """)
    #expect(caret("\ta == 1\n\tAND b = }\nOR c == 1") == "\tAND b = }\n\t        ^")
    #expect(caret("e\u{301} ==") == "e\u{301} ==\n    ^")
    let error = try #require(throws: FilterError.self) { _ = try Filter("a ==") }
    #expect(
      "\(error)"
        == "filter, column 5: the filter ends where a value or a path should follow.")
  }

  @Test(arguments: 0..<8) func `every invalid filter has an error with a column`(seed: UInt64)
    throws
  {
    var random = RandomFilters(seed: seed)
    let pieces = [
      "a", "b.c", "#in", "==", "=", "!", "!=", "<", "(", ")", "{", "}", "[", "]", "cd", ",", ".",
      "AND", "or", "NOT", "IN", "BETWEEN", "LIKE", "ANY", "none", "@count", "@", "%@", "%K", "%",
      "1", "-1.5e3", "-", "1e", "'x'", "\"", "'", "\\", "nil", "true", "TRUEPREDICATE", "é",
      "e\u{301}",
      "\n", "\t", " ", "😀", "#", "#'x y'", "`", "`x y`", "\u{0}",
    ]
    for _ in 0..<2_000 {
      let text = (0..<random.number(9)).map { _ in random.one(of: pieces) }
        .joined(separator: random.number(2) == 0 ? " " : "")
      do throws(FilterError) {
        let filter = try Filter(text, arguments: [.string("x")])
        #expect(throws: Never.self) { try Filter(filter.description) }
      } catch {
        let column = error.column ?? 1
        #expect((1...text.unicodeScalars.count + 1).contains(column), "\(text)")
        #expect(error.caret?.hasSuffix("^") ?? (error.column == nil), "\(text)")
        #expect(error.sentence.hasSuffix("."), "\(text)")
      }
    }
  }
}
