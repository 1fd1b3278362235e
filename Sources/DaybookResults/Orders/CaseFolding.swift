import DaybookStore

#if canImport(FoundationEssentials)
  @_spi(_Unicode) import Swift
#endif

/// Texts without the difference between upper and lower case.
///
/// This is Unicode's full case folding, the mappings that its file CaseFolding.txt marks `C` and `F`,
/// which are the same in every language. The standard library has no such table. It has the
/// property that tells which scalars folding changes, and the full mappings to lower and upper case,
/// from which Unicode derives foldings: the lower case of the upper case of the lower case. The first
/// step is for `ẞ`, which has no upper case but that of `ß`. The letters of Cherokee alone fold to
/// upper case, as they had no other when folding was fixed.
///
/// Unicode derives foldings only for what normal form D has not taken apart, and so here they are
/// asked only of that. They are those of the Unicode version that the standard library knows, and
/// foldings of assigned scalars never change from one version to the next.
enum CaseFolding {
  /// The UTF-8 of a text: in normal form D, folded, and that in normal form C.
  ///
  /// - Parameter dropsMarks: Whether nonspacing marks are left out of what was folded. The one mark
  ///   that folds to a letter, the iota below others in Greek, is a letter by then, and stays.
  static func bytes(of text: String, dropsMarks: Bool) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.utf8.count)
    for scalar in text._nfd {
      if scalar.isASCII {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        folded.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
      } else if !scalar.properties.changesWhenCaseFolded {
        append(scalar, dropsMarks: dropsMarks, to: &folded)
      } else {
        for one in folding(of: scalar) { append(one, dropsMarks: dropsMarks, to: &folded) }
      }
    }
    return NormalizedText.bytes(of: String(decoding: folded, as: UTF8.self))
  }

  @inline(__always)
  private static func append(_ scalar: Unicode.Scalar, dropsMarks: Bool, to bytes: inout [UInt8]) {
    if dropsMarks, scalar.properties.generalCategory == .nonspacingMark { return }
    bytes.append(contentsOf: scalar.utf8)
  }

  /// What a scalar folds to that normal form D does not take apart.
  static func folding(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    guard scalar.properties.changesWhenCaseFolded else { return [scalar] }
    switch scalar.value {
    case 0x13F8...0x13FD, 0xAB70...0xABBF:
      return Array(scalar.properties.uppercaseMapping.unicodeScalars)
    default: break
    }
    return scalar.properties.lowercaseMapping.unicodeScalars.flatMap { lower in
      lower.properties.uppercaseMapping.unicodeScalars.flatMap { upper in
        upper.properties.lowercaseMapping.unicodeScalars
      }
    }
  }
}
