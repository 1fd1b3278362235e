import DaybookStore

/// Whether a text of the row itself is another text, or is not.
///
/// After the ordered keys it is what filters ask most. Equal bytes are equal texts, and where a text is
/// ASCII other bytes are another text; only the rest has to be brought into its normal form.
final class EqualTextCheck: Sendable {
  private let path: AttributePath
  /// The other text, in its normal form.
  private let other: [UInt8]
  private let isEqual: Bool
  private let nilAnswer: Bool
  /// The same question, for all other rows.
  private let longWay: OwnCheck

  /// nil if that is not what is asked.
  init?(_ path: AttributePath, _ test: ValueTest, _ valuePath: ValuePath) {
    guard case .text(let text) = test.question, text.options.isEmpty,
      case .compares(let relation, let other) = text.question,
      relation == .equal || relation == .notEqual
    else { return nil }
    self.path = path
    self.other = other
    isEqual = relation == .equal
    nilAnswer = test.nilAnswer
    longWay = OwnCheck(path, test, valuePath)
  }

  /// The text that a row has to have, if it has to have one.
  var narrowing: FilterNarrowing? { isEqual && !nilAnswer ? .text(path, other) : nil }

  func answer(_ row: RawSpan, _ location: RowLocation, _ frozen: FrozenState) -> Bool {
    if path.isElsewhere(in: row) { return longWay.answer(row, location, frozen) }
    let relation = path.withBytes(in: row) { self.relation(copy $0) }
    switch relation {
    case .none: return nilAnswer
    case .same: return isEqual
    case .different: return !isEqual
    case .unknown: return longWay.answer(row, location, frozen)
    }
  }

  private enum TextRelation {
    case none, same, different
    /// The text has to be brought into its normal form first.
    case unknown
  }

  private func relation(_ bytes: RawSpan?) -> TextRelation {
    guard let bytes else { return .none }
    let isSame = other.withUnsafeBytes { bytesAreEqual(bytes, $0.bytes) }
    return isSame ? .same : FoldedText.isASCII(bytes) ? .different : .unknown
  }
}
