import DaybookStore
@_spi(_Unicode) import Swift

/// Texts without what `[c]` and `[d]` do not look at, in Unicode's normal form C.
///
/// The canonical decomposition is folded, scalar by scalar, loses its nonspacing marks under `[d]`, and
/// is composed again. The standard library knows which scalars full case folding changes, though not to
/// what: those are folded by lower case, upper case and lower case again, except for Cherokee, which
/// folds to upper case.
package enum FoldedText {
  /// The UTF-8 bytes of a text in which only differences are left that the options look at.
  package static func bytes(of text: String, _ options: TextOptions) -> [UInt8] {
    var folded = String.UnicodeScalarView()
    for scalar in text._nfd {
      if scalar.isASCII {
        let isUpper = options.contains(.ignoringCase) && ("A"..."Z").contains(scalar)
        folded.append(isUpper ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar)
      } else if options.contains(.ignoringCase), scalar.properties.changesWhenCaseFolded {
        appendFolded(scalar, options, to: &folded)
      } else {
        append(scalar, options, to: &folded)
      }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in String(folded)._nfc { bytes.append(contentsOf: scalar.utf8) }
    return bytes
  }

  private static func append(
    _ scalar: Unicode.Scalar, _ options: TextOptions, to folded: inout String.UnicodeScalarView
  ) {
    if options.contains(.ignoringDiacritics),
      scalar.properties.generalCategory == .nonspacingMark
    {
      return
    }
    folded.append(scalar)
  }

  private static func appendFolded(
    _ scalar: Unicode.Scalar, _ options: TextOptions, to folded: inout String.UnicodeScalarView
  ) {
    if (0xAB70...0xABBF).contains(scalar.value) || (0x13F8...0x13FD).contains(scalar.value) {
      folded.append(contentsOf: scalar.properties.uppercaseMapping.unicodeScalars)
      return
    }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        for scalar in upper.properties.lowercaseMapping.unicodeScalars {
          append(scalar, options, to: &folded)
        }
      }
    }
  }

  /// Hands out the bytes of a text in a row as `bytes(of:_:)` makes them; ASCII needs no memory.
  static func withBytes<Result>(
    of row: RawSpan, _ options: TextOptions, _ body: (RawSpan) -> Result
  ) -> Result {
    guard isASCII(row) else {
      let text = row.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      let bytes =
        options.isEmpty ? normalBytes(of: text) : FoldedText.bytes(of: text, options)
      return body(bytes.span.bytes)
    }
    guard options.contains(.ignoringCase) else { return body(row) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: row.byteCount) { buffer in
      row.withUnsafeBytes { row in
        for place in row.indices {
          let byte = row[place]
          buffer[place] = byte &- 65 < 26 ? byte | 32 : byte
        }
      }
      return body(UnsafeRawBufferPointer(buffer).bytes)
    }
  }

  private static func normalBytes(of text: String) -> [UInt8] {
    NormalizedText.bytes(of: text)
  }

  private static func isASCII(_ bytes: RawSpan) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var place = 0
      while place &+ 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 != 0 { return false }
        place &+= 8
      }
      while place < bytes.count {
        if bytes[place] >= 0x80 { return false }
        place &+= 1
      }
      return true
    }
  }

  /// The bytes of a text as comparisons under options see it.
  package static func comparable(_ text: String, _ options: TextOptions) -> [UInt8] {
    options.isEmpty ? normalBytes(of: text) : bytes(of: text, options)
  }
}
