import DaybookStore

/// The ranges of one width that integers lie in, one of which begins at 0.
///
/// A range is its number: 0 is the one that begins at 0. There are no more than there are integers, so
/// it has as many bits as those.
struct IntegerRanges: Hashable, Sendable {
  let width: Int128
  let isSigned: Bool

  init(_ type: ScalarType, _ width: RangeWidth) throws(SectionProblem) {
    self.width = try width.whole(type)
    isSigned =
      switch type {
      case .int8, .int16, .int32, .int64: true
      default: false
      }
  }

  /// How the words of ranges stand in keys.
  var form: MarkedWord { MarkedWord(isSigned: isSigned) }

  /// The number of the range as a word that is in order as the ranges are.
  func word(of value: Int128) -> UInt64 {
    var (number, rest) = value.quotientAndRemainder(dividingBy: width)
    if rest < 0 { (number, rest) = (number - 1, rest + width) }
    return isSigned ? UInt64(bitPattern: Int64(number)) ^ 1 << 63 : UInt64(number)
  }

  /// The first integer, and the first behind the range.
  func name(ofWord word: UInt64) -> String {
    let number = isSigned ? Int128(Int64(bitPattern: word ^ 1 << 63)) : Int128(word)
    return "[\(number * width), \((number + 1) * width))"
  }
}
