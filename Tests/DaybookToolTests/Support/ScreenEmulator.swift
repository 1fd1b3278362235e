@testable import DaybookTool

/// A terminal's screen in memory. It understands the escape sequences that the tool uses for full
/// screens, and shows the lines that a person sees.
struct ScreenEmulator {
  private(set) var isAlternate = false
  private(set) var showsCursor = true
  private var rows: [[String]]
  private var row = 0
  private var column = 0
  private let columnCount: Int
  /// The bytes of a character or a sequence that is not complete.
  private var rest: [UInt8] = []

  init(columnCount: Int, rowCount: Int) {
    self.columnCount = columnCount
    rows = Array(repeating: Array(repeating: " ", count: columnCount), count: rowCount)
  }

  /// The lines of the screen, without spaces at their ends.
  var lines: [String] {
    rows.map { cells in
      var text = cells.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  mutating func write(_ bytes: [UInt8]) {
    let (text, tail) = ScreenEmulator.complete(rest + bytes)
    rest = tail
    var characters = Substring(String(decoding: text, as: UTF8.self))
    while let character = characters.popFirst() {
      switch character {
      case "\u{1B}":
        let sequence = characters.prefix { !$0.isLetter }
        characters = characters.dropFirst(sequence.count)
        guard let final = characters.popFirst() else { return }
        perform(final, sequence.dropFirst())
      case "\r": column = 0
      case "\n", "\r\n":
        row = min(row + 1, rows.count - 1)
        if character == "\r\n" { column = 0 }
      default: put(character)
      }
    }
  }

  /// Divides bytes into complete characters and sequences, and the rest.
  private static func complete(_ bytes: [UInt8]) -> ([UInt8], [UInt8]) {
    var end = bytes.count
    if let escape = bytes.lastIndex(of: 0x1B),
      !bytes[(escape + 1)...].contains(where: {
        (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
      })
    {
      end = escape
    }
    while end > 0, String(validating: bytes[..<end], as: UTF8.self) == nil, bytes.count - end < 4 {
      end -= 1
    }
    return (Array(bytes[..<end]), Array(bytes[end...]))
  }

  private mutating func perform(_ final: Character, _ parameters: Substring) {
    switch (final, parameters) {
    case ("H", _):
      let numbers = parameters.split(separator: ";").compactMap { Int($0) }
      row = min((numbers.first ?? 1) - 1, rows.count - 1)
      column = (numbers.count > 1 ? numbers[1] : 1) - 1
    case ("K", "2"): rows[row] = Array(repeating: " ", count: columnCount)
    case ("K", _):
      for place in column..<max(column, columnCount) { rows[row][place] = " " }
    case ("J", _): for place in rows.indices { rows[place] = rows[place].map { _ in " " } }
    case ("h", "?1049"): isAlternate = true
    case ("l", "?1049"): isAlternate = false
    case ("h", "?25"): showsCursor = true
    case ("l", "?25"): showsCursor = false
    default: break
    }
  }

  private mutating func put(_ character: Character) {
    let width = DisplayWidth.columns(character)
    if width == 0 || column >= columnCount { return }
    rows[row][column] = String(character)
    // A wide character covers the next cell.
    if width == 2, column + 1 < columnCount { rows[row][column + 1] = "" }
    column += width
  }
}
