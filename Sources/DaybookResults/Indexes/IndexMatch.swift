import DaybookStore

/// A use of an index for a request: the part of the index to read, and whether it is in the order
/// of the request.
struct IndexMatch {
  /// The order of the index's part, compared with that of the request.
  enum Order {
    /// The rows must be sorted.
    case other
    case same
    /// The values are in the opposite order, and rows with equal values in the same order.
    case opposite
  }

  /// The attributes of the index.
  let names: [String]
  /// The number of attributes, from the first, that must have one value.
  let equalCount: Int
  /// The attribute after them that must be in a range; nil for no attribute.
  let rangeName: String?
  /// The keys of the rows to read.
  let keys: KeyRange
  let order: Order
  /// The first bytes of each key to read: the encoded values of the attributes that must have one
  /// value.
  let equalKey: [UInt8]
  /// The parts of the index's keys.
  private let parts: [OrderKeyPart]
  /// The sort keys of the request; empty for a request with sections.
  private let sortKeys: [SortKey]
  /// A Boolean value that indicates whether the filter has conditions that the keys do not imply.
  let hasOtherConditions: Bool

  /// - Parameters:
  ///   - parts: The parts of the index's keys.
  ///   - sortKeys: The sort keys of the request; nil for a request with sections.
  /// - Returns: nil if the index is of no use for the request.
  init?(
    _ names: [String], parts: [OrderKeyPart], conditions: FilterConditions, sortKeys: [SortKey]?
  ) {
    var equalKey: [UInt8] = []
    var equalCount = 0
    var range: KeyRange?
    var usedCount = 0
    search: for (name, part) in zip(names, parts) {
      let tests = conditions.tests(of: name)
      switch part.values(passing: tests) {
      case .one(let bytes):
        equalKey += bytes
        equalCount += 1
        usedCount += 1
      case .range(let keys):
        range = keys
        usedCount += tests.count { part.values(passing: $0) != nil }
        break search
      case nil: break search
      }
    }
    let order = sortKeys.map {
      IndexMatch.order(of: names[equalCount...], after: names[..<equalCount], for: $0)
    }
    guard equalCount > 0 || range != nil || (order ?? .other) != .other else { return nil }
    self.names = names
    self.equalCount = equalCount
    self.equalKey = equalKey
    rangeName = range.map { _ in names[equalCount] }
    keys = (range ?? KeyRange()).preceded(by: equalKey)
    self.order = order ?? .other
    self.parts = parts
    self.sortKeys = sortKeys ?? []
    hasOtherConditions = usedCount < conditions.count
  }

  /// A Boolean value that indicates whether the index may lead to the requested rows by reading
  /// fewer rows than a scan.
  var mayReadFewerRows: Bool { equalCount > 0 || rangeName != nil || !hasOtherConditions }

  /// Returns a key of the request without the values of the attributes that must have one value.
  /// The order must not be `other`.
  ///
  /// - Parameter key: The key of a position, which the plan of the request has checked.
  /// - Returns: nil if the key has other values of these attributes, or if their sort keys do not
  ///   have the plain order.
  func keyWithoutFixedValues(_ key: [UInt8]) -> [UInt8]? {
    var (rest, start, equalKey): ([UInt8], Int, ArraySlice<UInt8>) = ([], 0, equalKey[...])
    let fixed = parts[..<equalCount].map { part in
      let bytes = equalKey.prefix(part.end(in: Array(equalKey).span.bytes, from: 0))
      equalKey = equalKey.dropFirst(bytes.count)
      return bytes
    }
    for sortKey in sortKeys {
      guard let index = names.firstIndex(of: sortKey.names[0]), sortKey.comparator == .plain,
        sortKey.words == nil
      else { return nil }
      let mask: UInt8 = sortKey.isDescending ? 0xFF : 0
      let end = parts[index].end(in: key.span.bytes, from: start, mask: mask)
      if index >= equalCount {
        rest += key[start..<end]
      } else if !key[start..<end].elementsEqual(fixed[index].lazy.map { $0 ^ mask }) {
        return nil
      }
      start = end
    }
    return rest + key[start...]
  }

  /// Compares the order by the last attributes of an index with that of a request.
  ///
  /// - Parameter fixed: The attributes before them, of which all rows have equal values.
  private static func order(
    of names: ArraySlice<String>, after fixed: ArraySlice<String>, for sortKeys: [SortKey]
  ) -> Order {
    let keys = sortKeys.filter { $0.names.count > 1 || !fixed.contains($0.names[0]) }
    guard keys.map(\.names) == names.map({ [$0] }),
      keys.allSatisfy({ $0.comparator == .plain && $0.words == nil })
    else { return .other }
    guard let isDescending = keys.first?.isDescending else { return .same }
    guard keys.allSatisfy({ $0.isDescending == isDescending }) else { return .other }
    return isDescending ? .opposite : .same
  }
}
