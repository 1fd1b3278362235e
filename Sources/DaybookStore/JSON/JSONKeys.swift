/// The keys an object has shown so far, so that one that comes twice is refused.
///
/// Keys that Swift holds for equal text are equal, however their accents are spelt.
package struct JSONKeys {
  // Nearly every object has few keys, and looking through those is quicker than hashing.
  private var few: [(key: String, offset: Int)] = []
  private var many: [String: Int] = [:]
  private static let fewMax = 8

  package init() {}

  /// Notes the key that a reader has just gone past.
  ///
  /// - Throws: ``JSONError/Reason/repeatedKey(_:firstColumn:)``, with both columns, if it stands in
  ///   the object already.
  /// - Complexity: O(1) on average
  package mutating func note(_ key: String, of reader: borrowing JSONReader) throws(JSONError) {
    let offset = reader.tokenOffset
    var first: Int?
    if many.isEmpty, few.count < JSONKeys.fewMax {
      first = few.first { $0.key == key }?.offset
      few.append((key, offset))
    } else {
      if many.isEmpty { for (key, offset) in few { many[key] = offset } }
      first = many.updateValue(offset, forKey: key)
    }
    if let first {
      let firstColumn = reader.column(at: first)
      throw reader.error(.repeatedKey(key, firstColumn: firstColumn), at: offset)
    }
  }

  /// Forgets all keys, for the next object.
  package mutating func removeAll() {
    few.removeAll(keepingCapacity: true)
    if !many.isEmpty { many.removeAll(keepingCapacity: true) }
  }
}
