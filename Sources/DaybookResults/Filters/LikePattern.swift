/// The pattern of `LIKE`: `?` is any one scalar, `*` any run of them, `\*`, `\?` and `\\` are what
/// stands behind the backslash.
///
/// Where a match breaks off, only the last `*` takes one scalar more: no earlier one could do
/// better. So the time is at most that of the text times that of the pattern.
package struct LikePattern: Sendable {
  private enum Part: Sendable, Equatable {
    case scalar(UInt32)
    case one
    case run
  }

  private var parts: [Part] = []

  package init(_ pattern: String, _ options: TextOptions) {
    var literal = String.UnicodeScalarView()
    var scalars = Array(pattern.unicodeScalars)[...]
    func flush(_ parts: inout [Part]) {
      let bytes = FoldedText.comparable(String(literal), options)
      parts += String(decoding: bytes, as: UTF8.self).unicodeScalars.map { .scalar($0.value) }
      literal = String.UnicodeScalarView()
    }
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\\":
        if let next = scalars.first, next == "*" || next == "?" || next == "\\" {
          literal.append(next)
          scalars.removeFirst()
        } else {
          literal.append(scalar)
        }
      case "*":
        flush(&parts)
        if parts.last != .run { parts.append(.run) }
      case "?":
        flush(&parts)
        parts.append(.one)
      default: literal.append(scalar)
      }
    }
    flush(&parts)
  }

  /// Whether a text in the form of the pattern's options matches.
  ///
  /// - Complexity: O(*n* · *m*)
  func matches(_ text: RawSpan) -> Bool {
    var (place, part) = (0, 0)
    var retry: (part: Int, place: Int)?
    while place < text.byteCount {
      let (scalar, next) = text.scalar(at: place)
      if part < parts.count {
        switch parts[part] {
        case .run:
          retry = (part, place)
          part += 1
          continue
        case .scalar(let wanted) where wanted == scalar:
          (place, part) = (next, part + 1)
          continue
        case .one:
          (place, part) = (next, part + 1)
          continue
        case .scalar: break
        }
      }
      guard let last = retry else { return false }
      let (_, after) = text.scalar(at: last.place)
      retry = (last.part, after)
      (place, part) = (after, last.part + 1)
    }
    while part < parts.count, parts[part] == .run { part += 1 }
    return part == parts.count
  }
}

extension RawSpan {
  /// The scalar at a place of UTF-8, and where the next one begins. What is no UTF-8 is read
  /// somehow, byte by byte.
  @inline(__always)
  func scalar(at place: Int) -> (value: UInt32, end: Int) {
    func byte(_ offset: Int) -> UInt32 {
      UInt32(number(at: place &+ offset, as: UInt8.self) ?? 0)
    }
    let first = byte(0)
    if first < 0x80 { return (first, place + 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC0, place + length <= byteCount else { return (0xFFFD, place + 1) }
    switch length {
    case 2: return ((first & 0x1F) << 6 | byte(1) & 0x3F, place + 2)
    case 3:
      return ((first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | byte(2) & 0x3F, place + 3)
    default:
      let upper = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12
      return (upper | (byte(2) & 0x3F) << 6 | byte(3) & 0x3F, place + 4)
    }
  }
}
