#if Postgres
  /// Percent signs and two digits for special characters of URLs.
  enum PercentCode {
    /// The bytes that are written as they are, also in the lists of libpq.
    private static let plain = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    static func encoded(_ string: String) -> String {
      string.utf8.reduce(into: "") { result, byte in
        if plain.contains(byte) {
          result.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          let digits = String(byte, radix: 16, uppercase: true)
          result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }
      }
    }

    /// Returns the text with the bytes that percent signs stand for; nil if they are no UTF-8.
    static func decoded(_ string: Substring) -> String? {
      var bytes: [UInt8] = []
      var rest = Array(string.utf8)[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          bytes.append(byte)
          continue
        }
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), value != 0 else {
          return nil
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
      }
      return String(validating: bytes, as: UTF8.self)
    }
  }
#endif
