import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

/// Returns the description of the error of reading a line to its end, or nil.
func problem(_ text: [UInt8]) -> String? {
  error(of: text).map { "\($0)" }
}

func error(of text: [UInt8]) -> JSONError? {
  var reader = JSONReader(text)
  do {
    try reader.skipValue()
    try reader.finish()
    return nil
  } catch { return error }
}

func expectSentences(
  _ cases: [(text: String, sentence: String)], _ place: SourceLocation = #_sourceLocation
) {
  for (text, sentence) in cases {
    #expect(
      problem(Array(text.utf8)) == sentence, "\(text.prefix(100))", sourceLocation: place)
  }
}

/// A literal transcription of the grammar of RFC 8259. Each function returns the end of a value, or
/// nil without a value.
enum LiteralJSON {
  static func isJSON(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    let scalars = Array(text.unicodeScalars)
    guard let end = value(scalars, spaces(scalars, 0), 0) else { return false }
    return spaces(scalars, end) == scalars.count
  }

  private typealias Text = [Unicode.Scalar]

  private static func value(_ text: Text, _ start: Int, _ depth: Int) -> Int? {
    guard start < text.count else { return nil }
    switch text[start] {
    case "{":
      return list(text, start, "}", depth) { text, place in
        guard let key = string(text, place) else { return nil }
        let colon = spaces(text, key)
        guard colon < text.count, text[colon] == ":" else { return nil }
        return value(text, spaces(text, colon + 1), depth + 1)
      }
    case "[": return list(text, start, "]", depth) { value($0, $1, depth + 1) }
    case "\"": return string(text, start)
    default: break
    }
    for word in ["true", "false", "null"] where text[start...].starts(with: word.unicodeScalars) {
      return start + word.count
    }
    return number(text, start)
  }

  private static func list(
    _ text: Text, _ start: Int, _ closing: Unicode.Scalar, _ depth: Int,
    _ item: (Text, Int) -> Int?
  ) -> Int? {
    guard depth < 64 else { return nil }
    var place = spaces(text, start + 1)
    if place < text.count, text[place] == closing { return place + 1 }
    while let end = item(text, place) {
      place = spaces(text, end)
      guard place < text.count else { return nil }
      if text[place] == closing { return place + 1 }
      guard text[place] == "," else { return nil }
      place = spaces(text, place + 1)
    }
    return nil
  }

  private static func string(_ text: Text, _ start: Int) -> Int? {
    guard start < text.count, text[start] == "\"" else { return nil }
    var place = start + 1
    var units: [UInt16] = []
    while place < text.count {
      let scalar = text[place]
      if scalar == "\"" {
        return String(validating: units, as: UTF16.self) == nil ? nil : place + 1
      }
      guard scalar.value >= 0x20 else { return nil }
      guard scalar == "\\" else {
        units += Array(String(scalar).utf16)
        place += 1
        continue
      }
      guard place + 1 < text.count else { return nil }
      if text[place + 1] == "u" {
        let digits = text[(place + 2)...].prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
          let unit = UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
        else { return nil }
        // An unpaired half is invalid, and only escapes can contain halves.
        units.append(unit)
        place += 6
      } else {
        guard "\"\\/bfnrt".unicodeScalars.contains(text[place + 1]) else { return nil }
        units.append(0x20)
        place += 2
      }
    }
    return nil
  }

  private static func number(_ text: Text, _ start: Int) -> Int? {
    func digits(_ from: Int) -> Int {
      from + text[min(from, text.count)...].prefix { ("0"..."9").contains($0) }.count
    }
    func stands(_ scalars: String, _ place: Int) -> Bool {
      place < text.count && scalars.unicodeScalars.contains(text[place])
    }
    let first = stands("-", start) ? start + 1 : start
    var end = digits(first)
    if end == first { return nil }
    if text[first] == "0", end > first + 1 { return nil }
    if stands(".", end) {
      let point = end + 1
      end = digits(point)
      if end == point { return nil }
    }
    if stands("eE", end) {
      let sign = end + 1
      let exponent = stands("+-", sign) ? sign + 1 : sign
      end = digits(exponent)
      if end == exponent { return nil }
    }
    return end
  }

  private static func spaces(_ text: Text, _ start: Int) -> Int {
    start + text[start...].prefix { " \t\n\r".unicodeScalars.contains($0) }.count
  }
}

extension SplitMix64 {
  /// Returns a scalar of any plane, often one that JSON escapes.
  mutating func scalar() -> Unicode.Scalar {
    let bound = [0x20, 0x80, 0x100, 0x800, 0x1_0000, 0x11_0000][below(6)]
    return Unicode.Scalar(UInt32(below(bound))) ?? "\u{D7FF}"
  }

  mutating func text() -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<below(20) { scalars.append(scalar()) }
    return String(scalars)
  }

  /// Returns the spelling of a number with optional parts.
  mutating func numberText() -> String {
    func digits(_ generator: inout SplitMix64, _ count: Int) -> String {
      String((0..<count).map { _ in Character("\(generator.below(10))") })
    }
    var text = below(2) == 0 ? "-" : ""
    text +=
      below(4) == 0 ? "0" : "\(1 + below(9))" + digits(&self, below(24))
    if below(2) == 0 { text += "." + digits(&self, 1 + below(24)) }
    if below(2) == 0 {
      text += ["e", "E", "e-", "E+"][below(4)] + digits(&self, 1 + below(3))
    }
    return text
  }

  mutating func tree(_ depth: Int = 0) -> JSONValue {
    switch below(depth > 5 ? 5 : 8) {
    case 0: return .null
    case 1: return .bool(below(2) == 0)
    case 2: return JSONNumber(numberText()).map { .number($0) } ?? .null
    case 3, 4: return .string(text())
    case 5: return .array((0..<below(6)).map { _ in tree(depth + 1) })
    default:
      var keys: Set<String> = []
      var members: [JSONValue.Member] = []
      for _ in 0..<below(6) {
        let key = text()
        if keys.insert(key).inserted { members.append(.init(key, value: tree(depth + 1))) }
      }
      return .object(members)
    }
  }
}
