import DaybookStore
import Testing

@testable import DaybookResults

@Suite struct `Sort keys of strings` {
  private func sorted(_ texts: [String], _ comparator: TextComparator) -> String {
    let part = OrderKeyPart(.string, comparator: comparator, isOptional: false)
    return texts.sorted { one, other in
      compareBytes(part.key(of: .string(one)), part.key(of: .string(other))) < 0
    }.joined(separator: " ")
  }

  @Test func `comparators sort and tie strings as documented`() {
    let texts = ["é", "É", "a10", "a9", "a", "Z"]
    #expect(sorted(texts, .plain) == "Z a a10 a9 É é")
    #expect(sorted(texts.filter { $0 != "É" }, .caseInsensitive) == "a a10 a9 Z é")
    #expect(sorted(texts.filter { $0 != "É" }, .caseAndDiacriticInsensitive) == "a a10 a9 é Z")
    #expect(sorted(texts, .natural) == "Z a a9 a10 É é")
    func areTied(_ texts: [String], _ comparator: TextComparator) -> Bool {
      let part = OrderKeyPart(.string, comparator: comparator, isOptional: false)
      return Set(texts.map { part.key(of: .string($0)) }).count == 1
    }
    #expect(areTied(["é", "É", "e\u{301}", "E\u{301}"], .caseInsensitive))
    #expect(areTied(["ss", "ß", "ẞ", "SS"], .caseInsensitive))
    #expect(areTied(["e", "E", "é", "É"], .caseAndDiacriticInsensitive))
    #expect(areTied(["a9", "a09", "a0000000000009"], .natural))
    #expect(!areTied(["a", "A"], .natural))
    #expect(!areTied(["e", "é"], .caseInsensitive))
  }

  @Test func `the key of a string of any length has all bytes and an end`() {
    for count in 0...140 {
      let letters = (0..<count).map { UInt8(ascii: $0 % 3 == 0 ? "A" : "z") - UInt8($0 % 7 / 6) }
      // As it is, and with something else than a letter at one place.
      let strange = ["", "\u{0}", "é", "日", "\u{7F}", "@", "[", "`", "{"]
      for (number, piece) in strange.enumerated() {
        let place = count == 0 ? 0 : (number * 61 + count * 7) % count
        let bytes: [UInt8] = letters[..<place] + Array(piece.utf8) + letters[place...]
        var escaped: [UInt8] = []
        for byte in bytes { escaped += byte == 0 ? [0, 0xFF] : [byte] }
        escaped += [0, 0]
        let folded = escaped.map { byte in byte &- 0x41 < 26 ? byte | 0x20 : byte }
        for (comparator, key) in [(TextComparator.plain, escaped), (.caseInsensitive, folded)] {
          for isDescending in [false, true] {
            let part = OrderKeyPart(
              .string, comparator: comparator, isDescending: isDescending, isOptional: false)
            var buffer = RowBuffer([1, 2, 3])
            part.append(bytes.span.bytes, to: &buffer)
            #expect(
              buffer.bytes == [1, 2, 3] + key.map { isDescending ? ~$0 : $0 },
              "\(count) bytes, \(piece), \(comparator)")
          }
        }
      }
    }
  }

  @Test func `a word of fewer than eight bytes contains no other bytes`() {
    let bytes = [UInt8](1...20)
    for count in 0...20 {
      let span = bytes.span.bytes.extracting(0..<count)
      for offset in 0...count {
        for byteCount in 0...min(8, count - offset) {
          let word = bytes[offset..<offset + byteCount].reversed().reduce(0 as UInt64) {
            $0 << 8 | UInt64($1)
          }
          #expect(span.word(at: offset, byteCount: byteCount) == word)
        }
      }
    }
  }

  @Test func `a sort key replaces invalid UTF-8`() {
    let broken: [UInt8] = [0x61, 0xFF, 0x62]
    for comparator in TextComparator.allCases {
      let part = OrderKeyPart(.string, comparator: comparator, isOptional: false)
      var key = RowBuffer()
      part.append(broken.span.bytes, to: &key)
      #expect(key.bytes == part.key(of: .string("a\u{FFFD}b")))
    }
  }

  @Test func `the natural comparator encodes a run of digits as documented`() {
    func bytes(_ text: String) -> String { hex(NaturalText.bytes(of: text.utf8Span.span.bytes)) }
    #expect(bytes("a007b") == "61 31 37 62")
    #expect(bytes("0") == "30")
    #expect(bytes("12345678") == "38 31 32 33 34 35 36 37 38")
    #expect(bytes("123456789") == "39 01 31 32 33 34 35 36 37 38 39")
    let ends = [9, 262, 263, 516, 517].map { count in
      String(bytes(String(repeating: "1", count: count)).prefix(11))
    }
    #expect(ends == ["39 01 31 31", "39 FE 31 31", "39 FF 01 31", "39 FF FE 31", "39 FF FF 01"])
  }
}

