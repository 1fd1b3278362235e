@_spi(Tools) import DaybookStore

/// Which section of a result it is, whatever it is called and wherever it stands.
///
/// It is made of the section's exact value: no text and an empty text are two sections of one name.
public struct SectionIdentifier: Sendable {
  /// What sections are made of, and what is the section's own in its key; nil for the only section of a
  /// result without a section key.
  private let source: SectionSource?
  private let own: [UInt8]?
  /// The whole key, by which the section is found. Its lead differs between requests, so it is no part of
  /// the identity.
  fileprivate let key: [UInt8]?

  fileprivate init(_ source: SectionSource?, own: [UInt8]?, key: [UInt8]?) {
    self.source = source
    self.own = own
    self.key = key
  }
}

extension SectionIdentifier: Hashable {
  /// Returns a Boolean value that indicates whether two identifiers are of the same section.
  public static func == (one: SectionIdentifier, other: SectionIdentifier) -> Bool {
    one.own == other.own && one.source == other.source
  }

  /// Hashes what makes the section the same.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(own)
  }
}

extension SectionIdentifier: CustomStringConvertible {
  /// The value of the section, as in `section "CA"`; `section nil` for rows without a value, and
  /// `section` for the only section of a list without a section key.
  public var description: String {
    guard let key, let source else { return "section" }
    return own == [0] ? "section nil" : "section \(source.name(of: key).quotedText)"
  }
}

extension ResultSnapshot {
  /// Which section it is, by its place among those that are shown.
  ///
  /// - Complexity: O(log *n*)
  package func identifier(ofSection index: Int) -> SectionIdentifier {
    guard hasSections else { return SectionIdentifier(nil, own: nil, key: nil) }
    let key = sectionKey(ofSection: index)
    let own = plan.sectionSource?.own(in: key) ?? key
    return SectionIdentifier(plan.sectionSource, own: own, key: key)
  }

  /// Returns the index of a section among those that are shown; nil if it is not shown.
  ///
  /// - Complexity: O(log *n*); O(*sections* log *n*) for the identifier of another request's section
  package func index(ofSection identifier: SectionIdentifier) -> Int? {
    guard hasSections, let key = identifier.key else {
      return !hasSections && identifier == self.identifier(ofSection: 0) ? 0 : nil
    }
    let sections = visibleSections
    let (place, isFound) = search.section(key[...])
    if isFound, sections.contains(place) {
      let index = place - sections.lowerBound
      if self.identifier(ofSection: index) == identifier { return index }
    }
    // A request with another order has another key for the section.
    return (0..<sections.count).first { self.identifier(ofSection: $0) == identifier }
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

extension String {
  /// The text as a JSON string.
  package var quotedText: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// The ranks of sections of an order, each of which is looked for once for many rows.
struct KnownSections {
  private struct Known {
    var prefix: UInt64
    var key: [UInt8]
    var ranks: Range<Int>
  }

  /// By a number that is made of the first bytes of their keys; of several that have the same the one that was looked
  /// for last.
  private var known: [Known?] = []
  /// How far the bits of that number are to the left.
  private var shift: UInt64 = 0

  /// - Parameter rowCount: How many rows will be looked for, at the most.
  init(_ plan: ResultPlan, rowCount: Int) {
    // It is not worth it for a few.
    guard plan.appendSection != nil, rowCount > 8 else { return }
    let bitCount = min(10, Int.bitWidth - rowCount.leadingZeroBitCount)
    known = Array(repeating: nil, count: 1 << bitCount)
    shift = UInt64(64 - bitCount)
  }

  /// The ranks of the section that a row of the order is in.
  ///
  /// - Complexity: O(1) if it was looked for before; else O(log *sections*)
  mutating func ranks(of key: RowKey, by search: OrderSearch) -> Range<Int> {
    if known.isEmpty { return search.range(ofSection: key) }
    let prefix = key.sectionPrefix
    let place = Int(truncatingIfNeeded: (prefix &* 0x9E37_79B9_7F4A_7C15) >> shift)
    if let found = known[place], found.prefix == prefix, key.section == found.key[...] {
      return found.ranks
    }
    let ranks = search.range(ofSection: key)
    known[place] = Known(prefix: prefix, key: Array(key.section), ranks: ranks)
    return ranks
  }
}
