import DaybookStore

/// Which section a row is in: the first part of its order key.
///
/// ```
/// ┌──────────────────────────────────────────┬──────────────────────────────────────┐
/// │ lead: the section's place, as the order  │ own: what the rows have in common,   │
/// │ of sections sees it                      │ exactly, always ascending            │
/// └──────────────────────────────────────────┴──────────────────────────────────────┘
/// ```
///
/// The order of sections may not tell two apart, as `é` and `É` without case, or may go the other way.
/// So there is a lead, and sections that it does not tell apart stand beside each other by what is
/// their own. Where the order is that of what is their own there is no lead.
///
/// | order of the values             | lead                                    |
/// | ------------------------------- | --------------------------------------- |
/// | ascending, and tells all apart  | none                                    |
/// | descending, and tells all apart | own, inverted                           |
/// | any other                       | the part of an order key for the value  |
///
/// Equal bytes are one section, and no section's bytes begin with those of another.
package struct SectionKey: Hashable, Sendable {
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
  ///   - comparator: That of the first sort key if it is the section's attribute, else plain.
  ///   - isDescending: The direction of that sort key, or else the one that was asked for.
  /// - Throws: ``SectionProblem`` if no such sections are made of such values.
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

  /// Whether another puts values into the same sections, in whatever order they stand.
  func makesSameSections(as other: SectionKey) -> Bool { value == other.value }

  /// Appends the key of the section of a value, as rows hold it; nil if there is none.
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
      for (place, byte) in own.enumerated() { key.put(~byte, at: start + place) }
      key.append(own)
    }
  }

  private func appendLead(
    _ value: borrowing RawSpan?, by order: OrderKeyPart, to key: inout RowBuffer
  ) {
    switch self.value.form {
    case .letter, .prefix:
      guard let value = copy value else { return order.append(nil, to: &key) }
      order.append(self.value.text(of: value).utf8Span.span.bytes, to: &key)
    default: order.append(value, to: &key)
    }
  }

  /// Where what is the section's own stands in an order key that begins with a section's: behind the
  /// lead, and before the parts of the other sort keys.
  package func ownRange(in key: RawSpan) -> Range<Int> {
    let start =
      switch lead {
      case .none: 0
      case .part(let order): order.end(in: key, from: 0)
      case .inverted: value.end(in: key, from: 0, mask: 0xFF)
      }
    return start..<value.end(in: key, from: start, mask: 0)
  }

  /// The name of the section that an order key begins with.
  ///
  /// It follows from the key alone, and two sections may have the same: so have no text and an empty
  /// one, both `""`, and a date of -0.0 and one of 0.0.
  package func name(of key: RawSpan) -> String {
    value.name(of: key.extracting(ownRange(in: key)))
  }
}
