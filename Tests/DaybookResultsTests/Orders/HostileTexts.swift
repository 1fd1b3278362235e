@testable import DaybookSimulation

/// Strings that are difficult to order, and the properties of their scalars.
enum HostileTexts {
  /// Foldings that CaseFolding.txt lists, of what normal form D leaves.
  static let foldings: [Unicode.Scalar: String] = {
    var foldings: [Unicode.Scalar: String] = [
      "ß": "ss", "ẞ": "ss", "ſ": "s", "Σ": "σ", "ς": "σ", "Я": "я", "ﬁ": "fi", "µ": "μ",
      "\u{345}": "ι", "Ꭰ": "Ꭰ", "\u{AB70}": "Ꭰ", "\u{13F8}": "\u{13F0}", "ŉ": "ʼn", "Ǆ": "ǆ",
      "ǅ": "ǆ", "\u{10400}": "\u{10428}", "Ω": "ω", "Α": "α",
      "Ι": "ι", "Μ": "μ",
    ]
    for value in UInt8(ascii: "A")...UInt8(ascii: "Z") {
      foldings[Unicode.Scalar(value)] = String(Unicode.Scalar(value | 0x20))
    }
    return foldings
  }()

  /// The nonspacing marks among the pieces.
  static let marks: Set<Unicode.Scalar> = [
    "\u{301}", "\u{300}", "\u{323}", "\u{307}", "\u{308}", "\u{30A}", "\u{345}", "\u{FE0F}",
    "\u{93C}",
  ]

  static let pieces: [String] = [
    "", "a", "A", "b", "Z", "z", "e", "E", "\u{301}", "\u{E9}", "\u{C9}", "\u{300}", "\u{323}",
    "\u{307}", "\u{308}", "\u{345}", "İ", "ı", "i", "I", "ß", "ẞ", "ss", "S", "ſ", "σ", "ς", "Σ",
    "ﬁ", "fi", "µ", "\u{212A}", "k", "K", "\u{212B}", "\u{C5}", "Ꭰ", "\u{AB70}", "\u{13F8}",
    "\u{1FB3}", "ŉ", "Ǆ", "ǅ", "ǆ", "0", "1", "9", "10", "09", "007", "12345678", "123456789",
    "1234567890", " ", "/", ":", "~", "\u{0}", "\u{1}", "\u{7F}", "\u{80}", "\u{FF}", "日", "本",
    "\u{1100}", "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{AC01}", "\u{FFFD}", "\u{FFFF}", "👍🏽", "👩‍👩‍👧",
    "❤\u{FE0F}", "🇦🇹", "\u{10400}", "\u{10428}", "\u{10FFFF}", "\u{958}", "Я", "я", "-", ".", "1.5",
  ]

  /// Each piece, known cases, and random texts of a few pieces, some long, some that begin alike.
  static func texts(_ count: Int, seed: UInt64) -> [String] {
    var generator = SplitMix64(seed: seed)
    let long = String(repeating: "shared prefix ", count: 300)
    var texts = pieces
    texts += [
      "e\u{301}", "\u{E9}z", "a\u{0}", "a\u{0}\u{0}", "a\u{0}b", "\u{0}\u{0}", long, long + "\u{0}",
      long + "a", long + "é", "Straße", "STRASSE", "straſse", "img12.png", "img10.png", "img2.png",
      "img02.png", "img2a", "v1.10", "v1.9", "12345678", "123456780", "00000000012345678",
      String(repeating: "9", count: 262), String(repeating: "9", count: 263),
      "1" + String(repeating: "0", count: 263), String(repeating: "9", count: 600),
      String(repeating: "0", count: 600), "1234567\u{0}", "12345678a", "abcdefgh", "abcdefgH",
    ]
    for _ in 0..<count {
      let prefix = generator.below(4) == 0 ? texts[generator.below(texts.count)] : ""
      texts.append(
        (0..<generator.below(5)).reduce(prefix.count > 1000 ? "" : prefix) { text, _ in
          text + pieces[generator.below(pieces.count)]
        })
    }
    return texts
  }
}
