import DaybookResults
import DaybookStore

/// Questions about texts, asked of arrays of scalars.
enum PlainText {
  static func scalars(_ text: String, _ options: TextOptions) -> [UInt32] {
    let bytes =
      options.isEmpty
      ? NormalizedText.bytes(of: text) : FoldedText.bytes(of: text, options: options)
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value)
  }

  static func holds(
    _ text: String, _ relation: FilterRelation, _ options: TextOptions, _ other: String
  ) throws -> Bool {
    let (one, two) = (scalars(text, options), scalars(other, options))
    switch relation {
    case .equal: return one == two
    case .less: return one.lexicographicallyPrecedes(two)
    case .lessOrEqual: return !two.lexicographicallyPrecedes(one)
    case .greater: return two.lexicographicallyPrecedes(one)
    case .greaterOrEqual: return !one.lexicographicallyPrecedes(two)
    case .beginsWith: return one.starts(with: two)
    case .endsWith: return one.reversed().starts(with: two.reversed())
    case .contains:
      return (0...one.count).contains { one[$0...].starts(with: two) }
    case .like: return isLike(one[...], pattern: two[...])
    case .matches:
      let regex = try Regex(other).matchingSemantics(.unicodeScalar)
      return NormalizedText.text(of: text).wholeMatch(of: regex) != nil
    case .matchesWords: return PlainWords(other).match(text) != nil
    case .notEqual, .isIn, .between: return false
    }
  }

  /// By trying every length of every run.
  static func isLike(_ text: ArraySlice<UInt32>, pattern: ArraySlice<UInt32>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch Unicode.Scalar(first) {
    case "*":
      return isLike(text, pattern: rest)
        || !text.isEmpty && isLike(text.dropFirst(), pattern: pattern)
    case "?": return !text.isEmpty && isLike(text.dropFirst(), pattern: rest)
    case "\\":
      if let next = rest.first, let scalar = Unicode.Scalar(next),
        "*?\\".unicodeScalars.contains(scalar)
      {
        return text.first == next && isLike(text.dropFirst(), pattern: rest.dropFirst())
      }
    default: break
    }
    return text.first == first && isLike(text.dropFirst(), pattern: rest)
  }
}
