@_spi(Tools) import DaybookStore

/// The identity of a section of a list. The identity does not depend on the section's name or
/// index, so a view can find the section again after the list has changed.
///
/// A section is identified by its exact value. A nil string and an empty string are two sections
/// with the same name.
public struct SectionIdentifier: Sendable {
  /// The definition of the list's sections; nil if the list has no section key or the definition is
  /// unknown. `own` is the part of the section's key that identifies the section; nil if the list
  /// has no section key.
  private let source: SectionSource?
  private let own: [UInt8]?
  /// The whole key, for a search in the order. The lead of the key (see ``SectionKey``) depends on
  /// the sort order of the request, so the whole key is not part of the identity.
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

  /// Hashes the components that identify the section.
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
  /// Returns the identifier of the section at an index.
  ///
  /// - Complexity: O(log *n*)
  package func identifier(ofSection index: Int) -> SectionIdentifier {
    guard hasSections else { return SectionIdentifier(nil, own: nil, key: nil) }
    let key = sectionKey(ofSection: index)
    let own = plan.sectionSource?.own(in: key) ?? key
    return SectionIdentifier(plan.sectionSource, own: own, key: key)
  }

  /// Returns the index of a section; nil if it is not shown.
  ///
  /// - Complexity: O(log *n*); O(*sections* log *n*) for an identifier from a different request
  package func index(ofSection identifier: SectionIdentifier) -> Int? {
    guard hasSections, let key = identifier.key else {
      return !hasSections && identifier == self.identifier(ofSection: 0) ? 0 : nil
    }
    let sections = visibleSections
    let (section, isFound) = search.section(key[...])
    if isFound, sections.contains(section) {
      let index = section - sections.lowerBound
      if self.identifier(ofSection: index) == identifier { return index }
    }
    // If the identifier is from a request with a different sort order, its key has a different
    // lead. The search by the key cannot find the section then.
    return (0..<sections.count).first { self.identifier(ofSection: $0) == identifier }
  }

  /// Returns the identifiers of the rows of a section.
  ///
  /// - Complexity: O(log *n* and the section's rows)
  package func identifiers(inSection index: Int) -> [RecordIdentifier] {
    identifiers(atRanks: ranks(ofSection: index))
  }

  func sectionKey(ofSection index: Int) -> [UInt8] {
    sectionKey(atRank: visibleRanks(ofSection: visibleSections.lowerBound + index).lowerBound)
  }
}

extension String {
  /// The string as a JSON string, with quotes and escapes.
  package var quotedText: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// A cache of the rank ranges of sections. A caller that searches for the ranks of many rows in one
/// order uses it, because many of these rows are in the same sections.
struct KnownSections {
  /// A section with its ranks in the order.
  private struct Known {
    var prefix: UInt64
    var key: [UInt8]
    var ranks: Range<Int>
  }

  /// A direct-mapped cache, indexed by a hash of the first eight bytes of a section's key. Each
  /// element contains one section: the section with this index that was searched for last.
  private var known: [Known?] = []
  /// The right shift that reduces a hash to an index of the cache.
  private var shift: UInt64 = 0

  /// - Parameter rowCount: The largest number of rows that will be searched for.
  init(_ plan: ResultPlan, rowCount: Int) {
    // For a few rows, creating the cache takes longer than the searches.
    guard plan.appendSection != nil, rowCount > 8 else { return }
    let bitCount = min(10, Int.bitWidth - rowCount.leadingZeroBitCount)
    known = Array(repeating: nil, count: 1 << bitCount)
    shift = UInt64(64 - bitCount)
  }

  /// Returns the ranks of the section that contains a row of the order.
  ///
  /// - Complexity: O(1) if the section is in the cache; otherwise O(log *sections*)
  mutating func ranks(of key: RowKey, by search: OrderSearch) -> Range<Int> {
    if known.isEmpty { return search.range(ofSection: key) }
    let prefix = key.sectionPrefix
    let index = Int(truncatingIfNeeded: (prefix &* 0x9E37_79B9_7F4A_7C15) >> shift)
    if let found = known[index], found.prefix == prefix, key.section == found.key[...] {
      return found.ranks
    }
    let ranks = search.range(ofSection: key)
    known[index] = Known(prefix: prefix, key: Array(key.section), ranks: ranks)
    return ranks
  }
}
