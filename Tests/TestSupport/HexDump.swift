/// Bytes formatted as in a documentation page.
package enum HexDump {
  /// Returns lines of sixteen bytes with their offset and their characters.
  package static func lines(of bytes: [UInt8]) -> [String] {
    stride(from: 0, to: bytes.count, by: 16).map { start in
      let line = bytes[start..<min(start + 16, bytes.count)]
      let digits = line.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }
      let text = line.map { 32..<127 ~= $0 ? String(UnicodeScalar($0)) : "." }.joined()
      let offset = String(repeating: " ", count: 4 - "\(start)".count) + "\(start)"
      let padding = String(repeating: " ", count: 3 * (16 - line.count))
      return "\(offset)  \(digits.joined(separator: " "))\(padding)  \(text)"
    }
  }
}
