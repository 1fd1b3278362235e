import DaybookStore
import Glibc

/// What is asked of one text, with the other text prepared.
struct TextTest: Sendable {
  enum Question: Sendable {
    /// How it stands to these bytes.
    case compares(FilterRelation, [UInt8])
    case beginsWith([UInt8])
    case endsWith([UInt8])
    case contains([UInt8])
    case isOneOf(Set<[UInt8]>)
    case isLike(LikePattern)
    case matches(MatchPattern)
  }

  let options: TextOptions
  let question: Question

  /// The answer for a text as it stands in a row.
  func answer(_ row: RawSpan) -> Bool {
    FoldedText.withBytes(of: row, options) { text in
      switch question {
      case .compares(let relation, let other):
        relation.holds(TextTest.compare(text, other.span.bytes))
      case .beginsWith(let start):
        text.byteCount >= start.count
          && bytesAreEqual(text.extracting(0..<start.count), start.span.bytes)
      case .endsWith(let end):
        text.byteCount >= end.count
          && bytesAreEqual(
            text.extracting(text.byteCount - end.count..<text.byteCount), end.span.bytes)
      case .contains(let part): TextTest.contains(text, part)
      case .isOneOf(let texts): texts.contains(text.withUnsafeBytes { [UInt8]($0) })
      case .isLike(let pattern): pattern.matches(text)
      case .matches(let pattern): pattern.matches(text)
      }
    }
  }

  /// Below 0, 0 or above it, as some bytes are below others, equal to them, or above them.
  static func compare(_ one: RawSpan, _ other: RawSpan) -> Int {
    let count = min(one.byteCount, other.byteCount)
    let result = one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        guard count > 0, let start = one.baseAddress, let otherStart = other.baseAddress else {
          return 0
        }
        return Int(memcmp(start, otherStart, count))
      }
    }
    return result == 0 ? one.byteCount - other.byteCount : result
  }

  // Texts are UTF-8, in which a whole text stands only where its scalars do.
  private static func contains(_ text: RawSpan, _ part: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    return text.withUnsafeBytes { text in
      var rest = text[...]
      while rest.count >= part.count {
        let tried = UnsafeRawBufferPointer(rebasing: rest.dropLast(part.count - 1))
        guard let start = tried.baseAddress,
          let found = memchr(start, Int32(first), tried.count)
        else { return false }
        rest = rest.dropFirst(start.distance(to: UnsafeRawPointer(found)))
        // There are as many bytes left as the part has, as the first was looked for before those.
        if UnsafeRawBufferPointer(rebasing: rest).starts(with: part) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }
}

extension FilterRelation {
  /// Whether two values that compare so are to each other as the relation says.
  @inline(__always)
  func holds(_ comparison: Int) -> Bool {
    switch self {
    case .equal: comparison == 0
    case .notEqual: comparison != 0
    case .less: comparison < 0
    case .lessOrEqual: comparison <= 0
    case .greater: comparison > 0
    case .greaterOrEqual: comparison >= 0
    default: preconditionFailure("\(rawValue) compares nothing")
    }
  }
}
