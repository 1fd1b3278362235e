import DaybookJournal
import DaybookPlatform
import DaybookResults
import DaybookStore

/// Some values of one record, or what several records have in common, without the records.
///
/// ```swift
/// let attributes: [FetchedAttribute<Bank>] = [.attribute(\.state), .attribute(\.details, at: \.closeDate)]
/// for bank in try context.fetchValues(request, of: attributes) {
///   print(bank[\.state], bank["details.closeDate"] ?? .null)
/// }
/// ```
///
/// A collection of the values in the order of the attributes that were asked for. What has no value,
/// or leads to no record, is ``AttributeValue/null``.
public struct FetchedValues<R: FetchableRecord>: RandomAccessCollection, Hashable, Sendable {
  /// What was asked for.
  public let attributes: [FetchedAttribute<R>]
  private let values: [AttributeValue]

  init(_ attributes: [FetchedAttribute<R>], values: [AttributeValue]) {
    self.attributes = attributes
    self.values = values
  }

  /// 0.
  public var startIndex: Int { 0 }

  /// How many values there are.
  public var endIndex: Int { values.count }

  /// The value of the attribute at a place among those that were asked for.
  public subscript(place: Int) -> AttributeValue { values[place] }

  /// The value of an attribute by its name, as `details.closeDate`; nil if it was not asked for.
  public subscript(name: String) -> AttributeValue? {
    attributes.firstIndex { $0.name == name }.map { values[$0] }
  }

  fileprivate func value(of attribute: FetchedAttribute<R>) -> AttributeValue {
    guard let place = attributes.firstIndex(of: attribute) else {
      let known = attributes.map(\.name).joined(separator: ", ")
      Misuse.stop(
        """
        the value of \(attribute.name) was used, and the fetch was of \(known). Add the attribute to those of \
        fetchValues.
        """)
    }
    return values[place]
  }
}

extension FetchedObjects {
  /// Returns values of some records of the list. No record is read for them.
  ///
  /// ```swift
  /// let cells = try banks.values(of: [.attribute(\.name), .attribute(\.details, at: \.zip)], in: 40..<60)
  /// ```
  ///
  /// - Parameters:
  ///   - attributes: The attributes.
  ///   - places: The places of the records in the list; nil for all.
  /// - Throws: ``RequestError`` for an error of the attributes
  /// - Complexity: O(log *n* + records · attributes)
  public func values(
    of attributes: [FetchedAttribute<R>], in places: Range<Int>? = nil
  ) throws(RequestError) -> [FetchedValues<R>] {
    let places = places ?? 0..<count
    if places.lowerBound < 0 || places.upperBound > count {
      Misuse.stop(
        """
        values of records \(places) were used of a list of \(R.self) whose record count is \(count). Use some \
        of the list's indices.
        """)
    }
    let catalog = snapshot.state.catalog
    let request = FetchRequest(entity: catalog.names[snapshot.plan.entity])
    let columns = try request.columns(attributes.map(\.names), in: catalog)
    let first = ranks.lowerBound + places.lowerBound
    return snapshot.values(in: columns, atRanks: first..<first + places.count)
      .map { FetchedValues(attributes, values: $0) }
  }
}

extension FetchedValues where R: Record {
  /// The value of a property, which has to be one that was asked for.
  public subscript<Value>(keyPath: KeyPath<R, Value>) -> AttributeValue {
    value(of: .attribute(keyPath))
  }

  /// The value of a property of the record that the record refers to, which has to be one that was
  /// asked for.
  public subscript<Target: Record, Value>(
    reference: KeyPath<R, Reference<Target>?>, keyPath: KeyPath<Target, Value>
  ) -> AttributeValue {
    value(of: .attribute(reference, at: keyPath))
  }
}
