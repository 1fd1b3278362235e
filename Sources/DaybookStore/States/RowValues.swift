import DaybookJournal
import DaybookEssentials

/// The values of one row, as the newest schema of its entity has them. Each access reads one value.
///
/// Many rows can share one large value. It is read only by an access to it.
@_spi(Tools) public struct RowValues: Sendable {
  /// The source of a value.
  private enum Source {
    /// The row has no value. The schema supplies it: nil or the default.
    case schema(AttributeValue)
    case bytes(ValueRange)
  }

  private let location: RowLocation
  private let memory: RowMemory
  private let layout: Layout
  private let newest: Layout
  private let mapping: LayoutMapping

  /// Creates the values of the verified row at a location; nil if the location contains no row of a
  /// known layout.
  package init?(at location: RowLocation, in memory: RowMemory, catalog: Catalog) {
    guard let number = memory.withBytes(at: location, { Layout.number(of: $0) }),
      let layout = catalog.layouts[number]
    else { return nil }
    self.location = location
    self.memory = memory
    self.layout = layout
    newest = catalog.newest(catalog.entity(of: number))
    mapping = catalog.mapping(of: number)
  }

  /// The identifier; nil if the row is incomplete.
  public var id: RecordIdentifier? {
    memory.withBytes(at: location) { row in
      layout.identifierRange(in: row).flatMap {
        RecordIdentifier(layout.identifierKind, bytes: row.extracting($0))
      }
    }
  }

  /// Returns the value of an attribute, by its index in the newest schema.
  ///
  /// - Complexity: O(*n*) in the bytes of the value
  public func value(_ attribute: Int) -> AttributeValue {
    switch source(of: attribute) {
    case .schema(let value): return value
    case .bytes(let range):
      let type = newest.entity.attributes[attribute].type
      return range.withBytes(in: memory) { AttributeValue(type, bytes: $0) ?? .null }
    }
  }

  /// The attributes that have a value, in the order of the newest schema.
  ///
  /// - Complexity: O(*n*) in the attributes of the row's own layout and those with a default
  package var attributesWithValue: [Int] { mapping.possibleValues.filter { !isNull($0) } }

  /// Returns the attributes whose values differ in two rows, in the order of the newest schema.
  ///
  /// - Complexity: O(*n*) in the attributes of both rows' own layouts and those with a default
  package func attributesChanged(from other: RowValues, known: SameValues) -> [Int] {
    var changed: [Int] = []
    var (mine, others) = (mapping.possibleValues[...], other.mapping.possibleValues[...])
    while let attribute = [mine.first, others.first].compactMap(\.self).min() {
      if mine.first == attribute { mine.removeFirst() }
      if others.first == attribute { others.removeFirst() }
      if !isSame(attribute, as: other, known: known) { changed.append(attribute) }
    }
    return changed
  }

  /// Returns whether an attribute has no value.
  public func isNull(_ attribute: Int) -> Bool {
    switch source(of: attribute) {
    case .schema(let value): value.isNull
    case .bytes: false
    }
  }

  /// Returns whether an attribute has the same value in two rows.
  ///
  /// Strings are compared in normal form. All NaN numbers are the same, whatever their bits are,
  /// because they have the same text form.
  ///
  /// - Parameter known: A cache of large values that are known to be the same. With it, two values
  ///   are compared only once, even if many rows refer to them.
  public func isSame(
    _ attribute: Int, as other: RowValues, known: SameValues
  ) -> Bool {
    let (one, two) = (source(of: attribute), other.source(of: attribute))
    guard case .bytes(let range) = one, case .bytes(let otherRange) = two else {
      return value(attribute).hasSameLiteral(as: other.value(attribute))
    }
    if range == otherRange, memory.isSame(as: other.memory) { return true }
    let isLarge =
      max(range.byteCount, otherRange.byteCount) >= StoredValue.byteCountMin
      && memory.isSame(as: other.memory)
    if isLarge, known.areSame(range, and: otherRange) { return true }
    if isLarge { known.comparedByteCount += min(range.byteCount, otherRange.byteCount) }
    let isSame =
      range.withBytes(in: memory) { one in
        otherRange.withBytes(in: other.memory) { two in bytesAreEqual(one, and: two) }
      } || value(attribute).hasSameLiteral(as: other.value(attribute))
    if isSame, isLarge { known.record(range, isSameAs: otherRange) }
    return isSame
  }

  /// Returns the range and checksum of an attribute's value if the value is stored outside of the
  /// row;
  /// otherwise nil.
  func storedValue(_ attribute: Int) -> (range: ValueRange, checksum: UInt64)? {
    guard case .same(let index) = mapping[attribute] else { return nil }
    let field = layout.fields[index]
    guard field.byteCount == nil else { return nil }
    return memory.withBytes(at: location) { row in
      guard layout.isStored(field.offset, in: row), let range = layout.range(of: index, in: row),
        let value = StoredValue(row.extracting(range))
      else { return nil }
      return (memory.valueRange(of: value, in: location), value.checksum)
    }
  }

  private func source(of attribute: Int) -> Source {
    let index: Int
    switch mapping[attribute] {
    case .same(let source): index = source
    case .absent: return .schema(newest.entity.attributes[attribute].defaultValue)
    // Only a program with a record type for the entity can convert the value.
    case .other: return .schema(.null)
    }
    return memory.withBytes(at: location) { row in
      guard let range = layout.range(of: index, in: row) else { return .schema(.null) }
      let field = layout.fields[index]
      guard field.byteCount == nil, layout.isStored(field.offset, in: row),
        let value = StoredValue(row.extracting(range))
      else {
        return .bytes(ValueRange(location: location + range.lowerBound, byteCount: range.count))
      }
      let stored = memory.valueRange(of: value, in: location)
      return stored.location == .none ? .schema(.null) : .bytes(stored)
    }
  }
}

extension AttributeValue {
  /// Returns whether two values have the same text form. All NaN numbers have one text form,
  /// whatever their bits are.
  func hasSameLiteral(as other: AttributeValue) -> Bool {
    if self == other { return true }
    return switch (self, other) {
    case (.float(let one), .float(let other)): one.isNaN && other.isNaN
    case (.double(let one), .double(let other)): one.isNaN && other.isNaN
    case (.date(let one), .date(let other)):
      one.timeIntervalSinceReferenceDate.isNaN && other.timeIntervalSinceReferenceDate.isNaN
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.hasSameLiteral(as: $1) }
    default: false
    }
  }
}

/// A union-find structure of large values: each set contains the ranges of equal values.
///
/// If the bytes in two ranges are the same, their sets are merged. Two ranges of one set are not
/// compared again. So the bytes of equal values are compared at most once for each range, even if
/// many rows refer to them.
///
/// Not Sendable, because comparisons change it.
@_spi(Tools) public final class SameValues {
  private var parents: [ValueRange: ValueRange] = [:]
  /// The number of compared bytes of large values.
  package fileprivate(set) var comparedByteCount = 0

  /// Creates an empty structure.
  public init() {}

  func areSame(_ one: ValueRange, and other: ValueRange) -> Bool {
    root(of: one) == root(of: other)
  }

  func record(_ one: ValueRange, isSameAs other: ValueRange) {
    let (root, otherRoot) = (root(of: one), root(of: other))
    if root != otherRoot { parents[root] = otherRoot }
  }

  private func root(of range: ValueRange) -> ValueRange {
    var range = range
    while let parent = parents[range] {
      guard let next = parents[parent] else { return parent }
      parents[range] = next
      range = next
    }
    return range
  }
}
