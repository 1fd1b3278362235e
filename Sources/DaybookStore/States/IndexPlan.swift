import DaybookJournal

/// What the indexes take from the rows of one layout.
///
/// Rows of older layouts stay as they are, so each layout of an entity has a plan of its own. The
/// references are those that the layout itself has: what a row refers to does not depend on layouts
/// that come later. The unique lists are those of the entity's newest layout, read as that one reads
/// the row.
final class IndexPlan: Sendable {
  let layout: Layout
  let references: [ReferencePlan]
  let unique: [UniquePlan]

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
    // Of two that are read from one attribute, the first.
    var newestPlaces: [Int: Int] = [:]
    for (place, source) in mapping.sources.enumerated().reversed() {
      if case .same(let attribute) = source { newestPlaces[attribute] = place }
    }
    references = layout.entity.attributes.indices.compactMap { attribute in
      ReferencePlan(
        attribute, of: layout.entity.attributes[attribute].type,
        newest: newestPlaces[attribute])
    }
    unique = newest.entity.unique.map { UniquePlan($0, newest: newest, mapping: mapping) }
  }

  /// Hands out the bytes of an attribute of a row, wherever they stand; none if it has no value.
  ///
  /// - Parameter location: Where the row stands; none if it has all its values itself.
  func withValue<Result>(
    of attribute: Int, in row: RawSpan, at location: RowLocation, memory: RowMemory,
    _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    guard let range = layout.range(of: attribute, in: row) else { return body(nil) }
    let bytes = row.extracting(range)
    let place = layout.places[attribute]
    guard place.byteCount == nil, layout.isStored(place.offset, in: row) else { return body(bytes) }
    guard location != .none, let value = StoredValue(bytes) else { return body(nil) }
    return memory.withStoredValue(value, of: location, body: body)
  }
}

/// How the references of one attribute are found in a row.
struct ReferencePlan: Hashable, Sendable {
  /// The attribute's place in the row's layout.
  let attribute: Int
  /// Its place in the newest layout; nil if it is not there any more.
  let newest: Int?
  let target: EntityReference
  let isArray: Bool
  /// What the words of references to the entity begin with.
  let seed: UInt64

  init?(_ attribute: Int, of type: AttributeType, newest: Int?) {
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
    seed = ReferencePlan.seed(target.entity)
  }

  static func seed(_ entity: String) -> UInt64 {
    XXH64.check(Array(entity.utf8).span.bytes, seed: 0)
  }
}

/// How the values of one unique list are found in a row.
struct UniquePlan: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    /// The value of the attribute with this place in the row's layout.
    case attribute(Int, isText: Bool)
    /// Always these bytes: the default of an attribute that the row's layout does not have.
    case constant([UInt8])
    /// Never a value.
    case none
  }

  let parts: [Part]
  /// What the words of the list begin with.
  let seed: UInt64

  init(_ names: [String], newest layout: Layout, mapping: LayoutMapping) {
    let entity = layout.entity
    parts = names.map { name in
      guard let index = layout.index(of: name) else { return .none }
      let attribute = entity.attributes[index]
      let isText = attribute.type == .scalar(.string) || attribute.type == .scalar(.url)
      switch mapping.sources[index] {
      case .same(let source): return .attribute(source, isText: isText)
      case .absent
      where !attribute.defaultValue.isNull && attribute.defaultValue.fits(attribute.type):
        var buffer = RowBuffer()
        attribute.defaultValue.append(as: attribute.type, to: &buffer)
        return .constant(ComparableValue.bytes(buffer.bytes.span.bytes, isText: isText))
      // Only the program that has the type can convert.
      case .absent, .other: return .none
      }
    }
    var buffer = RowBuffer()
    for name in [entity.name] + names { buffer.appendText(name) }
    seed = XXH64.check(buffer.bytes.span.bytes, seed: 0)
  }
}

/// The form in which values are equal if their bytes are.
enum ComparableValue {
  /// The bytes to compare: those of a text's normal form, and others' own.
  static func bytes(_ value: RawSpan, isText: Bool) -> [UInt8] {
    isText && !isASCII(value)
      ? NormalizedText.bytes(of: RowText.text(value)) : value.withUnsafeBytes { [UInt8]($0) }
  }

  /// The check over the bytes to compare.
  @inline(__always)
  static func check(_ value: RawSpan, isText: Bool, seed: UInt64) -> UInt64 {
    if isText, !isASCII(value) {
      return XXH64.check(bytes(value, isText: true).span.bytes, seed: seed)
    }
    return XXH64.check(value, seed: seed)
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
