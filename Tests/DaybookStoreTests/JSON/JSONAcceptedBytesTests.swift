import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookText
import TestSupport
import Testing

/// Valid JSON and the values read from it.
@Suite("Valid JSON") struct JSONAcceptedBytesTests {
  @Test func `reading JSON gives the tree of its values in order`() throws {
    let cases: [(String, JSONValue)] = [
      ("null", .null),
      ("true", .bool(true)),
      ("false", .bool(false)),
      ("\"\"", .string("")),
      ("[]", .array([])),
      ("{}", .object([])),
      (" \t\n\r[ \t\n\r] \t\n\r", .array([])),
      ("{ }", .object([])),
      ("[[],{}]", .array([.array([]), .object([])])),
      ("[null , true\t,\nfalse\r]", .array([.null, .bool(true), .bool(false)])),
      (
        #"{"b" : 1 , "a":[ "x" ],"":{}}"#,
        .object([
          .init("b", value: .number(JSONNumber(1))), .init("a", value: .array([.string("x")])),
          .init("", value: .object([])),
        ])
      ),
      (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
      (#""\u0041\u00e9\u00E9\u20ac\uFFFF""#, .string("Aéé€\u{FFFF}")),
      (#""\u0000x""#, .string("\0x")),
      (#""\ud83d\ude00\uD800\uDC00\uDBFF\uDFFF""#, .string("😀\u{10000}\u{10FFFF}")),
      (#""é\né\n""#, .string("é\né\n")),
      (
        "\"é€😀\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFF}\"",
        .string("é€😀\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFF}")
      ),
      (#"{"\u0061":"/"}"#, .object([.init("a", value: .string("/"))])),
    ]
    for (text, tree) in cases { #expect(try JSONValue(Array(text.utf8)) == tree, "\(text)") }
  }

  @Test func `a number keeps its spelling and has the right representation`() throws {
    let cases: [(String, JSONNumber.Representation)] = [
      ("0", .integer(0)),
      ("-0", .integer(0)),
      ("-1", .integer(-1)),
      ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .unsigned(1 << 63)),
      ("9999999999999999999", .unsigned(9_999_999_999_999_999_999)),
      ("10000000000000000000", .unsigned(10_000_000_000_000_000_000)),
      ("18446744073709551615", .unsigned(.max)),
      ("18446744073709551616", .wide),
      ("-9223372036854775809", .wide),
      ("-18446744073709551615", .wide),
      ("36893488147419103232", .wide),
      ("1" + String(repeating: "0", count: 400), .wide),
      ("0.0", .double(0)),
      ("-0.0", .double(-0.0)),
      ("0e0", .double(0)),
      ("0E+0", .double(0)),
      ("-0e-0", .double(-0.0)),
      ("1e2", .double(100)),
      ("1E2", .double(100)),
      ("1.5e-007", .double(1.5e-7)),
      ("12.5", .double(12.5)),
      ("9007199254740993.0", .double(9_007_199_254_740_992)),
      ("9007199254740992.9", .double(9_007_199_254_740_992)),
      ("9007199254740993.0000000000000000001", .double(9_007_199_254_740_994)),
      ("1e22", .double(1e22)),
      ("1e23", .double(1e23)),
      ("0.1", .double(0.1)),
      ("5e-324", .double(.leastNonzeroMagnitude)),
      ("2.4e-324", .double(0)),
      ("1e-400", .double(0)),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      ("1.8e308", .overflow),
      ("1E400", .overflow),
      ("-1e400", .overflow),
      ("1e99999999999999999999", .overflow),
      ("0e99999999999999999999", .double(0)),
      ("1e-99999999999999999999", .double(0)),
      ("1e0000000000000000000001", .double(10)),
      ("0." + String(repeating: "0", count: 400) + "1e401", .double(1)),
      ("1" + String(repeating: "0", count: 400) + "e-400", .double(1)),
    ]
    for (text, value) in cases {
      let number = try #require(JSONNumber(text), "\(text)")
      #expect(number.value == value, "\(text)")
      #expect(number.text == text)
      #expect(JSONValue.number(number).text == text)
    }
    #expect(JSONNumber("-0")?.double.sign == .minus)
    #expect(JSONNumber("-0.0")?.double.sign == .minus)
    #expect(JSONNumber("1" + String(repeating: "0", count: 400))?.double == .infinity)
    #expect(JSONNumber("18446744073709551615")?.double == 0x1p64)
    // Rounded to a double first, it would be halfway between two floats, and be rounded to the
    // wrong float.
    #expect(JSONNumber("1.00000005960464477539062501")?.float == Float(1).nextUp)
    for text in ["", "1 ", " 1", "+1", "01", "1x", "\"1\"", "nan"] {
      #expect(JSONNumber(text) == nil, "\(text)")
    }
  }

  @Test func `strings of lengths around a machine word are read completely`() throws {
    for count in 0..<40 {
      let plain = String(repeating: "a", count: count)
      for text in [plain, plain + "é", plain + "\n", "é" + plain, plain + "\"" + plain] {
        #expect(try JSONValue(Array(JSONValue.string(text).text.utf8)) == .string(text))
      }
    }
  }

  @Test func `a key is found only in its own object`() throws {
    let tree = try JSONValue(Array(#"{"a":1,"b":[{"c":null}]}"#.utf8))
    #expect(tree["a"] == .number(JSONNumber(1)))
    #expect(tree["c"] == nil)
    #expect(tree["b"]?["c"] == nil)
    #expect(tree["b"]?.kind == .array)
    #expect(tree.kind == .object)
  }
}

/// The steps of a reader as an import uses them.
@Suite("Incremental reading of JSON") struct JSONStepBytesTests {
  @Test func `each token has the column of its start`() throws {
    var reader = JSONReader(Array(#" {"é": [1,"x"] ,"b":null}"#.utf8))
    var received: [String] = []
    while true {
      let token = try reader.next()
      received.append("\(reader.column(at: reader.tokenOffset)) \(token)")
      if token == .end { break }
    }
    #expect(
      received == [
        "2 objectStart", "3 key", "8 arrayStart", "9 number", "11 string", "14 arrayEnd",
        "17 key", "21 null", "25 objectEnd", "26 end",
      ])
    #expect(try reader.next() == .end)
  }

  @Test func `a reader returns values of the requested kinds`() throws {
    var reader = JSONReader(Array(#"[7,"a",true,{"k":2},1.5,[null]]"#.utf8))
    try reader.beginArray()
    #expect(try reader.nextElement())
    #expect(try reader.peek() == .number)
    #expect(try reader.readInteger() == 7)
    #expect(try reader.nextElement())
    #expect(try reader.peek() == .string)
    #expect(try reader.readString() == "a")
    #expect(try reader.nextElement())
    #expect(try reader.peek() == .bool)
    #expect(try reader.readBool())
    #expect(try reader.nextElement())
    #expect(try reader.peek() == .object)
    try reader.beginObject()
    #expect(try reader.nextKey() == "k")
    #expect(try reader.readInteger() == 2)
    #expect(try reader.nextKey() == nil)
    #expect(try reader.nextElement())
    #expect(try reader.readNumber().value == .double(1.5))
    #expect(try reader.nextElement())
    #expect(try reader.peek() == .array)
    try reader.beginArray()
    #expect(try reader.nextElement())
    #expect(try reader.peek() == .null)
    #expect(try reader.next() == .null)
    #expect(try !reader.nextElement())
    #expect(try !reader.nextElement())
    try reader.finish()
  }

  @Test func `reading another kind of value names both kinds`() {
    let integer = "expected an integer from \(Int64.min) to \(Int64.max), found"
    let asks: [(String, String, (inout JSONReader) throws(JSONError) -> Void)] = [
      (
        "[]", "expected an object, found an array.",
        { r throws(JSONError) in try r.beginObject() }
      ),
      (
        "{}", "expected an array, found an object.",
        { r throws(JSONError) in try r.beginArray() }
      ),
      (
        "5", "expected a string, found a number.",
        { r throws(JSONError) in _ = try r.readString() }
      ),
      (
        "true", "expected a number, found \"true\".",
        { r throws(JSONError) in _ = try r.readNumber() }
      ),
      (
        "null", "expected true or false, found null.",
        { r throws(JSONError) in _ = try r.readBool() }
      ),
      (
        "\"1\"",
        "\(integer) a string.",
        { r throws(JSONError) in _ = try r.readInteger() }
      ),
      (
        "1.0",
        "\(integer) \"1.0\".",
        { r throws(JSONError) in _ = try r.readInteger() }
      ),
      (
        "9223372036854775808",
        "\(integer) \"9223372036854775808\".",
        { r throws(JSONError) in _ = try r.readInteger() }
      ),
    ]
    for (text, sentence, ask) in asks {
      var reader = JSONReader(Array(("\t" + text).utf8))
      let error = #expect(throws: JSONError.self) { try ask(&reader) }
      #expect(error.map { "\($0)" } == "column 2: \(sentence)")
      #expect(error?.sentence == sentence)
    }
    var reader = JSONReader(Array("[]".utf8))
    let error = #expect(throws: JSONError.self) {
      try reader.beginArray()
      _ = try reader.readString()
    }
    #expect(error.map { "\($0)" } == #"column 2: expected a string, found "]"."#)
    var peeking = JSONReader(Array("[ ?".utf8))
    let peeked = #expect(throws: JSONError.self) {
      try peeking.beginArray()
      _ = try peeking.peek()
    }
    #expect(
      peeked.map { "\($0)" } == #"column 3: expected a value or "]", found "?"."#)
  }

  @Test func `a value can be skipped or captured as its bytes`() throws {
    let meta = #"{ "b":[1.50, "\u00e9"],"a" : {} }"#
    var reader = JSONReader(Array(#"{"skip":[[],{"x":"]"}],"meta": \#(meta) ,"n": -1e5 }"#.utf8))
    try reader.beginObject()
    #expect(try reader.nextKey() == "skip")
    try reader.skipValue()
    #expect(try reader.nextKey() == "meta")
    let captured = try reader.captureValue()
    #expect(try reader.nextKey() == "n")
    let number = try reader.captureValue()
    #expect(try reader.nextKey() == nil)
    try reader.finish()
    #expect(captured.copy() == Array(meta.utf8))
    #expect(number.copy() == Array("-1e5".utf8))

    var writer = JSONWriter()
    captured.withSpan { writer.write(text: $0) }
    #expect(writer.bytes == Array(meta.utf8))
  }

  @Test func `captured array elements have no commas`() throws {
    var reader = JSONReader(Array("[1, [2] ,3]".utf8))
    try reader.beginArray()
    var captured: [String] = []
    while try reader.nextElement() {
      captured.append(String(decoding: try reader.captureValue().copy(), as: UTF8.self))
    }
    #expect(captured == ["1", "[2]", "3"])
    try reader.finish()
  }

  @Test func `skipping or reading after the last array element fails`() throws {
    for text in ["[1]", "[]"] {
      var reader = JSONReader(Array(text.utf8))
      try reader.beginArray()
      if text == "[1]" { try reader.skipValue() }
      var skipping = reader
      let said = "column \(text.utf8.count): expected a value, found \"]\"."
      #expect(#expect(throws: JSONError.self) { try skipping.skipValue() }?.description == said)
      var reading = reader
      #expect(#expect(throws: JSONError.self) { _ = try reading.readValue() } != nil)
    }
    var reader = JSONReader(Array("1".utf8))
    try reader.skipValue()
    let said = "column 2: expected a value, found the end of the line."
    var skipping = reader
    #expect(#expect(throws: JSONError.self) { try skipping.skipValue() }?.description == said)
    #expect(#expect(throws: JSONError.self) { _ = try reader.readValue() }?.description == said)
  }

  @Test func `the bytes of a string without escapes are those of the line`() throws {
    var reader = JSONReader(Array(#"["plain é","a\tb"]"#.utf8))
    try reader.beginArray()
    _ = try reader.next()
    #expect(reader.stringBytes.copy() == Array("plain é".utf8))
    _ = try reader.next()
    #expect(reader.stringBytes.copy() == Array("a\tb".utf8))
  }

  @Test func `recorded keys are refused until they are removed`() throws {
    var keys = JSONKeys()
    for count in [3, 20, 3, 20] {
      keys.removeAll()
      let members = (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",")
      var reader = JSONReader(Array("{\(members),\"k1\":0}".utf8))
      try reader.beginObject()
      for _ in 0..<count {
        let key = try #require(try reader.nextKey())
        try keys.record(key, of: reader)
        try reader.skipValue()
      }
      let again = try #require(try reader.nextKey())
      #expect(throws: JSONError.self) { try keys.record(again, of: reader) }
    }
  }
}
