import DaybookEssentials

/// A decimal in the form of the 20 bytes that a row contains.
///
/// ```
/// 0    UInt64   the lower half of the digits
/// 8    UInt64   the upper half of the digits
/// 16   UInt32   the power of ten plus 128; + 256 if negative; 512 alone if not a number
/// ```
///
/// All fields are little-endian. Equal decimals have equal bytes, because the parts are normal; see
/// ``DecimalParts``.
///
/// A reader also accepts byte sequences that Daybook never writes. If unknown bits are set, the
/// value is NaN. Otherwise it is the number that the fields represent.
package struct PackedDecimal: Hashable, Sendable {
  package let low: UInt64
  package let high: UInt64
  package let tail: UInt32

  /// The number of bytes of a packed decimal.
  package static let byteCount = 20

  /// The value that is not a number.
  package static let nan = PackedDecimal(low: 0, high: 0, tail: 512)

  /// Creates a packed decimal from its three fields in a row.
  package init(low: UInt64, high: UInt64, tail: UInt32) {
    self.low = low
    self.high = high
    self.tail = tail
  }

  /// Creates a packed decimal from a decimal.
  package init(_ decimal: Decimal) {
    guard let parts = DecimalParts(decimal) else {
      self = .nan
      return
    }
    low = UInt64(truncatingIfNeeded: parts.digits)
    high = UInt64(truncatingIfNeeded: parts.digits >> 64)
    tail = UInt32(128 + Int(parts.exponent)) | (parts.isNegative ? 256 : 0)
  }

  /// Creates a packed decimal from any 20 bytes.
  package init(_ bytes: Span<UInt8>) {
    precondition(bytes.count == PackedDecimal.byteCount, "expected 20 bytes, found \(bytes.count)")
    func word(_ indexes: Range<Int>) -> UInt64 {
      indexes.reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }
    low = word(0..<8)
    high = word(8..<16)
    tail = UInt32(word(16..<20))
  }

  /// The bytes of the decimal in a row.
  package var bytes: [UInt8] {
    [low, high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
      + (0..<4).map { UInt8(truncatingIfNeeded: tail >> (8 * $0)) }
  }

  /// The decimal; NaN if the fields do not represent a number.
  package var decimal: Decimal { parts?.decimal ?? .nan }

  private var parts: DecimalParts? {
    guard tail < 512 else { return nil }
    return DecimalParts(
      isNegative: tail & 256 != 0, digits: UInt128(high) << 64 | UInt128(low),
      exponent: Int8(Int(tail & 255) - 128))
  }

  /// Returns whether a decimal is sorted before a second decimal. The order is numeric, with NaN
  /// last.
  package static func isOrdered(_ one: PackedDecimal, before other: PackedDecimal) -> Bool {
    guard let one = one.parts else { return false }
    guard let other = other.parts else { return true }
    if one.sign != other.sign { return one.sign < other.sign }
    return one.isNegative
      ? isMagnitude(other, below: one) : isMagnitude(one, below: other)
  }

  private static func isMagnitude(_ one: DecimalParts, below other: DecimalParts) -> Bool {
    let (oneCount, otherCount) = (
      DecimalParts.digitCount(one.digits), DecimalParts.digitCount(other.digits)
    )
    let (onePosition, otherPosition) = (
      oneCount + Int(one.exponent), otherCount + Int(other.exponent)
    )
    // The first digits have different powers of ten.
    if onePosition != otherPosition { return onePosition < otherPosition }
    // Here the first digits of the two numbers have the same power of ten. The one with fewer
    // digits is multiplied, so that both have the same number of digits. If the product exceeds 128
    // bits, it is the larger number.
    if oneCount < otherCount {
      let power = DecimalParts.powersOfTen[otherCount - oneCount]
      let (scaled, overflowed) = one.digits.multipliedReportingOverflow(by: power)
      return !overflowed && scaled < other.digits
    }
    let power = DecimalParts.powersOfTen[oneCount - otherCount]
    let (scaled, overflowed) = other.digits.multipliedReportingOverflow(by: power)
    return overflowed || one.digits < scaled
  }

  /// A key of 20 bytes for sorting. Comparing the bytes of two keys gives the numeric order of the
  /// decimals, with NaN last.
  ///
  /// ```
  /// 0    UInt16   zero: 0x8000; otherwise the position of the first digit plus 0x8100
  /// 2    UInt8    the upper bits of the digits, padded with zeros at the end to 39 digits
  /// 3    UInt128  the lower bits of the digits
  /// 19   UInt8    0
  /// ```
  ///
  /// All fields are big-endian. For negative numbers all bits are inverted. For NaN all bits are
  /// ones.
  package var orderKey: [UInt8] {
    guard let parts else { return Array(repeating: 0xFF, count: 20) }
    guard parts.digits != 0 else { return [0x80] + Array(repeating: 0, count: 19) }
    let count = DecimalParts.digitCount(parts.digits)
    let power = DecimalParts.powersOfTen[39 - count]
    let (upper, lower) = parts.digits.multipliedFullWidth(by: power)
    let head = UInt16(0x8100 + count + Int(parts.exponent))
    var bytes = [UInt8(head >> 8), UInt8(head & 255), UInt8(upper)]
    for index in 0..<16 { bytes.append(UInt8(truncatingIfNeeded: lower >> (8 * (15 - index)))) }
    bytes.append(0)
    return parts.isNegative ? bytes.map { ~$0 } : bytes
  }
}

extension DecimalParts {
  fileprivate var sign: Int { digits == 0 ? 0 : isNegative ? -1 : 1 }
}
