import DaybookPlatform
import DaybookStore

/// What is asked of one text, with the other text prepared.
struct TextTest: Sendable {
  enum Question: Sendable {
    /// How it stands to these bytes.
    case compares(FilterRelation, [UInt8])
    case beginsWith([UInt8])
    case endsWith([UInt8])
    /// Nil asks for nothing, which every text contains.
    case contains(SequenceSearch<UInt8>?)
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
      case .contains(let search): search?.isFound(in: text) ?? true
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
        return Memory.compare(start, with: otherStart, byteCount: count)
      }
    }
    return result == 0 ? one.byteCount - other.byteCount : result
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
