import DaybookJournal

/// A description of the indexed values in the rows of one layout: references and unique lists.
///
/// Rows of older layouts are not rewritten, so each layout of an entity has its own plan. The plan
/// has the references of the layout itself, because later layouts do not change the targets of a
/// row. The plan has the unique lists of the entity's newest layout. Their values are read through
/// the mapping from the row's layout to the newest layout.
final class IndexPlan: Sendable {
  let layout: Layout
  let references: [ReferencePlan]
  let unique: [UniquePlan]

  /// Creates the plan for the rows of a layout.
  ///
  /// - Parameter newest: The newest layout of the entity.
  init(_ layout: Layout, newest: Layout, in catalog: Catalog) {
    self.layout = layout
    guard
      !newest.entity.unique.isEmpty
        || layout.entity.attributes.contains(where: { $0.type.target != nil })
    else {
      references = []
      unique = []
      return
    }
    let mapping = catalog.mapping(of: layout.number)
    // If two attributes of the newest layout are read from one attribute of the row, the plan uses
    // the first of the two.
    var newestIndexes: [Int: Int] = [:]
    for (index, source) in mapping.sources.reversed() {
      if case .same(let attribute) = source { newestIndexes[attribute] = index }
    }
    references = layout.entity.attributes.indices.compactMap { attribute in
      ReferencePlan(
        attribute, of: layout.entity.attributes[attribute].type,
        newest: newestIndexes[attribute], in: catalog)
    }
    let entity = catalog.indexedName(of: newest.entity.name)
    unique = newest.entity.unique.map {
      UniquePlan($0, of: entity, newest: newest, mapping: mapping)
    }
  }

  /// Calls a closure with the bytes of an attribute of a row, in the row or outside of it. If the
  /// row has no value, the closure gets nil.
  ///
  /// - Parameter location: The location of the row; none if the row has no value outside of it.
  func withValue<Result>(
    of attribute: Int, in row: RawSpan, at location: RowLocation, memory: RowMemory,
    _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    guard let range = layout.range(of: attribute, in: row) else { return body(nil) }
    let bytes = row.extracting(range)
    let field = layout.fields[attribute]
    guard field.byteCount == nil, layout.isStored(field.offset, in: row) else { return body(bytes) }
    guard location != .none, let value = StoredValue(bytes) else { return body(nil) }
    return memory.withStoredValue(value, of: location, body: body)
  }
}

/// The plan for finding the references of one attribute in a row.
struct ReferencePlan: Hashable, Sendable {
  /// The index of the attribute in the row's layout.
  let attribute: Int
  /// The index of the attribute in the newest layout; nil if that layout does not have it.
  let newest: Int?
  let target: EntityReference
  let isArray: Bool
  /// The seed of the hashes of references to the target entity.
  let seed: UInt64

  init?(_ attribute: Int, of type: AttributeType, newest: Int?, in catalog: Catalog) {
    switch type {
    case .reference(let target):
      self.target = target
      isArray = false
    case .references(let target):
      self.target = target
      isArray = true
    case .scalar, .array: return nil
    }
    self.attribute = attribute
    self.newest = newest
    seed = ReferencePlan.seed(target.entity, in: catalog)
  }

  static func seed(_ entity: String, in catalog: Catalog) -> UInt64 {
    XXH64.checksum(Array(catalog.indexedName(of: entity).utf8).span.bytes, seed: 0)
  }
}

/// The plan for finding the values of one unique list in a row. A unique list is a list of
/// attributes whose values together must differ in every two records of the entity.
struct UniquePlan: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    /// The value of the attribute with this index in the row's layout.
    case attribute(Int, isString: Bool)
    /// These bytes in every row: the default of an attribute that the row's layout lacks.
    case constant([UInt8])
    /// No value in any row.
    case none
  }

  let parts: [Part]
  /// The seed of the hashes of the list's values.
  let seed: UInt64

  init(
    _ names: [String], of indexedName: String, newest layout: Layout, mapping: LayoutMapping
  ) {
    let entity = layout.entity
    parts = names.map { name in
      guard let index = layout.index(of: name) else { return .none }
      let attribute = entity.attributes[index]
      let isString = attribute.type == .scalar(.string) || attribute.type == .scalar(.url)
      switch mapping[index] {
      case .same(let source): return .attribute(source, isString: isString)
      case .absent
      where !attribute.defaultValue.isNull && attribute.defaultValue.fits(attribute.type):
        var buffer = RowBuffer()
        attribute.defaultValue.append(as: attribute.type, to: &buffer)
        return .constant(ComparableValue.bytes(buffer.bytes.span.bytes, isString: isString))
      // Only a program that has the record type can convert the value.
      case .absent, .other: return .none
      }
    }
    var buffer = RowBuffer()
    for name in [indexedName] + names { buffer.appendString(name) }
    seed = XXH64.checksum(buffer.bytes.span.bytes, seed: 0)
  }
}

/// The form in which unique values are compared: strings in normal form, other values as their
/// bytes.
enum ComparableValue {
  /// Returns the bytes to compare: the normal form of a string, and the value's own bytes
  /// otherwise.
  static func bytes(_ value: RawSpan, isString: Bool) -> [UInt8] {
    isString && !isASCII(value)
      ? NormalizedText.bytes(of: RowText.text(value)) : value.withUnsafeBytes { [UInt8]($0) }
  }

  /// Returns the hash of the bytes to compare.
  @inline(__always)
  static func check(_ value: RawSpan, isString: Bool, seed: UInt64) -> UInt64 {
    if isString, !isASCII(value) {
      return XXH64.checksum(bytes(value, isString: true).span.bytes, seed: seed)
    }
    return XXH64.checksum(value, seed: seed)
  }

  private static func isASCII(_ bytes: RawSpan) -> Bool {
    var offset = 0
    while let word = bytes.number(at: offset, as: UInt64.self) {
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      offset += 8
    }
    while let byte = bytes.number(at: offset, as: UInt8.self) {
      if byte >= 0x80 { return false }
      offset += 1
    }
    return true
  }
}
