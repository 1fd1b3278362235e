/// A class of scalars in a pattern, such as `[a-z]`, or its complement, such as `[^a-z]`.
struct ScalarClass: Sendable, Hashable {
  /// A kind of scalars: `\d`, `\w` or `\s`.
  enum Kind: Sendable, Hashable {
    case digit, word, space

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      let properties = scalar.properties
      switch self {
      case .digit: return properties.generalCategory == .decimalNumber
      case .space: return properties.isWhitespace
      case .word:
        if properties.isAlphabetic || properties.isJoinControl { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation:
          return true
        default: return false
        }
      }
    }
  }

  var ranges: [ClosedRange<UInt32>] = []
  var kinds: [Kind] = []
  /// The kinds that are negated within the brackets, such as `\D` in `[a\D]`.
  var otherThanKinds: [Kind] = []
  var isNegated = false

  func contains(_ value: UInt32) -> Bool {
    for range in ranges where range.contains(value) { return !isNegated }
    if kinds.isEmpty && otherThanKinds.isEmpty { return isNegated }
    guard let scalar = Unicode.Scalar(value) else { return isNegated }
    for kind in kinds where kind.contains(scalar) { return !isNegated }
    for kind in otherThanKinds where !kind.contains(scalar) { return !isNegated }
    return isNegated
  }

  /// Returns a class that also contains the folded form of each scalar in the ranges, because
  /// folded strings contain only folded scalars.
  func folded(_ options: TextOptions) -> ScalarClass {
    var folded = self
    for (scalar, other) in ScalarClass.foldings(options)
    where ranges.contains(where: { $0.contains(scalar) }) {
      folded.ranges.append(other...other)
    }
    return folded
  }

  /// Returns all scalars that the options fold to a single different scalar, each with that scalar.
  private static func foldings(_ options: TextOptions) -> [(UInt32, UInt32)] {
    switch options {
    case .ignoringCase: caseFoldings
    case .ignoringDiacritics: diacriticFoldings
    default: bothFoldings
    }
  }

  private static let caseFoldings = foundFoldings(.ignoringCase)
  private static let diacriticFoldings = foundFoldings(.ignoringDiacritics)
  private static let bothFoldings = foundFoldings([.ignoringCase, .ignoringDiacritics])

  private static func foundFoldings(_ options: TextOptions) -> [(UInt32, UInt32)] {
    // No scalar from U+20000 on is a letter with case or has a mark.
    (0..<0x20000).compactMap { value in
      guard let scalar = Unicode.Scalar(UInt32(value)) else { return nil }
      let bytes = FoldedText.bytes(of: String(scalar), options: options)
      let folded = String(decoding: bytes, as: UTF8.self).unicodeScalars
      guard folded.count == 1, let first = folded.first, first != scalar else { return nil }
      return (scalar.value, first.value)
    }
  }
}
