/// The conversion between bytes and strings in base64, as RFC 4648 defines it: with padding and
/// without white space.
///
/// Exactly one string is accepted for each sequence of bytes: padding is required, and the unused
/// bits of the last character must be zero.
package enum Base64Text {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The six bits of each character of base64; 255 for all other bytes.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  private static let padding = UInt8(ascii: "=")

  /// Returns the base64 string of bytes.
  ///
  /// - Complexity: O(*n*)
  package static func text(of bytes: Span<UInt8>) -> String {
    String(unsafeUninitializedCapacity: encodedCount(bytes.count)) { write(bytes, into: $0) }
  }

  /// Returns the base64 string of bytes.
  package static func text(of bytes: [UInt8]) -> String {
    text(of: bytes.span)
  }

  /// Appends the base64 string of bytes to an output.
  package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
    output += [UInt8](unsafeUninitializedCapacity: encodedCount(bytes.count)) { buffer, count in
      count = write(bytes, into: buffer)
    }
  }

  private static func encodedCount(_ byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

  /// Writes the base64 string of bytes into a buffer, and returns the byte count of the string. The
  /// buffer must have enough space.
  private static func write(
    _ bytes: Span<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    let count = encodedCount(bytes.count)
    precondition(
      buffer.count >= count,
      "a buffer of \(buffer.count) bytes is too small for a string of \(count)")
    // Every index is inside its buffer. The loop conditions keep reads below `bytes.count`. Each
    // group of three bytes, or fewer at the end, writes four bytes. The alphabet has a character
    // for every value of six bits.
    bytes.withUnsafeBufferPointer { bytes in
      alphabet.withUnsafeBufferPointer { alphabet in
        var (source, target) = (0, 0)
        while source &+ 3 <= bytes.count {
          let group =
            Int(bytes[source]) << 16 | Int(bytes[source &+ 1]) << 8 | Int(bytes[source &+ 2])
          buffer[target] = alphabet[group >> 18]
          buffer[target &+ 1] = alphabet[group >> 12 & 63]
          buffer[target &+ 2] = alphabet[group >> 6 & 63]
          buffer[target &+ 3] = alphabet[group & 63]
          source &+= 3
          target &+= 4
        }
        guard source < bytes.count else { return }
        let isPair = source + 2 == bytes.count
        let group = Int(bytes[source]) << 8 | (isPair ? Int(bytes[source + 1]) : 0)
        buffer[target] = alphabet[group >> 10]
        buffer[target + 1] = alphabet[group >> 4 & 63]
        buffer[target + 2] = isPair ? alphabet[group << 2 & 63] : padding
        buffer[target + 3] = padding
      }
    }
    return count
  }

  /// Returns the bytes that a base64 string represents.
  ///
  /// - Complexity: O(*n*)
  package static func bytes(_ string: String) throws(TextError) -> [UInt8] {
    try bytes(string.utf8Span.span)
  }

  /// Returns the bytes that the UTF-8 bytes of a base64 string represent.
  package static func bytes(_ string: Span<UInt8>) throws(TextError) -> [UInt8] {
    guard string.count > 0 else { return [] }
    let characterCount =
      string.count
      - (string[string.count - 1] != padding
        ? 0
        : string.count > 1
          && string[string.count - 2] == padding ? 2 : 1)
    let byteCount = characterCount * 3 / 4
    var isValid = string.count % 4 == 0
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      if isValid { isValid = read(string, characterCount: characterCount, into: buffer) }
      count = isValid ? byteCount : 0
    }
    if isValid { return bytes }
    throw problem(about: string, characterCount: characterCount)
  }

  /// Decodes a string into a buffer. Returns false if the string is not valid. The buffer must have
  /// enough space.
  private static func read(
    _ string: Span<UInt8>, characterCount: Int, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    precondition(
      characterCount <= string.count && buffer.count >= characterCount * 3 / 4,
      "a buffer of \(buffer.count) bytes does not match \(characterCount) characters of \(string.count)"
    )
    // Every index is inside its buffer. The conditions keep reads below `characterCount`. Each
    // group of four characters writes three bytes, and a shorter group at the end writes fewer.
    // `values` has an entry for every byte.
    return string.withUnsafeBufferPointer { string in
      values.withUnsafeBufferPointer { values in
        var (source, target) = (0, 0)
        var all: UInt8 = 0
        while source &+ 4 <= characterCount {
          let one = values[Int(string[source])]
          let two = values[Int(string[source &+ 1])]
          let three = values[Int(string[source &+ 2])]
          let four = values[Int(string[source &+ 3])]
          all |= one | two | three | four
          buffer[target] = one << 2 | two >> 4
          buffer[target &+ 1] = two << 4 | three >> 2
          buffer[target &+ 2] = three << 6 | four
          source &+= 4
          target &+= 3
        }
        let left = characterCount - source
        if left == 0 { return all < 64 }
        guard left >= 2 else { return false }
        let one = values[Int(string[source])]
        let two = values[Int(string[source + 1])]
        all |= one | two
        buffer[target] = one << 2 | two >> 4
        if left == 2 { return all < 64 && two & 15 == 0 }
        let three = values[Int(string[source + 2])]
        all |= three
        buffer[target + 1] = two << 4 | three >> 2
        return all < 64 && three & 3 == 0
      }
    }
  }

  /// Returns the error for a string that is not valid.
  private static func problem(about string: Span<UInt8>, characterCount: Int) -> TextError {
    for index in 0..<characterCount where values[Int(string[index])] == 255 {
      return .expected("a character of base64", in: string, at: index)
    }
    guard string.count % 4 == 0, characterCount % 4 != 1 else {
      return TextError(
        .form,
        sentence:
          "base64 needs groups of four characters, padded with '='; the length is \(string.count).",
        in: string, at: string.count)
    }
    return TextError(
      .form, sentence: "the last character of the base64 text has unused bits set.",
      in: string,
      at: characterCount - 1)
  }
}
