import DaybookStore
import Testing

/// Invalid JSON and the complete error messages.
@Suite("Invalid JSON") struct JSONRefusedBytesTests {
  @Test func `the error of a premature end names the expected token`() {
    expectSentences([
      ("", "column 1: expected a value, found the end of the line."),
      (" \t", "column 3: expected a value, found the end of the line."),
      ("[", #"column 2: expected a value or "]", found the end of the line."#),
      ("[1", #"column 3: expected a comma or "]", found the end of the line."#),
      ("[1,", "column 4: expected a value, found the end of the line."),
      (
        "{",
        #"column 2: expected a key in quotation marks or "}", found the end of the line."#
      ),
      (#"{"a""#, "column 5: expected a colon, found the end of the line."),
      (#"{"a":"#, "column 6: expected a value, found the end of the line."),
      (#"{"a":1"#, #"column 7: expected a comma or "}", found the end of the line."#),
      (#"{"a":1,"#, "column 8: expected a key in quotation marks, found the end of the line."),
      (#"""#, "column 2: expected the closing quotation mark, found the end of the line."),
      (#""\""#, "column 4: expected the closing quotation mark, found the end of the line."),
      (#""é"#, "column 3: expected the closing quotation mark, found the end of the line."),
      (#""\"#, #"column 3: expected one of " \ / b f n r t u, found the end of the line."#),
      (
        #""\u12"#,
        "column 6: expected four hexadecimal digits, found the end of the line."
      ),
      ("-", "column 2: expected a digit after the sign, found the end of the line."),
      ("5.", "column 3: expected a digit after the point, found the end of the line."),
      ("5e", "column 3: expected a digit of the exponent, found the end of the line."),
      ("5e-", "column 4: expected a digit of the exponent, found the end of the line."),
    ])
  }

  @Test func `the error of a misplaced character shows it`() {
    expectSentences([
      ("x", #"column 1: expected a value, found "x"."#),
      (",", #"column 1: expected a value, found ","."#),
      ("]", #"column 1: expected a value, found "]"."#),
      ("}", #"column 1: expected a value, found "}"."#),
      ("'a'", #"column 1: expected a value, found "'"."#),
      ("// 1", #"column 1: expected a value, found "/"."#),
      ("[1]//", #"column 4: expected the end of the line, found "/"."#),
      ("[1,]", #"column 4: expected a value, found "]"."#),
      ("[,1]", #"column 2: expected a value or "]", found ","."#),
      ("[1 2]", #"column 4: expected a comma or "]", found "2"."#),
      ("[1}", #"column 3: expected a comma or "]", found "}"."#),
      (#"{"a":1]"#, #"column 7: expected a comma or "}", found "]"."#),
      (#"{"a":1 x"#, #"column 8: expected a comma or "}", found "x"."#),
      (
        #"{"a":1 "b":2}"#,
        #"column 8: expected a comma or "}", found a quotation mark."#
      ),
      (#"{"a" 1}"#, #"column 6: expected a colon, found "1"."#),
      (#"{"a":}"#, #"column 6: expected a value, found "}"."#),
      (#"{"a":1,}"#, #"column 8: expected a key in quotation marks, found "}"."#),
      (
        "{a:1}",
        #"column 2: expected a key in quotation marks or "}", found "a"."#
      ),
      (
        "{1:1}",
        #"column 2: expected a key in quotation marks or "}", found "1"."#
      ),
      ("1 2", #"column 3: expected the end of the line, found "2"."#),
      ("{}{}", #"column 3: expected the end of the line, found "{"."#),
      ("nul", #"column 1: expected a value, found "nul"."#),
      ("True", #"column 1: expected a value, found "True"."#),
      ("truest", #"column 5: expected the end of the line, found "st"."#),
      ("undefined", #"column 1: expected a value, found "undefined"."#),
      ("é", #"column 1: expected a value, found "é"."#),
      ("\u{A0}1", "column 1: expected a value, found U+00A0."),
      ("1\u{2028}", "column 2: expected the end of the line, found U+2028."),
      ("\u{1F4D3}", "column 1: expected a value, found \"\u{1F4D3}\"."),
      ("\u{10FFFF}", "column 1: expected a value, found U+10FFFF."),
      ("\0", "column 1: expected a value, found U+0000."),
      ("1\0", "column 2: expected the end of the line, found U+0000."),
      ("1\u{0B}", "column 2: expected the end of the line, found U+000B."),
      (
        String(repeating: "abc", count: 20),
        """
        column 1: expected a value, found "\(String(repeating: "abc", count: 13))a".
        """
      ),
    ])
  }

  @Test func `a byte order mark is named only at the start of the line`() {
    expectSentences([
      (
        "\u{FEFF}{}",
        "column 1: the line starts with a byte order mark, which JSON does not allow."
      ),
      ("[\u{FEFF}]", #"column 2: expected a value or "]", found U+FEFF."#),
    ])
  }

  @Test func `a number with invalid spelling is refused`() {
    expectSentences([
      (
        "01",
        #"column 2: a number has no leading zero: expected no digit after 0, found "1"."#
      ),
      (
        "[-012]",
        #"column 4: a number has no leading zero: expected no digit after 0, found "12"."#
      ),
      (
        "00",
        #"column 2: a number has no leading zero: expected no digit after 0, found "0"."#
      ),
      ("+1", #"column 1: expected a value, found "+"."#),
      (".5", #"column 1: expected a value, found "."."#),
      ("-.5", #"column 2: expected a digit after the sign, found "."."#),
      ("5.e1", #"column 3: expected a digit after the point, found "e1"."#),
      ("5.]", #"column 3: expected a digit after the point, found "]"."#),
      ("5ex", #"column 3: expected a digit of the exponent, found "x"."#),
      ("5E+-1", #"column 4: expected a digit of the exponent, found "-"."#),
      ("--1", #"column 2: expected a digit after the sign, found "-"."#),
      (
        "-Infinity", #"column 2: expected a digit after the sign, found "Infinity"."#
      ),
      ("NaN", #"column 1: expected a value, found "NaN"."#),
      ("0x1F", #"column 2: expected the end of the line, found "x1F"."#),
      ("1.5.5", #"column 4: expected the end of the line, found "."."#),
      ("1_000", #"column 2: expected the end of the line, found "_"."#),
      ("1f", #"column 2: expected the end of the line, found "f"."#),
    ])
  }

  @Test func `an unknown escape is refused`() {
    expectSentences([
      (#""\x41""#, #"column 3: expected one of " \ / b f n r t u, found "x"."#),
      (#""\'""#, #"column 3: expected one of " \ / b f n r t u, found "'"."#),
      (#""\N""#, #"column 3: expected one of " \ / b f n r t u, found "N"."#),
      (#""\é""#, #"column 3: expected one of " \ / b f n r t u, found "é"."#),
      ("\"\\\0\"", #"column 3: expected one of " \ / b f n r t u, found U+0000."#),
      (
        #""\u""#,
        "column 4: expected four hexadecimal digits, found a quotation mark."
      ),
      (#""\u00G0""#, #"column 6: expected four hexadecimal digits, found "G"."#),
      (#""\u{41}""#, #"column 4: expected four hexadecimal digits, found "{"."#),
      (#""\U0041""#, #"column 3: expected one of " \ / b f n r t u, found "U"."#),
      (
        #"{"\q":1}"#,
        #"column 4: expected one of " \ / b f n r t u, found "q"."#
      ),
    ])
  }

  @Test func `half a surrogate pair is refused`() {
    func first(_ column: Int, _ half: String) -> String {
      """
      column \(column): \\u\(half) is the first half of a surrogate pair, but no second half (\\uDC00 to \
      \\uDFFF) follows.
      """
    }
    func second(_ column: Int, _ half: String) -> String {
      """
      column \(column): \\u\(half) is the second half of a surrogate pair, but no first half (\\uD800 to \
      \\uDBFF) precedes it.
      """
    }
    expectSentences([
      (#""\uD800""#, first(2, "D800")),
      (#""é\udbff""#, first(3, "DBFF")),
      (#""\uD83D\n""#, first(2, "D83D")),
      (#""\uD83Dx""#, first(2, "D83D")),
      (#""\uD83D\uD83D\uDE00""#, first(2, "D83D")),
      (#""\uD83D\u0041""#, first(2, "D83D")),
      (#""\uDC00""#, second(2, "DC00")),
      (#""\uDE00\uD83D""#, second(2, "DE00")),
      (#""\uD83D\uDE00\uDE00""#, second(14, "DE00")),
      (
        #""\uD83D\uDE0""#,
        "column 13: expected four hexadecimal digits, found a quotation mark."
      ),
    ])
  }

  @Test func `an unescaped control character in a string is refused`() {
    let names: [UInt8: String] = [8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"]
    for byte: UInt8 in 0..<0x20 {
      let digits = (byte < 16 ? "000" : "00") + String(byte, radix: 16, uppercase: true)
      let said =
        "the control character U+\(digits) must be escaped in a string, as "
        + "\(names[byte] ?? "\\u" + digits)."
      let bytes = Array("\"é".utf8) + [byte] + Array("\"".utf8)
      #expect(problem(bytes) == "column 3: \(said)", "\(byte)")
      // A position where the reader compares eight bytes together.
      let far = Array("\"123456789".utf8) + [byte] + Array("123456789\"".utf8)
      #expect(problem(far) == "column 11: \(said)", "\(byte)")
    }
    #expect(problem(Array("\"\u{7F}\"".utf8)) == nil)
    #expect(problem(Array("\"\u{2028}\u{2029}\"".utf8)) == nil)
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    let cases: [([UInt8], String)] = [
      ([0xFF], "byte 0xFF"),
      ([0xFE], "byte 0xFE"),
      ([0x80], "byte 0x80"),
      ([0xBF], "byte 0xBF"),
      ([0xC0, 0xAF], "bytes 0xC0 0xAF"),
      ([0xC1, 0xBF], "bytes 0xC1 0xBF"),
      ([0xC3], "bytes 0xC3 0x22"),
      ([0xE0, 0x80, 0xAF], "bytes 0xE0 0x80 0xAF"),
      ([0xE0, 0x9F, 0xBF], "bytes 0xE0 0x9F 0xBF"),
      ([0xE2, 0x82], "bytes 0xE2 0x82 0x22"),
      ([0xED, 0xA0, 0x80], "bytes 0xED 0xA0 0x80"),
      ([0xED, 0xBF, 0xBF], "bytes 0xED 0xBF 0xBF"),
      ([0xF0, 0x8F, 0xBF, 0xBF], "bytes 0xF0 0x8F 0xBF 0xBF"),
      ([0xF0, 0x9F, 0x98], "bytes 0xF0 0x9F 0x98 0x22"),
      ([0xF4, 0x90, 0x80, 0x80], "bytes 0xF4 0x90 0x80 0x80"),
      ([0xF5, 0x80, 0x80, 0x80], "bytes 0xF5 0x80 0x80 0x80"),
      ([0xF8, 0x88, 0x80, 0x80, 0x80], "byte 0xF8"),
    ]
    for (bytes, said) in cases {
      let text = Array("{\"é😀".utf8) + bytes + Array("\":1}".utf8)
      #expect(problem(text) == "column 5: expected UTF-8, found the invalid \(said).")
    }
    #expect(
      problem(Array("\"".utf8) + [0xE2, 0x82])
        == "column 2: expected UTF-8, found the invalid bytes 0xE2 0x82.")
    #expect(
      problem(Array("\"\\".utf8) + [0xFF])
        == "column 3: expected UTF-8, found the invalid byte 0xFF.")
    #expect(problem([0xFF]) == "column 1: expected a value, found the byte 0xFF.")
    #expect(
      problem([0x31, 0xC3])
        == "column 2: expected the end of the line, found the byte 0xC3.")
  }

  @Test func `nesting deeper than 64 levels is refused`() {
    let said = "objects and arrays are nested too deeply; the limit is 64 levels."
    for count in [65, 66, 100_000] {
      expectSentences([(String(repeating: "[", count: count), "column 65: \(said)")])
    }
    let objects = String(repeating: #"{"a":"#, count: 100_000)
    expectSentences([(objects, "column 321: \(said)")])
    let right = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(problem(Array(right.utf8)) == nil)
    #expect(
      problem(Array((String(repeating: "[", count: 64) + "]]").utf8))
        == #"column 67: expected a comma or "]", found the end of the line."#)
  }

  @Test func `the error of a duplicate key names both columns`() throws {
    let many = (0..<30).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    let cases = [
      (
        #"{"a":1,"a":2}"#,
        #"column 8: the key "a" is repeated; it is already in column 2."#
      ),
      (
        #"{"é":1,"b":{"b":1,"é":2},"\u00e9":3}"#,
        #"column 26: the key "é" is repeated; it is already in column 2."#
      ),
      (
        "{\(many),\"k3\":1}",
        #"column 252: the key "k3" is repeated; it is already in column 23."#
      ),
      (
        "{\(many),\"k29\":1}",
        #"column 252: the key "k29" is repeated; it is already in column 243."#
      ),
      (
        #"{"\n":1,"\u000A":2}"#,
        #"column 9: the key "\n" is repeated; it is already in column 2."#
      ),
    ]
    for (text, said) in cases {
      #expect(treeProblem(text) == said)
      // Only reading a tree or recording keys detects duplicates.
      #expect(problem(Array(text.utf8)) == nil)
    }
    #expect(treeProblem(#"[{"a":1},{"a":1}]"#) == nil)
  }

  private func treeProblem(_ text: String) -> String? {
    do {
      _ = try JSONValue(Array(text.utf8))
      return nil
    } catch { return "\(error)" }
  }
}
