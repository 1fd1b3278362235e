import DaybookStore

#if canImport(FoundationEssentials)
  @_spi(_Unicode) import Swift
#endif

/// The case folding of strings: a conversion after which upper and lower case are equal.
///
/// The type implements the full case folding of Unicode: the mappings with status `C` and `F` in
/// the file CaseFolding.txt, which do not depend on a language. The standard library has no such
/// table. The library has the property `changesWhenCaseFolded`, and the full mappings to lower and
/// upper case. A folding can be computed from the two mappings in three steps: to lower case, then
/// to upper case, then to lower case again. `ẞ` needs the first step, because it is its own upper
/// case: the steps give `ß`, then `SS`, then `ss`. The letters of Cherokee are an exception. These
/// letters fold to upper case, because Unicode added their lower case after the foldings had become
/// stable.
///
/// The property `changesWhenCaseFolded` is computed from normal form D, so it is false for some
/// scalars that the folding changes and that normal form D decomposes, for example `ΐ`. So strings
/// are decomposed first. The foldings are those of the Unicode version of the standard library.
/// Unicode never changes the folding of an assigned scalar.
enum CaseFolding {
  /// Returns the UTF-8 bytes of a string that is converted to normal form D, folded, and converted
  /// to normal form C.
  ///
  /// - Parameter dropsMarks: A Boolean value that indicates whether nonspacing marks are left out
  ///   after folding. U+0345, the iota below Greek letters, is a mark that folds to the letter
  ///   iota, so it is kept.
  static func bytes(of string: String, dropsMarks: Bool) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(string.utf8.count)
    for scalar in string._nfd {
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

  /// Returns the folding of a scalar that normal form D does not decompose.
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
