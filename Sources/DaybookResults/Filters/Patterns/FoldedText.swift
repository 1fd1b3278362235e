import DaybookStore

#if canImport(FoundationEssentials)
  @_spi(_Unicode) import Swift
#else
  import Foundation

  extension String {
    // The standard library of Apple's platforms contains this property, but does not export it.
    var _nfd: UnicodeScalarView { decomposedStringWithCanonicalMapping.unicodeScalars }
  }
#endif

/// The form of strings that filters compare: normal form C of Unicode, without the differences that
/// the options `[c]` and `[d]` ignore. With `[cd]`, `Café` becomes `cafe`.
package enum FoldedText {
  /// Returns the UTF-8 bytes of a string without the differences that the options ignore.
  package static func bytes(of string: String, options: TextOptions) -> [UInt8] {
    let dropsMarks = options.contains(.ignoringDiacritics)
    guard !options.contains(.ignoringCase) else {
      return CaseFolding.bytes(of: string, dropsMarks: dropsMarks)
    }
    guard dropsMarks else { return NormalizedText.bytes(of: string) }
    var bare = String.UnicodeScalarView()
    for scalar in string._nfd where scalar.properties.generalCategory != .nonspacingMark {
      bare.append(scalar)
    }
    return NormalizedText.bytes(of: String(bare))
  }

  /// Calls a closure with the bytes of a string in a row, as `bytes(of:options:)` returns them. An
  /// ASCII string is not decoded and not normalized, which is faster.
  static func withBytes<Result>(
    of row: RawSpan, options: TextOptions, body: (RawSpan) -> Result
  ) -> Result {
    guard isASCII(row) else {
      let string = row.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      return body(bytes(of: string, options: options).span.bytes)
    }
    guard options.contains(.ignoringCase) else { return body(row) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: row.byteCount) { buffer in
      row.withUnsafeBytes { row in
        for index in row.indices {
          let byte = row[index]
          buffer[index] = byte &- 65 < 26 ? byte | 32 : byte
        }
      }
      return body(UnsafeRawBufferPointer(buffer).bytes)
    }
  }

  /// Returns whether all bytes are ASCII.
  @inline(__always)
  static func isASCII(_ bytes: RawSpan) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset &+ 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 != 0 { return false }
        offset &+= 8
      }
      while offset < bytes.count {
        if bytes[offset] >= 0x80 { return false }
        offset &+= 1
      }
      return true
    }
  }
}