@Suite struct `Case folding` {
  /// Rows of CaseFolding.txt marked `C` and `F`.
  @Test(
    arguments: [
      ("A", "a"), ("Z", "z"), ("[", "["), ("µ", "μ"), ("À", "à"), ("÷", "÷"), ("Þ", "þ"),
      ("ß", "ss"),
      ("ẞ", "ss"), ("ı", "ı"), ("ŉ", "ʼn"), ("Ÿ", "ÿ"), ("ſ", "s"), ("Ǆ", "ǆ"), ("ǅ", "ǆ"),
      ("ǰ", "ǰ"), ("Ⱥ", "ⱥ"), ("\u{345}", "ι"), ("Σ", "σ"), ("ς", "σ"), ("ϐ", "β"), ("ϑ", "θ"),
      ("ϴ", "θ"), ("ΐ", "ΐ"), ("Я", "я"), ("\u{1C80}", "в"), ("\u{1C88}", "ꙋ"), ("Ա", "ա"),
      ("և", "եւ"), ("Ⴀ", "ⴀ"), ("Ა", "ა"), ("ა", "ა"), ("Ꭰ", "Ꭰ"), ("\u{AB70}", "Ꭰ"),
      ("\u{13F8}", "\u{13F0}"), ("\u{1E9A}", "aʾ"), ("\u{1E9B}", "\u{1E61}"), ("ᾳ", "αι"),
      ("ᾼ", "αι"), ("ᾷ", "ᾶι"), ("ﬀ", "ff"), ("ﬃ", "ffi"), ("ﬅ", "st"), ("ﬆ", "st"), ("ﬓ", "մն"),
      ("\u{2126}", "ω"), ("\u{212A}", "k"), ("\u{212B}", "å"), ("Ⅷ", "ⅷ"), ("Ⓐ", "ⓐ"), ("Ａ", "ａ"),
      ("\u{10400}", "\u{10428}"), ("\u{1E900}", "\u{1E922}"), ("İ", "i\u{307}"), ("日", "日"),
      ("ΌΣΟΣ", "όσοσ"), ("Ὀδυσσεύς", "ὀδυσσεύσ"), ("CAFE\u{301}", "café"), ("😀", "😀"),
    ])
  func `case folding agrees with Unicode's table`(_ text: String, _ folded: String) {
    let bytes = CaseFolding.bytes(of: text, dropsMarks: false)
    #expect(bytes == NormalizedText.bytes(of: folded))
  }

  @Test(
    arguments: [
      ("Crème Brûlée", "creme brulee"), ("İ", "i"), ("Ø", "ø"), ("ł", "ł"), ("ΐ", "ι"), ("ᾷ", "αι"),
      ("e\u{301}\u{323}", "e"), ("\u{301}", ""), ("ñ", "n"), ("한", "한"), ("й", "и"),
      ("❤\u{FE0F}", "❤"), ("a\u{20DD}", "a\u{20DD}"), ("का", "का"), ("कि", "कि"), ("कु", "क"),
    ])
  func `case folding can remove accents`(_ text: String, _ folded: String) {
    #expect(CaseFolding.bytes(of: text, dropsMarks: true) == NormalizedText.bytes(of: folded))
  }

  @Test func `case folding is idempotent for every scalar`() {
    var wrong: [String] = []
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseFolded else {
        continue
      }
      for dropsMarks in [false, true] {
        let once = CaseFolding.bytes(of: String(scalar), dropsMarks: dropsMarks)
        let text = String(decoding: once, as: UTF8.self)
        if CaseFolding.bytes(of: text, dropsMarks: dropsMarks) != once { wrong.append(text) }
      }
      let folded = CaseFolding.bytes(of: String(scalar), dropsMarks: false)
      let lower = CaseFolding.bytes(of: scalar.properties.lowercaseMapping, dropsMarks: false)
      if lower != folded { wrong.append("\(scalar) in lower case") }
      let upper = CaseFolding.bytes(of: scalar.properties.uppercaseMapping, dropsMarks: false)
      if upper != folded { wrong.append("\(scalar) in upper case") }
    }
    #expect(wrong == [])
  }
}
