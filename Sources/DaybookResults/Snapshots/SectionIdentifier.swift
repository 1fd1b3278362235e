import DaybookStore

/// Which section of a result it is, whatever it is called and wherever it stands.
///
/// It is made of the section's exact value: no text and an empty text are two sections of one name.
public struct SectionIdentifier: Hashable, Sendable {
  /// What sections are made of, and what is the section's own in its key; nil for the only section of a
  /// result without a section key.
  private let source: SectionSource?
  private let own: [UInt8]?

  fileprivate init(_ source: SectionSource?, own: [UInt8]?) {
    self.source = source
    self.own = own
  }
}

extension ResultSnapshot {
  /// Which section it is, by its place among those that are shown.
  ///
  /// - Complexity: O(log *n*)
  package func identifier(ofSection index: Int) -> SectionIdentifier {
    guard plan.appendSection != nil else { return SectionIdentifier(nil, own: nil) }
    let key = sectionKey(ofSection: index)
    return SectionIdentifier(plan.sectionSource, own: plan.sectionSource?.own(in: key) ?? key)
  }

  /// The identifiers of the rows of a section, by its place among those that are shown.
  ///
  /// - Complexity: O(log *n* and the section's rows)
  package func identifiers(inSection index: Int) -> [RecordIdentifier] {
    identifiers(atRanks: ranks(ofSection: index))
  }

  /// The key of a section, by its place among those that are shown.
  func sectionKey(ofSection index: Int) -> [UInt8] {
    sectionKey(atRank: visibleRanks(ofSection: visibleSections.lowerBound + index).lowerBound)
  }
}
