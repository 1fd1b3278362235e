extension String {
  /// Returns the string with each occurrence of a scalar replaced.
  ///
  /// `replacing(_:with:)` compares characters. It does not find a quotation mark before a combining
  /// mark, because both together are one character. Other programs read the quotation mark alone.
  func escaping(_ scalar: Unicode.Scalar, as replacement: String) -> String {
    var escaped = String.UnicodeScalarView()
    for other in unicodeScalars {
      if other == scalar {
        escaped.append(contentsOf: replacement.unicodeScalars)
      } else {
        escaped.append(other)
      }
    }
    return String(escaped)
  }
}
