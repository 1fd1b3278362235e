import DaybookStore
import Testing

/// Invalid JSON and the complete error messages.
@Suite("Invalid JSON") struct JSONRefusedBytesTests {
  @Test func `the error of a premature end names the expected token`() {
    expectSentences([
      ("", "column 1: a value was expected, and the line ends there."),
      (" \t", "column 3: a value was expected, and the line ends there."),
      ("[", #"column 2: a value or "]" was expected, and the line ends there."#),
      ("[1", #"column 3: a comma or "]" was expected, and the line ends there."#),
      ("[1,", "column 4: a value was expected, and the line ends there."),
      (
        "{",
        #"column 2: a key in quotation marks or "}" was expected, and the line ends there."#
      ),
      (#"{"a""#, "column 5: a colon was expected, and the line ends there."),
      (#"{"a":"#, "column 6: a value was expected, and the line ends there."),
      (#"{"a":1"#, #"column 7: a comma or "}" was expected, and the line ends there."#),
      (#"{"a":1,"#, "column 8: a key in quotation marks was expected, and the line ends there."),
      (#"""#, "column 2: the closing quotation mark was expected, and the line ends there."),
      (#""\""#, "column 4: the closing quotation mark was expected, and the line ends there."),
      (#""é"#, "column 3: the closing quotation mark was expected, and the line ends there."),
      (#""\"#, #"column 3: one of " \ / b f n r t u was expected, and the line ends there."#),
      (
        #""\u12"#,
        "column 6: four hexadecimal digits were expected, and the line ends there."
      ),
      ("-", "column 2: a digit after the sign was expected, and the line ends there."),
      ("5.", "column 3: a digit after the point was expected, and the line ends there."),
      ("5e", "column 3: a digit of the exponent was expected, and the line ends there."),
      ("5e-", "column 4: a digit of the exponent was expected, and the line ends there."),
    ])
  }

  @Test func `the error of a misplaced character shows it`() {
    expectSentences([
      ("x", #"column 1: a value was expected, and "x" stands there."#),
      (",", #"column 1: a value was expected, and "," stands there."#),
      ("]", #"column 1: a value was expected, and "]" stands there."#),
      ("}", #"column 1: a value was expected, and "}" stands there."#),
      ("'a'", #"column 1: a value was expected, and "'" stands there."#),
      ("// 1", #"column 1: a value was expected, and "/" stands there."#),
      ("[1]//", #"column 4: the end of the line was expected, and "/" stands there."#),
      ("[1,]", #"column 4: a value was expected, and "]" stands there."#),
      ("[,1]", #"column 2: a value or "]" was expected, and "," stands there."#),
      ("[1 2]", #"column 4: a comma or "]" was expected, and "2" stands there."#),
      ("[1}", #"column 3: a comma or "]" was expected, and "}" stands there."#),
      (#"{"a":1]"#, #"column 7: a comma or "}" was expected, and "]" stands there."#),
      (#"{"a":1 x"#, #"column 8: a comma or "}" was expected, and "x" stands there."#),
      (
        #"{"a":1 "b":2}"#,
        #"column 8: a comma or "}" was expected, and a quotation mark stands there."#
      ),
      (#"{"a" 1}"#, #"column 6: a colon was expected, and "1" stands there."#),
      (#"{"a":}"#, #"column 6: a value was expected, and "}" stands there."#),
      (#"{"a":1,}"#, #"column 8: a key in quotation marks was expected, and "}" stands there."#),
      (
        "{a:1}",
        #"column 2: a key in quotation marks or "}" was expected, and "a" stands there."#
      ),
      (
        "{1:1}",
        #"column 2: a key in quotation marks or "}" was expected, and "1" stands there."#
      ),
      ("1 2", #"column 3: the end of the line was expected, and "2" stands there."#),
      ("{}{}", #"column 3: the end of the line was expected, and "{" stands there."#),
      ("nul", #"column 1: a value was expected, and "nul" stands there."#),
      ("True", #"column 1: a value was expected, and "True" stands there."#),
      ("truest", #"column 5: the end of the line was expected, and "st" stands there."#),
      ("undefined", #"column 1: a value was expected, and "undefined" stands there."#),
      ("é", #"column 1: a value was expected, and "é" stands there."#),
      ("\u{A0}1", "column 1: a value was expected, and U+00A0 stands there."),
      ("1\u{2028}", "column 2: the end of the line was expected, and U+2028 stands there."),
      ("\u{1F4D3}", "column 1: a value was expected, and \"\u{1F4D3}\" stands there."),
      ("\u{10FFFF}", "column 1: a value was expected, and U+10FFFF stands there."),
      ("\0", "column 1: a value was expected, and U+0000 stands there."),
      ("1\0", "column 2: the end of the line was expected, and U+0000 stands there."),
      ("1\u{0B}", "column 2: the end of the line was expected, and U+000B stands there."),
      (
        String(repeating: "abc", count: 20),
        """
        column 1: a value was expected, and "\(String(repeating: "abc", count: 13))a" stands there.
        """
      ),
    ])
  }

  @Test func `a byte order mark is named only at the start of the line`() {
    expectSentences([
      (
        "\u{FEFF}{}",
        "column 1: the line begins with a byte order mark, and JSON text has none."
      ),
      ("[\u{FEFF}]", #"column 2: a value or "]" was expected, and U+FEFF stands there."#),
    ])
  }

  @Test func `a number with invalid spelling is refused`() {
    expectSentences([
      (
        "01",
        #"column 2: no digit was expected behind a number's leading zero, and "1" stands there."#
      ),
      (
        "[-012]",
        #"column 4: no digit was expected behind a number's leading zero, and "12" stands there."#
      ),
      (
        "00",
        #"column 2: no digit was expected behind a number's leading zero, and "0" stands there."#
      ),
      ("+1", #"column 1: a value was expected, and "+" stands there."#),
      (".5", #"column 1: a value was expected, and "." stands there."#),
      ("-.5", #"column 2: a digit after the sign was expected, and "." stands there."#),
      ("5.e1", #"column 3: a digit after the point was expected, and "e1" stands there."#),
      ("5.]", #"column 3: a digit after the point was expected, and "]" stands there."#),
      ("5ex", #"column 3: a digit of the exponent was expected, and "x" stands there."#),
      ("5E+-1", #"column 4: a digit of the exponent was expected, and "-" stands there."#),
      ("--1", #"column 2: a digit after the sign was expected, and "-" stands there."#),
      (
        "-Infinity", #"column 2: a digit after the sign was expected, and "Infinity" stands there."#
      ),
      ("NaN", #"column 1: a value was expected, and "NaN" stands there."#),
      ("0x1F", #"column 2: the end of the line was expected, and "x1F" stands there."#),
      ("1.5.5", #"column 4: the end of the line was expected, and "." stands there."#),
      ("1_000", #"column 2: the end of the line was expected, and "_" stands there."#),
      ("1f", #"column 2: the end of the line was expected, and "f" stands there."#),
    ])
  }

  @Test func `an unknown escape is refused`() {
    expectSentences([
      (#""\x41""#, #"column 3: one of " \ / b f n r t u was expected, and "x" stands there."#),
      (#""\'""#, #"column 3: one of " \ / b f n r t u was expected, and "'" stands there."#),
      (#""\N""#, #"column 3: one of " \ / b f n r t u was expected, and "N" stands there."#),
      (#""\é""#, #"column 3: one of " \ / b f n r t u was expected, and "é" stands there."#),
      ("\"\\\0\"", #"column 3: one of " \ / b f n r t u was expected, and U+0000 stands there."#),
      (
        #""\u""#,
        "column 4: four hexadecimal digits were expected, and a quotation mark stands there."
      ),
      (#""\u00G0""#, #"column 6: four hexadecimal digits were expected, and "G" stands there."#),
      (#""\u{41}""#, #"column 4: four hexadecimal digits were expected, and "{" stands there."#),
      (#""\U0041""#, #"column 3: one of " \ / b f n r t u was expected, and "U" stands there."#),
      (
        #"{"\q":1}"#,
        #"column 4: one of " \ / b f n r t u was expected, and "q" stands there."#
      ),
    ])
  }

  @Test func `half a surrogate pair is refused`() {
    func first(_ column: Int, _ half: String) -> String {
      """
      column \(column): \\u\(half) is the first half of a pair, and no second half (\\uDC00 to \
      \\uDFFF) follows.
      """
    }
    func second(_ column: Int, _ half: String) -> String {
      """
      column \(column): \\u\(half) is the second half of a pair, and no first half (\\uD800 to \
      \\uDBFF) stands before it.
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
        "column 13: four hexadecimal digits were expected, and a quotation mark stands there."
      ),
    ])
  }

  @Test func `an unescaped control character in a string is refused`() {
    let names: [UInt8: String] = [8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"]
    for byte: UInt8 in 0..<0x20 {
      let digits = (byte < 16 ? "000" : "00") + String(byte, radix: 16, uppercase: true)
      let said =
        "in a string, U+\(digits) is written \(names[byte] ?? "\\u" + digits), and it stands there"
      let bytes = Array("\"é".utf8) + [byte] + Array("\"".utf8)
      #expect(complaint(bytes) == "column 3: \(said) as itself.", "\(byte)")
      // A position where the reader compares eight bytes together.
      let far = Array("\"123456789".utf8) + [byte] + Array("123456789\"".utf8)
      #expect(complaint(far) == "column 11: \(said) as itself.", "\(byte)")
    }
    #expect(complaint(Array("\"\u{7F}\"".utf8)) == nil)
    #expect(complaint(Array("\"\u{2028}\u{2029}\"".utf8)) == nil)
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    let cases: [([UInt8], String)] = [
      ([0xFF], "the byte 0xFF is not"),
      ([0xFE], "the byte 0xFE is not"),
      ([0x80], "the byte 0x80 is not"),
      ([0xBF], "the byte 0xBF is not"),
      ([0xC0, 0xAF], "the bytes 0xC0 0xAF are not"),
      ([0xC1, 0xBF], "the bytes 0xC1 0xBF are not"),
      ([0xC3], "the bytes 0xC3 0x22 are not"),
      ([0xE0, 0x80, 0xAF], "the bytes 0xE0 0x80 0xAF are not"),
      ([0xE0, 0x9F, 0xBF], "the bytes 0xE0 0x9F 0xBF are not"),
      ([0xE2, 0x82], "the bytes 0xE2 0x82 0x22 are not"),
      ([0xED, 0xA0, 0x80], "the bytes 0xED 0xA0 0x80 are not"),
      ([0xED, 0xBF, 0xBF], "the bytes 0xED 0xBF 0xBF are not"),
      ([0xF0, 0x8F, 0xBF, 0xBF], "the bytes 0xF0 0x8F 0xBF 0xBF are not"),
      ([0xF0, 0x9F, 0x98], "the bytes 0xF0 0x9F 0x98 0x22 are not"),
      ([0xF4, 0x90, 0x80, 0x80], "the bytes 0xF4 0x90 0x80 0x80 are not"),
      ([0xF5, 0x80, 0x80, 0x80], "the bytes 0xF5 0x80 0x80 0x80 are not"),
      ([0xF8, 0x88, 0x80, 0x80, 0x80], "the byte 0xF8 is not"),
    ]
    for (bytes, said) in cases {
      let text = Array("{\"é😀".utf8) + bytes + Array("\":1}".utf8)
      #expect(complaint(text) == "column 5: UTF-8 was expected, and \(said).")
    }
    #expect(
      complaint(Array("\"".utf8) + [0xE2, 0x82])
        == "column 2: UTF-8 was expected, and the bytes 0xE2 0x82 are not.")
    #expect(
      complaint(Array("\"\\".utf8) + [0xFF])
        == "column 3: UTF-8 was expected, and the byte 0xFF is not.")
    #expect(complaint([0xFF]) == "column 1: a value was expected, and the byte 0xFF stands there.")
    #expect(
      complaint([0x31, 0xC3])
        == "column 2: the end of the line was expected, and the byte 0xC3 stands there.")
  }

  @Test func `nesting deeper than 64 levels is refused`() {
    let said = "objects and arrays may stand 64 deep, and another begins there."
    for count in [65, 66, 100_000] {
      expectSentences([(String(repeating: "[", count: count), "column 65: \(said)")])
    }
    let objects = String(repeating: #"{"a":"#, count: 100_000)
    expectSentences([(objects, "column 321: \(said)")])
    let right = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(complaint(Array(right.utf8)) == nil)
    #expect(
      complaint(Array((String(repeating: "[", count: 64) + "]]").utf8))
        == #"column 67: a comma or "]" was expected, and the line ends there."#)
  }

  @Test func `the error of a duplicate key names both columns`() throws {
    let many = (0..<30).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    let cases = [
      (
        #"{"a":1,"a":2}"#,
        #"column 8: each key was expected once, and "a" stands in column 2 already."#
      ),
      (
        #"{"é":1,"b":{"b":1,"é":2},"\u00e9":3}"#,
        #"column 26: each key was expected once, and "é" stands in column 2 already."#
      ),
      (
        "{\(many),\"k3\":1}",
        #"column 252: each key was expected once, and "k3" stands in column 23 already."#
      ),
      (
        "{\(many),\"k29\":1}",
        #"column 252: each key was expected once, and "k29" stands in column 243 already."#
      ),
      (
        #"{"\n":1,"\u000A":2}"#,
        #"column 9: each key was expected once, and "\n" stands in column 2 already."#
      ),
    ]
    for (text, said) in cases {
      #expect(treeComplaint(text) == said)
      // Only reading a tree or recording keys detects duplicates.
      #expect(complaint(Array(text.utf8)) == nil)
    }
    #expect(treeComplaint(#"[{"a":1},{"a":1}]"#) == nil)
  }

  private func treeComplaint(_ text: String) -> String? {
    do {
      _ = try JSONValue(Array(text.utf8))
      return nil
    } catch { return "\(error)" }
  }
}
