extension String {
  /// Returns the string with each occurrence of a scalar replaced.
  ///
  /// `replacing(_:with:)` compares characters. It does not find a quotation mark before a combining
  /// mark, because both together are one character. Other programs read the quotation mark alone.
  func escaping(_ scalar: Unicode.Scalar, as replacement: String) -> String {
    var text = String.UnicodeScalarView()
    for other in unicodeScalars {
      if other == scalar {
        text.append(contentsOf: replacement.unicodeScalars)
      } else {
        text.append(other)
      }
    }
    return String(text)
  }
}
