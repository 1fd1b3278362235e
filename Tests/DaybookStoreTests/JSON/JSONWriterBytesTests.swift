@_spi(Tools) import DaybookStore
import Testing

@Suite("Writing JSON") struct JSONWriterBytesTests {
  @Test func `the writer adds commas and colons`() {
    var writer = JSONWriter(appendingTo: Array("> ".utf8))
    writer.beginObject()
    writer.key("tx")
    writer.write(1)
    writer.key("changes")
    writer.beginArray()
    writer.beginObject()
    writer.endObject()
    writer.write("a")
    writer.writeNull()
    writer.write(true)
    writer.write(false)
    writer.beginArray()
    writer.endArray()
    writer.endArray()
    writer.key("n")
    writer.write(UInt64.max)
    writer.endObject()
    writer.endLine()
    writer.write(Int64.min)
    writer.endLine()
    #expect(
      String(decoding: writer.takeBytes(), as: UTF8.self) == """
        > {"tx":1,"changes":[{},"a",null,true,false,[]],"n":18446744073709551615}
        -9223372036854775808

        """)
    #expect(writer.bytes.isEmpty)
    writer.write(0)
    writer.removeAll()
    writer.write(10)
    #expect(writer.bytes == Array("10".utf8))
  }

  @Test func `a long line can be taken in pieces`() {
    var (writer, whole) = (JSONWriter(), JSONWriter())
    var pieces: [[UInt8]] = []
    func both(_ body: (inout JSONWriter) -> Void) {
      body(&whole)
      body(&writer)
      pieces.append(writer.takePiece())
    }
    both { $0.beginObject() }
    both { $0.key("a") }
    both { $0.beginArray() }
    for number in 0..<3 { both { $0.write(number) } }
    both { $0.endArray() }
    both { $0.key("b") }
    both { $0.write("c") }
    both { $0.endObject() }
    both { $0.endLine() }
    #expect(pieces.joined().elementsEqual(whole.bytes))
    #expect(whole.bytes == Array("{\"a\":[0,1,2],\"b\":\"c\"}\n".utf8))
    #expect(writer.bytes.isEmpty)
  }

  @Test func `a string is escaped only where JSON or a terminal needs it`() {
    for value: UInt32 in 0..<0x20 {
      let named: [UInt32: String] = [8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"]
      let digits = String(value, radix: 16, uppercase: true)
      let escape = named[value] ?? "\\u00" + (digits.count < 2 ? "0" : "") + digits
      let scalar = Unicode.Scalar(UInt8(value))
      #expect(written { $0.write("a\(scalar)b") } == "\"a\(escape)b\"")
    }
    #expect(written { $0.write("\"\\/é😀") } == "\"\\\"\\\\/é😀\"")
    #expect(written { $0.write("12345678\"12345678é\\") } == "\"12345678\\\"12345678é\\\\\"")
  }

  @Test func `scalars that control a terminal are written as escapes`() throws {
    let obeyed = [0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069].joined()
    for scalar in (UInt32(0x7E)...0x20FF).compactMap(Unicode.Scalar.init) {
      let value = scalar.value
      let text = "12345\(scalar)é"
      let digits = String(value, radix: 16, uppercase: true)
      let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      let isEscaped = obeyed.contains { $0 == value }
      let expected = isEscaped ? "\"12345\(escape)é\"" : "\"\(text)\""
      #expect(Array(written { $0.write(text) }.utf8) == Array(expected.utf8))
      // Text that is JSON already has the same escapes.
      let json = Array("{ \"a\" : \"\(text)\\n\" }".utf8)
      let copied = "{ \"a\" : \(expected.dropLast())\\n\" }"
      #expect(Array(written { $0.write(text: json.span.bytes) }.utf8) == Array(copied.utf8))
    }
  }

  @Test func `integers of every length are written in decimal`() {
    var power: UInt64 = 1
    for _ in 0..<20 {
      for integer in [power &- 1, power, power &+ 1] {
        #expect(written { $0.write(integer) } == "\(integer)")
        let signed = Int64(bitPattern: integer)
        #expect(written { $0.write(signed) } == "\(signed)")
      }
      power = power &* 10
    }
  }

  @Test func `floating-point numbers are written with a point or an exponent`() {
    let doubles: [(Double, String)] = [
      (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (12.5, "12.5"), (0.1, "0.1"), (1e16, "1e+16"),
      (1e20, "1e+20"), (.leastNonzeroMagnitude, "5e-324"),
      (9_007_199_254_740_992, "9007199254740992.0"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.nan, "\"NaN\""),
      (-.nan, "\"NaN\""), (.signalingNaN, "\"NaN\""), (.infinity, "\"Infinity\""),
      (-.infinity, "\"-Infinity\""),
    ]
    for (double, text) in doubles { #expect(written { $0.write(double) } == text) }
    let floats: [(Float, String)] = [
      (0.1, "0.1"), (1, "1.0"), (-0.0, "-0.0"), (16_777_216, "16777216.0"), (1e20, "1e+20"),
      (.nan, "\"NaN\""), (.infinity, "\"Infinity\""), (-.infinity, "\"-Infinity\""),
    ]
    for (float, text) in floats { #expect(written { $0.write(float) } == text) }
  }

  @Test func `the writer nests as deep as the reader`() throws {
    var tree = JSONValue.null
    for _ in 0..<64 { tree = .array([tree]) }
    #expect(try JSONValue(Array(tree.text.utf8)) == tree)
  }

  private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
