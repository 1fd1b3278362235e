import DaybookCLibrary
import DaybookStore
import FoundationEssentials

/// A number as all of its decimal digits, compared as one does on paper.
struct PlainNumber {
  var isNegative = false
  var whole: [UInt8] = []
  var fraction: [UInt8] = []
  /// -1 and 1 for the infinities, 2 for NaN.
  var rank = 0

  init?(_ value: AttributeValue) {
    switch value {
    case .int(let number): read("\(number)")
    case .uint(let number): read("\(number)")
    case .decimal(let number) where number.isNaN: rank = 2
    case .decimal(let number): read(DecimalText.text(of: number))
    case .float(let number): read(Double(number))
    case .double(let number): read(number)
    default: return nil
    }
  }

  init(_ number: Double) { read(number) }

  private mutating func read(_ number: Double) {
    if number.isNaN {
      rank = 2
    } else if number.isInfinite {
      rank = number < 0 ? -1 : 1
    } else {
      // The C library writes all digits that a Double has.
      var text = [CChar](repeating: 0, count: 2000)
      _ = withVaList([number]) { vsnprintf(&text, text.count, "%.1100f", $0) }
      read(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
  }

  private mutating func read(_ text: String) {
    var digits = Array(text.utf8)
    if digits.first == UInt8(ascii: "-") {
      isNegative = true
      digits.removeFirst()
    }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    whole = Array(parts[0].drop { $0 == 48 })
    fraction = parts.count > 1 ? Array(parts[1]) : []
    while fraction.last == 48 { fraction.removeLast() }
    if whole.isEmpty, fraction.isEmpty { isNegative = false }
  }

  static func compare(_ one: PlainNumber, _ other: PlainNumber) -> Int {
    if one.rank != 0 || other.rank != 0 { return one.rank - other.rank }
    if one.isNegative != other.isNegative { return one.isNegative ? -1 : 1 }
    let sign = one.isNegative ? -1 : 1
    if one.whole.count != other.whole.count {
      return one.whole.count < other.whole.count ? -sign : sign
    }
    let (digits, others) = (one.whole + one.fraction, other.whole + other.fraction)
    if digits == others { return 0 }
    return digits.lexicographicallyPrecedes(others) ? -sign : sign
  }
}
