@testable import DaybookResults

/// The words of a text as arrays of scalars, and searches that compare every pair of words.
struct PlainWords {
  let words: [[Unicode.Scalar]]
  /// The number of scalars of the folded text.
  let scalarCount: Int

  init(_ text: String) {
    let bytes = FoldedText.bytes(of: text, options: [.ignoringCase, .ignoringDiacritics])
    let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    scalarCount = scalars.count
    words = scalars.split { !PlainWords.isWord($0) }.map { Array($0) }
  }

  /// By the two letters of the category, as the Unicode Character Database writes them.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned: false  // C
    case .lineSeparator, .paragraphSeparator, .spaceSeparator: false  // Z
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      false  // P
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: false  // S
    default: true  // L, M, N
    }
  }

  /// What decides the rank of a text, the most significant first; nil if the text does not match
  /// the search. A smaller number is a better match.
  func match(_ text: String) -> [Int]? {
    var known: [[Unicode.Scalar]] = []
    for word in words where !known.contains(word) { known.append(word) }
    if known.isEmpty { return [0, 0, 0] }
    let other = PlainWords(text)
    var (longerCount, sum) = (0, 0)
    for word in known {
      if let place = other.words.firstIndex(of: word) {
        sum += place
      } else if let place = other.words.firstIndex(where: { $0.starts(with: word) }) {
        sum += place
        longerCount += 1
      } else {
        return nil
      }
    }
    return [longerCount, sum, other.scalarCount]
  }

  /// Returns a negative number, 0 or a positive number if a text is ranked before, with, or after
  /// another one. Texts that do not match are last.
  func compare(_ one: String?, _ other: String?) -> Int {
    if words.isEmpty { return 0 }
    switch (one.flatMap(match), other.flatMap(match)) {
    case (nil, nil): return 0
    case (nil, _): return 1
    case (_, nil): return -1
    case (let one?, let other?):
      return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
    }
  }
}
