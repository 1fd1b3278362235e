@_spi(Tools) import DaybookStore
import DaybookSimulation
import Testing

/// Laws that hold for every string, tested with seeded strings and with one error at each position.
@Suite("Random input read as JSON") struct JSONRandomBytesTests {
  private let documents = [
    #"{"tx":1,"t":"é\n\ud83d\ude00","c":[{"set":{"a":-12.5e+3,"b":null}},true,[]]}"#,
    #" [ "\"\\\/\b\u0041" , 0.0E0 , {} , false ] "#,
    "\"12345678é\u{2028}12345678😀123\"",
  ]

  @Test func `one wrong byte gives a value or an error within the line`() {
    let bytes: [UInt8] =
      Array("\"\\{}[],:-+.019eEtfnua/ x'#".utf8)
      + [0x00, 0x09, 0x0A, 0x1F, 0x7F, 0x80, 0xBF, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF]
    for document in documents.map({ Array($0.utf8) }) {
      #expect(problem(document) == nil)
      for place in document.indices {
        var wrong = document
        for byte in bytes {
          wrong[place] = byte
          judge(wrong)
        }
        wrong = document
        wrong.remove(at: place)
        judge(wrong)
        judge(Array(document[..<place]))
        judge(Array(document[place...]))
        wrong.insert(document[place], at: place)
        wrong.insert(document[place], at: place)
        judge(wrong)
      }
    }
  }

  @Test func `every byte at each position is read or refused as the grammar demands`() {
    let document = Array(#"{"é":[1,"\n"]}"#.utf8)
    for place in document.indices {
      for byte in UInt8.min...UInt8.max {
        var wrong = document
        wrong[place] = byte
        judge(wrong)
      }
    }
  }

  @Test func `random JSON characters are read or refused as the grammar demands`() {
    var generator = SplitMix64(seed: 8259)
    let alphabet = Array("{}[],:\"\\u0041-.eEtruefalsn \u{E9}".utf8)
    for _ in 0..<3_000 {
      judge(
        (0..<generator.below(12)).map { _ in
          alphabet[generator.below(alphabet.count)]
        })
    }
  }

  /// Checks the law: a string is read exactly if the literal grammar allows it; otherwise the error
  /// has a column of the line, or the one after it.
  private func judge(_ text: [UInt8]) {
    let isJSON = LiteralJSON.isJSON(text)
    // A tree decodes strings that skipping only scans, and also refuses duplicate keys.
    let tree = try? JSONValue(text)
    if tree != nil, !isJSON { Issue.record("became a tree: \(text)") }
    guard let error = error(of: text) else {
      if !isJSON { Issue.record("was read: \(text)") }
      return
    }
    if isJSON { Issue.record("was refused: \(text): \(error)") }
    let scalarCount = String(decoding: text, as: UTF8.self).unicodeScalars.count
    if !(1...scalarCount + 1).contains(error.column) { Issue.record("\(text): \(error)") }
  }

  @Test func `the column of an error counts Unicode scalars`() {
    var generator = SplitMix64(seed: 12)
    for _ in 0..<300 {
      let right = "[" + generator.tree().text + "," + JSONValue.string(generator.text()).text
      for (wrong, reason) in [
        ("x", JSONError.Reason.misplaced(expected: .commaOrArrayEnd, found: .scalar("x"))),
        (",+", .misplaced(expected: .value, found: .scalar("+"))),
      ] {
        let column = right.unicodeScalars.count + wrong.unicodeScalars.count
        #expect(
          error(of: Array((right + wrong).utf8)) == JSONError(reason, column: column), "\(right)")
      }
    }
  }

  @Test func `a JSON tree survives writing and reading byte for byte`() throws {
    var generator = SplitMix64(seed: 2015)
    for _ in 0..<500 {
      let tree = generator.tree()
      let text = tree.text
      #expect(LiteralJSON.isJSON(Array(text.utf8)))
      let again = try JSONValue(Array(text.utf8))
      #expect(again == tree)
      #expect(again.text.utf8.elementsEqual(text.utf8))
    }
  }

  @Test func `a string of any scalars survives writing and reading`() throws {
    var generator = SplitMix64(seed: 17)
    for _ in 0..<1_000 {
      let text = generator.text()
      var writer = JSONWriter()
      writer.write(text)
      var reader = JSONReader(writer.bytes)
      let read = try reader.readString()
      #expect(read.utf8.elementsEqual(text.utf8))
      #expect(reader.stringBytes.copy() == Array(text.utf8))
      // The same string with every unit escaped.
      let escaped = text.utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      var other = JSONReader(Array("\"\(escaped.joined())\"".utf8))
      #expect(try other.readString().utf8.elementsEqual(text.utf8))
    }
  }

  @Test func `doubles and floats of any bits survive writing and reading`() throws {
    var generator = SplitMix64(seed: 754)
    let named: [UInt64] = [
      0, 1 << 63, 1, 0x7FEF_FFFF_FFFF_FFFF, 0x0010_0000_0000_0000, 0x000F_FFFF_FFFF_FFFF,
      0x4340_0000_0000_0000, 0x4340_0000_0000_0001, 0x43E0_0000_0000_0000,
    ]
    for bits in named + (0..<3_000).map({ _ in generator.next() }) {
      let double = Double(bitPattern: bits)
      if double.isFinite {
        var writer = JSONWriter()
        writer.write(double)
        var reader = JSONReader(writer.bytes)
        let number = try reader.readNumber()
        #expect(number.value == .double(double), "\(bits)")
        #expect(number.double.bitPattern == bits)
        #expect(number.text.contains { ".e".contains($0) })
      }
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      if float.isFinite {
        var writer = JSONWriter()
        writer.write(float)
        var reader = JSONReader(writer.bytes)
        #expect(try reader.readNumber().float.bitPattern == float.bitPattern)
      }
    }
  }

  @Test func `a number of any spelling is read as the nearest double`() throws {
    var generator = SplitMix64(seed: 22)
    for _ in 0..<2_000 {
      let text = generator.numberText()
      let number = try #require(JSONNumber(text))
      #expect(number.text == text)
      let nearest = try #require(Double(text))
      #expect(number.double.bitPattern == nearest.bitPattern, "\(text)")
      if text.contains(where: { ".eE".contains($0) }) {
        #expect(number.value == (nearest.isFinite ? .double(nearest) : .overflow), "\(text)")
      } else if let integer = Int64(text) {
        #expect(number.value == .integer(integer), "\(text)")
      } else {
        #expect(number.value == (UInt64(text).map { .unsigned($0) } ?? .wide), "\(text)")
      }
    }
  }
}
