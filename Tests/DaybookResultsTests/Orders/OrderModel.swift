import DaybookResults
import DaybookStore
import FoundationEssentials

@_spi(_Unicode) import Swift

/// A model of the order of values, without bytes: -1, 0 or 1 if a value is before, equal to or
/// after the other.
struct OrderModel {
  var comparator = TextComparator.plain
  var isDescending = false

  func compare(_ one: AttributeValue?, _ other: AttributeValue?) -> Int {
    let ascending =
      switch (one, other) {
      case (nil, nil): 0
      case (nil, _): -1
      case (_, nil): 1
      case (let one?, let other?): compareValues(one, other)
      }
    return isDescending ? -ascending : ascending
  }

  private func compareValues(_ one: AttributeValue, _ other: AttributeValue) -> Int {
    switch (one, other) {
    case (.bool(let one), .bool(let other)): sign(one ? 1 : 0, other ? 1 : 0)
    case (.int(let one), .int(let other)): sign(one, other)
    case (.uint(let one), .uint(let other)): sign(one, other)
    case (.float(let one), .float(let other)): compareFloating(one, other)
    case (.double(let one), .double(let other)): compareFloating(one, other)
    case (.date(let one), .date(let other)):
      compareFloating(one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
    case (.decimal(let one), .decimal(let other)): OrderModel.compareDecimals(one, other)
    case (.string(let one), .string(let other)): compareTexts(one, other)
    case (.url(let one), .url(let other)): compareTexts(one, other)
    case (.data(let one), .data(let other)): compareLists(one, other)
    case (.uuid(let one), .uuid(let other)): sign(one.uuidString, other.uuidString)
    default: preconditionFailure("\(one) beside \(other)")
    }
  }

  private func sign<Value: Comparable>(_ one: Value, _ other: Value) -> Int {
    one < other ? -1 : one > other ? 1 : 0
  }

  private func compareFloating<Number: BinaryFloatingPoint>(_ one: Number, _ other: Number) -> Int {
    if one.isNaN || other.isNaN { return sign(one.isNaN ? 1 : 0, other.isNaN ? 1 : 0) }
    return sign(one, other)
  }

  private func compareLists<Element: Comparable>(_ one: [Element], _ other: [Element]) -> Int {
    for (one, other) in zip(one, other) where one != other { return sign(one, other) }
    return sign(one.count, other.count)
  }

  /// Compares by the digits before and after the decimal point.
  static func compareDecimals(_ one: Decimal, _ other: Decimal) -> Int {
    if one.isNaN || other.isNaN { return (one.isNaN ? 1 : 0) - (other.isNaN ? 1 : 0) }
    func parts(_ decimal: Decimal) -> (isNegative: Bool, whole: String, fraction: String) {
      let text = DecimalText.text(of: decimal)
      let pieces = text.drop { $0 == "-" }.split(separator: ".")
      return (text.hasPrefix("-"), String(pieces[0]), pieces.count > 1 ? String(pieces[1]) : "")
    }
    let (one, other) = (parts(one), parts(other))
    if one.isNegative != other.isNegative { return one.isNegative ? -1 : 1 }
    let model = OrderModel(isDescending: one.isNegative)
    let magnitude =
      one.whole.count != other.whole.count
      ? model.sign(one.whole.count, other.whole.count)
      : model.sign(one.whole + one.fraction, other.whole + other.fraction)
    return one.isNegative ? -magnitude : magnitude
  }

  // MARK: Texts

  private func compareTexts(_ one: String, _ other: String) -> Int {
    switch comparator {
    case .plain: compareLists(scalars(one), scalars(other))
    case .caseInsensitive, .caseAndDiacriticInsensitive:
      compareLists(folded(one), folded(other))
    case .natural: compareNatural(scalars(one), scalars(other))
    }
  }

  private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text._nfc) }

  private func folded(_ text: String) -> [Unicode.Scalar] {
    var folded = ""
    for scalar in text._nfd {
      folded += HostileTexts.foldings[scalar] ?? String(scalar)
    }
    if comparator == .caseAndDiacriticInsensitive {
      folded.unicodeScalars.removeAll { HostileTexts.marks.contains($0) }
    }
    return scalars(folded)
  }

  /// Piece by piece: a number beside a number by value, all else by the first scalars.
  private func compareNatural(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
    var (one, other) = (one[...], other[...])
    while let first = one.first, let otherFirst = other.first {
      if isDigit(first), isDigit(otherFirst) {
        let digits = one.prefix(while: isDigit).drop { $0 == "0" }
        let otherDigits = other.prefix(while: isDigit).drop { $0 == "0" }
        if digits.count != otherDigits.count { return sign(digits.count, otherDigits.count) }
        let found = compareLists(Array(digits), Array(otherDigits))
        if found != 0 { return found }
        one = one.drop(while: isDigit)
        other = other.drop(while: isDigit)
      } else {
        if first != otherFirst { return sign(first, otherFirst) }
        one.removeFirst()
        other.removeFirst()
      }
    }
    return sign(one.count, other.count)
  }
}
