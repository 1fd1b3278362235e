import DaybookResults
import DaybookStore
import Testing

/// What the reader is told of a text that is no filter: the column, and the sentence.
func complaint(_ text: String, _ arguments: [AttributeValue] = []) -> String {
  do throws(FilterError) {
    return "read as \(try Filter(text, arguments: arguments))"
  } catch {
    return "\(error.column.map { "\($0): " } ?? "")\(error.sentence)"
  }
}

@Suite struct `What a filter that cannot be read tells the reader` {
  @Test func `what was expected, what stands there, and where`() {
    #expect(complaint("") == "1: a condition was expected, and the end stands there.")
    #expect(complaint("a") == "2: an operator was expected, and the end stands there.")
    #expect(complaint("a b") == "3: an operator was expected, and 'b' stands there.")
    #expect(complaint("a ==") == "5: a value or a path was expected, and the end stands there.")
    #expect(
      complaint("a == AND") == "6: a value or a path was expected, and 'AND' stands there.")
    #expect(complaint("a == 1 b") == "8: AND, OR or the end was expected, and 'b' stands there.")
    #expect(
      complaint("(a == 1") == "8: AND, OR or ')' was expected, and the end stands there.")
    #expect(complaint("a == 1)") == "7: AND, OR or the end was expected, and ')' stands there.")
    #expect(complaint("a[c] == 1") == "2: an operator was expected, and '[' stands there.")
    #expect(complaint("a ==[x] 'b'") == "6: c, d or cd was expected, and 'x' stands there.")
    #expect(complaint("a ==[c 'b'") == #"8: ']' was expected, and "b" stands there."#)
    #expect(
      complaint("a <[c] 'b'") == "4: a value or a path was expected, and '[' stands there.")
    #expect(complaint("a IN {1 2}") == "9: ',' or '}' was expected, and 2 stands there.")
    #expect(complaint("a IN (1,") == "9: a value was expected, and the end stands there.")
    #expect(complaint("a IN {b}") == "7: a value was expected, and 'b' stands there.")
    #expect(complaint("a IN {{1}}") == "7: a value was expected, and '{' stands there.")
    #expect(complaint("a IN ]") == "6: a list or a path was expected, and ']' stands there.")
    #expect(
      complaint("ANY == 1") == "5: a path behind ANY was expected, and '==' stands there.")
    #expect(
      complaint("a. == 1") == "4: a name or @count behind '.' was expected, and '==' stands there.")
    #expect(complaint("a.@sum == 1") == "3: @count was expected, and '@sum' stands there.")
    #expect(complaint("a == %d") == "6: %@ or %K was expected, and '%' stands there.")
    #expect(complaint("# == 1") == "2: a name behind '#' was expected, and U+0020 stands there.")
    #expect(
      complaint("#'' == 1") == "2: a name behind '#' was expected, and an empty one stands there.")
    #expect(complaint("é == 😀") == "6: a value or a path was expected, and '😀' stands there.")
    #expect(
      complaint("a IN {%@}", [.array([.int(1)])])
        == "7: a value was expected, and a list stands there.")
  }

  @Test func `a text that does not end, and an escape that is none`() {
    #expect(complaint("a == 'b") == "6: a text that begins with ' ends with '.")
    #expect(complaint(#"a == "b'"#) == #"6: a text that begins with " ends with "."#)
    #expect(
      complaint(#"a == "b\x""#)
        == #"8: an escape is \\, \", \', \n, \t or \u{…}, and 'x' stands there."#)
    #expect(
      complaint(#"a == "\u{110000}""#)
        == #"7: an escape is \\, \", \', \n, \t or \u{…}, and 'u' stands there."#)
    #expect(
      complaint(#"a == "\"#)
        == #"8: an escape is \\, \", \', \n, \t or \u{…}, and the end stands there."#)
  }

  @Test func `a number that is none`() {
    #expect(
      complaint("a == 05") == "6: 05 is no number: a number has no leading zeros.")
    #expect(
      complaint("a == 1.")
        == "6: 1. is no number: expected a digit after the point, found the end.")
    #expect(
      complaint("a == 1x")
        == "6: 1x is no number: expected the end of the number, found 'x'.")
    #expect(
      complaint("a == 1e400")
        == "6: 1e400 is no number: numbers reach up to 1.7976931348623157e+308; "
        + "this is further from 0.")
  }

  @Test func `nesting beyond the limit, however deep`() {
    let sentence = "parentheses and NOT may stand in each other 100 deep, and this is deeper."
    #expect(complaint(String(repeating: "(", count: 101) + "a == 1") == "101: \(sentence)")
    #expect(complaint(String(repeating: "(", count: 1_000_000)) == "101: \(sentence)")
    #expect(complaint(String(repeating: "!", count: 1_000_000)) == "101: \(sentence)")
    #expect(complaint(String(repeating: "NOT ", count: 1_000_000)) == "401: \(sentence)")
    let braces = String(repeating: "{", count: 1_000_000)
    #expect(complaint("a IN \(braces)") == "7: a value was expected, and '{' stands there.")
  }

  @Test func `arguments that are missing, left over, or of the wrong kind`() {
    #expect(complaint("a == %@ AND b == %@", [.int(1)]) == "18: there is no argument 2.")
    #expect(
      complaint("a == %@", [.int(1), .int(2)]) == "there are 2 arguments, and the text asks for 1.")
    let names = "%K takes a text with names, as details.closeDate, and argument 1 is none."
    #expect(complaint("%K == 1", [.int(1)]) == "1: \(names)")
    #expect(complaint("%K == 1", [.string("a..b")]) == "1: \(names)")
    #expect(complaint("%K == 1", [.string("")]) == "1: \(names)")
    #expect(
      complaint("a == %@", [.array([.array([])])])
        == "6: %@ takes a value, nil, or a list of values, and argument 1 is none.")
  }

  @Test func `is a line of the text with a caret below`() throws {
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
        == "filter, column 5: a value or a path was expected, and the end stands there.")
  }

  @Test(arguments: 0..<8) func `is told of any text, with a column in it`(seed: UInt64) throws {
    var random = RandomFilters(seed: seed)
    let pieces = [
      "a", "b.c", "#in", "==", "=", "!", "!=", "<", "(", ")", "{", "}", "[", "]", "cd", ",", ".",
      "AND", "or", "NOT", "IN", "BETWEEN", "LIKE", "ANY", "none", "@count", "@", "%@", "%K", "%",
      "1", "-1.5e3", "-", "1e", "'x'", "\"", "'", "\\", "nil", "true", "TRUEPREDICATE", "é",
      "e\u{301}",
      "\n", "\t", " ", "😀", "#", "#'x y'", "\u{0}",
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
