/// A class of scalars in a pattern, such as `[a-z]`, or its complement, such as `[^a-z]`.
struct ScalarClass: Sendable, Hashable {
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

  /// Returns the class with the folded form of each scalar added, because folded strings contain
  /// that form.
  func folded(_ options: TextOptions) -> ScalarClass {
    var folded = self
    for (scalar, other) in ScalarClass.foldings(options)
    where ranges.contains(where: { $0.contains(scalar) }) {
      folded.ranges.append(other...other)
    }
    return folded
  }

  /// Returns the scalars that fold to one other scalar under some options, each with that scalar.
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
    // The higher planes have no letters with case or marks.
    (0..<0x20000).compactMap { value in
      guard let scalar = Unicode.Scalar(UInt32(value)) else { return nil }
      let bytes = FoldedText.bytes(of: String(scalar), options: options)
      let folded = String(decoding: bytes, as: UTF8.self).unicodeScalars
      guard folded.count == 1, let first = folded.first, first != scalar else { return nil }
      return (scalar.value, first.value)
    }
  }
}
