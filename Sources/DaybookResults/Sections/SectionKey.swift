import DaybookStore

/// The encoding of a row's section as the first part of the row's key. A plan has one value of this
/// type, which encodes the sections of all rows.
///
/// ```
/// ┌──────────────────────────────────────────┬──────────────────────────────────────┐
/// │ lead: the position of the section in the │ own: the exact common value of the   │
/// │ sort order of the sections               │ rows, always ascending               │
/// └──────────────────────────────────────────┴──────────────────────────────────────┘
/// ```
///
/// The own part alone identifies the section, but it cannot always sort the sections. The sort
/// order may be descending, or may treat two sections as equal, as `é` and `É` if case is ignored.
/// Then the key starts with a lead. Sections with equal leads are sorted by their own parts. If the
/// own parts have the requested order, there is no lead.
///
/// | sort order of the values           | lead                                    |
/// | ---------------------------------- | --------------------------------------- |
/// | ascending, without equal values    | none                                    |
/// | descending, without equal values   | own, inverted                           |
/// | any other                          | the part of an order key for the value  |
///
/// Two rows are in one section if and only if their section keys have equal bytes. The key of a
/// section is never a prefix of the key of a different section.
package struct SectionKey: Hashable, Sendable {
  /// The encoding of the lead, as in the table above.
  private enum Lead: Hashable, Sendable {
    case none
    case inverted
    case part(OrderKeyPart)
  }

  package let kind: SectionKind
  package let isDescending: Bool
  private let value: SectionValue
  private let lead: Lead

  /// - Parameters:
  ///   - comparator: The comparator of the first sort key if that key and the sections use the same
  ///     path; otherwise plain.
  ///   - isDescending: The direction of that sort key, or the requested direction of the sections
  ///     if the paths differ.
  /// - Throws: ``SectionProblem`` if values of this type cannot form sections of this kind.
  package init(
    _ kind: SectionKind, of end: ValuePath.End, comparator: TextComparator = .plain,
    isDescending: Bool = false
  ) throws(SectionProblem) {
    value = try SectionValue(kind, of: end)
    let order: OrderKeyPart
    do throws(OrderProblem) {
      order = try OrderKeyPart(
        end, comparator: comparator, isDescending: isDescending, isOptional: true)
    } catch { throw SectionProblem(.order(error), typeName: end.typeName) }
    self.kind = kind
    self.isDescending = isDescending
    lead =
      switch value.form {
      case .bits: .part(order)
      case _ where comparator != .plain: .part(order)
      default: isDescending ? .inverted : .none
      }
  }

  /// Returns whether two keys group values into the same sections. The order of the sections may
  /// differ.
  func makesSameSections(as other: SectionKey) -> Bool { value == other.value }

  /// Appends the key of the section of a value, which has the encoding of rows; nil if the row has
  /// no value.
  package func append(_ value: borrowing RawSpan?, to key: inout RowBuffer) {
    switch lead {
    case .none: self.value.append(value, to: &key)
    case .part(let order):
      appendLead(value, by: order, to: &key)
      self.value.append(value, to: &key)
    case .inverted:
      let start = key.count
      self.value.append(value, to: &key)
      let own = Array(key.room[start..<key.count])
      for (index, byte) in own.enumerated() { key.put(~byte, at: start + index) }
      key.append(own)
    }
  }

  private func appendLead(
    _ value: borrowing RawSpan?, by order: OrderKeyPart, to key: inout RowBuffer
  ) {
    switch self.value.form {
    case .letter, .prefix:
      guard let value = copy value else { return order.append(nil, to: &key) }
      order.append(self.value.string(of: value).utf8Span.span.bytes, to: &key)
    default: order.append(value, to: &key)
    }
  }

  /// Returns the byte range of the section's own part in a row's key: after the lead, and before
  /// the parts of the sort keys.
  package func ownRange(in key: RawSpan) -> Range<Int> {
    let start =
      switch lead {
      case .none: 0
      case .part(let order): order.end(in: key, from: 0)
      case .inverted: value.end(in: key, from: 0, mask: 0xFF)
      }
    return start..<value.end(in: key, from: start, mask: 0)
  }

  /// Returns the name of the section at the start of a row's key.
  ///
  /// The name is computed from the key alone. Two sections may have equal names: nil and the empty
  /// string both have the name `""`, and so do the dates -0.0 and 0.0.
  package func name(of key: RawSpan) -> String {
    value.name(of: key.extracting(ownRange(in: key)))
  }
}
