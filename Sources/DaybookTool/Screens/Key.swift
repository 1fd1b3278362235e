/// A key of a keyboard.
enum Key: Hashable, Sendable {
  case character(Character)
  case up, down, left, right, home, end, pageUp, pageDown
  case tab, backTab, enter, escape, backspace, delete
  /// A lowercase letter that was typed with the Control key.
  case control(Character)
}

/// A decoder of the bytes that a terminal sends for keys.
///
/// A key can consist of several bytes, which can arrive one after another. The byte of the key Esc
/// is also the first byte of other keys. If no byte follows it soon, the caller calls ``flush()``.
struct KeyDecoder {
  /// The bytes of a key that is not complete.
  private var rest: [UInt8] = []

  private static let escape: UInt8 = 0x1B
  /// The largest number of bytes of a key.
  private static let byteCountMax = 32

  /// A Boolean value that indicates whether the last bytes can be the start of a longer key.
  var isWaiting: Bool { !rest.isEmpty }

  /// Returns the keys of the next bytes.
  mutating func keys(of bytes: some Sequence<UInt8>) -> [Key] {
    rest += bytes
    var keys: [Key] = []
    while let (key, count) = first() {
      rest.removeFirst(count)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Returns the keys of the bytes of an incomplete key, to which no bytes follow.
  mutating func flush() -> [Key] {
    var keys: [Key] = []
    while let first = rest.first {
      rest.removeFirst()
      if first == KeyDecoder.escape { keys.append(.escape) }
      keys += self.keys(of: [])
    }
    return keys
  }

  /// Returns the first key, or nil for bytes that are no key, and the number of its bytes. Returns
  /// nil if the first key is not complete.
  private func first() -> (key: Key?, byteCount: Int)? {
    guard let byte = rest.first else { return nil }
    switch byte {
    case KeyDecoder.escape: return sequence()
    case 0x09: return (.tab, 1)
    case 0x0A, 0x0D: return (.enter, 1)
    case 0x08, 0x7F: return (.backspace, 1)
    case 0..<0x20: return (.control(Character(Unicode.Scalar(byte | 0x60))), 1)
    case 0x20..<0x80: return (.character(Character(Unicode.Scalar(byte))), 1)
    default: return character()
    }
  }

  /// Decodes an escape sequence, such as `ESC [ A`.
  private func sequence() -> (key: Key?, byteCount: Int)? {
    guard rest.count > 1 else { return nil }
    switch rest[1] {
    case UInt8(ascii: "O"):
      guard rest.count > 2 else { return nil }
      return (KeyDecoder.key(final: rest[2], number: ""), 3)
    case UInt8(ascii: "["):
      guard let end = rest.dropFirst(2).firstIndex(where: { !(0x20..<0x40).contains($0) }) else {
        return rest.count < KeyDecoder.byteCountMax ? nil : (nil, rest.count)
      }
      // A control character ends the sequence, and is a key of its own.
      guard (0x40..<0x7F).contains(rest[end]) else { return (nil, end) }
      let number = rest[2..<end].prefix { (0x30..<0x3A).contains($0) }
      return (
        KeyDecoder.key(final: rest[end], number: String(decoding: number, as: UTF8.self)), end + 1
      )
    default: return (.escape, 1)
    }
  }

  private static func key(final byte: UInt8, number: String) -> Key? {
    switch (Character(Unicode.Scalar(byte)), number) {
    case ("A", _): .up
    case ("B", _): .down
    case ("C", _): .right
    case ("D", _): .left
    case ("H", _), ("~", "1"), ("~", "7"): .home
    case ("F", _), ("~", "4"), ("~", "8"): .end
    case ("Z", _): .backTab
    case ("M", ""): .enter
    case ("~", "3"): .delete
    case ("~", "5"): .pageUp
    case ("~", "6"): .pageDown
    default: nil
    }
  }

  /// Decodes a character outside ASCII.
  private func character() -> (key: Key?, byteCount: Int)? {
    let first = rest[0]
    let count = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1
    let known = rest.prefix(count)
    guard count > 1, known.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (nil, 1) }
    guard known.count == count else { return nil }
    guard let string = String(validating: known, as: UTF8.self), let character = string.first,
      DisplayWidth.shown(string) == string
    else { return (nil, count) }
    return (.character(character), count)
  }
}
