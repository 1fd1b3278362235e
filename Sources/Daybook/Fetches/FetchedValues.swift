import DaybookJournal
import DaybookPlatform
import DaybookResults
import DaybookStore

/// Values of one record, or a distinct combination of values of several records.
///
/// ```swift
/// let attributes: [FetchedAttribute<Bank>] = [
///   .attribute(\.state), .attribute(\.details, at: \.closeDate),
/// ]
/// for bank in try context.fetchValues(request, of: attributes) {
///   print(bank[\.state], bank["details.closeDate"] ?? .null)
/// }
/// ```
///
/// The values are in the order of the fetched attributes. A missing value is `AttributeValue.null`,
/// and so is a value of a referenced record that does not exist.
public struct FetchedValues<R: FetchableRecord>: RandomAccessCollection, Hashable, Sendable {
  /// The fetched attributes.
  public let attributes: [FetchedAttribute<R>]
  private let values: [AttributeValue]

  init(_ attributes: [FetchedAttribute<R>], values: [AttributeValue]) {
    self.attributes = attributes
    self.values = values
  }

  /// The index of the first value, 0.
  public var startIndex: Int { 0 }

  /// The number of values.
  public var endIndex: Int { values.count }

  /// Returns the value of the attribute at an index.
  public subscript(position: Int) -> AttributeValue { values[position] }

  /// Returns the value of the attribute with a name, such as `details.closeDate`; nil if it was not
  /// fetched.
  public subscript(name: String) -> AttributeValue? {
    attributes.firstIndex { $0.name == name }.map { values[$0] }
  }

  fileprivate func value(of attribute: FetchedAttribute<R>) -> AttributeValue {
    guard let index = attributes.firstIndex(of: attribute) else {
      let known = attributes.map(\.name).joined(separator: ", ")
      Misuse.stop(
        """
        the value of \(attribute.name) was used, and the fetch was of \(known). Add the attribute to those of \
        fetchValues.
        """)
    }
    return values[index]
  }
}

extension FetchedObjects {
  /// Returns values of records of the list, without reading the records.
  ///
  /// ```swift
  /// let cells = try banks.values(
  ///   of: [.attribute(\.name), .attribute(\.details, at: \.zip)], in: 40..<60)
  /// ```
  ///
  /// - Parameters:
  ///   - attributes: The attributes.
  ///   - indexes: The indices of the records in the list; nil for all.
  /// - Throws: `RequestError` for an error in the attributes
  /// - Complexity: O(log *n* + records · attributes)
  public func values(
    of attributes: [FetchedAttribute<R>], in indexes: Range<Int>? = nil
  ) throws(RequestError) -> [FetchedValues<R>] {
    let indexes = indexes ?? 0..<count
    if indexes.lowerBound < 0 || indexes.upperBound > count {
      Misuse.stop(
        """
        values of records \(indexes) were used of a list of \(R.self) whose record count is \(count). Use some \
        of the list's indices.
        """)
    }
    let catalog = snapshot.state.catalog
    let request = ListRequest(entity: catalog.names[snapshot.plan.entity])
    let columns = try request.columns(attributes.map(\.names), in: catalog)
    let first = ranks.lowerBound + indexes.lowerBound
    return snapshot.values(in: columns, atRanks: first..<first + indexes.count)
      .map { FetchedValues(attributes, values: $0) }
  }
}

extension FetchedValues where R: Record {
  /// Returns the value of a property, which must be one of the fetched attributes.
  public subscript<Value>(keyPath: KeyPath<R, Value>) -> AttributeValue {
    value(of: .attribute(keyPath))
  }

  /// Returns the value of a property of the referenced record, which must be one of the fetched
  /// attributes.
  public subscript<Target: Record, Value>(
    reference: KeyPath<R, Reference<Target>?>, keyPath: KeyPath<Target, Value>
  ) -> AttributeValue {
    value(of: .attribute(reference, at: keyPath))
  }
}
