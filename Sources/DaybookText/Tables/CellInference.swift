import DaybookStore

/// The inference of the type of a column of CSV from its cells.
///
/// A column gets a type only if each cell has a usual spelling of that type. Otherwise values could
/// change. For example, `007` is text, and so is an integer of 70 bits.
///
/// | type | cells |
/// | --- | --- |
/// | `bool` | `true` and `false` |
/// | `int64`, `uint64` | integers without leading zeros |
/// | `double` | JSON numbers of at most 17 digits; integers up to 2⁵³ |
/// | `date` | dates of ISO 8601, with or without a time |
/// | `string` | all others; also a column without values |
///
/// The cells of a `double` can also be `NaN`, `Infinity` and `-Infinity`, if at least one cell is a
/// number.
struct CellInference {
  private var isEmpty = true
  private var canBeBool = true
  private var canBeInteger = true
  private var canBeDouble = true
  private var canBeDate = true
  private var hasNumber = false
  private var hasNegative = false
  private var hasLarge = false

  mutating func add(_ cell: String) {
    isEmpty = false
    if canBeBool { canBeBool = cell == "true" || cell == "false" }
    if canBeInteger || canBeDouble { addNumber(cell) }
    if canBeDate { canBeDate = CellInference.isDate(cell) }
  }

  private mutating func addNumber(_ cell: String) {
    guard !["NaN", "Infinity", "-Infinity"].contains(cell) else {
      canBeInteger = false
      return
    }
    hasNumber = true
    guard !cell.utf8.contains(where: { $0 <= 32 }),
      case .number(let number)? = (try? JSONValue(Array(cell.utf8)))
    else {
      (canBeInteger, canBeDouble) = (false, false)
      return
    }
    switch number.value {
    case .integer(let integer):
      if integer < 0 { hasNegative = true }
      if integer.magnitude > 1 << 53 { canBeDouble = false }
      if cell == "-0" { canBeInteger = false }
    case .unsigned:
      hasLarge = true
      canBeDouble = false
    case .double(let value):
      canBeInteger = false
      let mantissa = cell.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
      let digits = mantissa.filter { $0 >= 48 && $0 <= 57 }.drop { $0 == 48 }
      if digits.count > CellInference.digitCountMax { canBeDouble = false }
      // Numbers nearer to 0 have fewer digits, or become 0.
      if !digits.isEmpty, abs(value) < .leastNormalMagnitude { canBeDouble = false }
    case .wide, .overflow: (canBeInteger, canBeDouble) = (false, false)
    }
    if hasNegative, hasLarge { canBeInteger = false }
  }

  /// The number of digits with which every double can be written.
  private static let digitCountMax = 17

  private static func isDate(_ cell: String) -> Bool {
    let bytes = Array(cell.utf8)
    guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      [0, 1, 2, 3, 5, 6, 8, 9].allSatisfy({ bytes[$0] >= 48 && bytes[$0] <= 57 })
    else { return false }
    return (try? DateText.date(cell)) != nil
  }

  var type: ScalarType {
    if isEmpty { return .string }
    if canBeBool { return .bool }
    if canBeInteger { return hasLarge ? .uint64 : .int64 }
    if canBeDouble, hasNumber { return .double }
    return canBeDate ? .date : .string
  }
}
