/// A mapping from the attributes of an entity's newest definition to the attributes of an earlier
/// layout. Readers use it to find the values of the newest attributes in a row of the earlier
/// layout. ``LayoutMappings`` creates it.
///
/// The mapping needs memory only for the attributes that the earlier layout has. So the mappings of
/// all layouts need memory in proportion to the layouts, even if the newest definition has many
/// more attributes.
package struct LayoutMapping: Sendable {
  /// The source of the values of one newest attribute, in rows of the earlier layout.
  package enum Source: Hashable, Sendable {
    /// The attribute at this index of the earlier layout, which has the same type.
    case same(Int)
    /// The attribute at this index of the earlier layout, which has this different type.
    case other(Int, AttributeType)
    /// No attribute: the earlier layout lacks the attribute, so its value is the default.
    case absent
  }

  /// The number of attributes of the newest definition.
  private let attributeCount: Int
  /// The newest attributes that have a source, in ascending order, and their sources. The array is
  /// empty if the mapping is the identity.
  private let found: [(attribute: Int, source: Source)]
  /// The newest attributes that have a default. All mappings to one definition share the array.
  private let withDefault: [Int]
  /// A Boolean value that indicates whether every attribute has the same index and type in the
  /// earlier layout and in the newest definition.
  private let isIdentity: Bool

  /// Creates a mapping.
  ///
  /// - Parameters:
  ///   - layout: The earlier layout.
  ///   - newest: The newest definition.
  ///   - withDefault: The attributes of the newest definition that have a default.
  ///   - index: Returns the index of the attribute in the earlier layout that has the values of a
  ///     newest attribute; nil if no attribute has them.
  fileprivate init(
    _ layout: Layout, to newest: EntityDefinition, withDefault: [Int], index: (Int) -> Int?
  ) {
    let attributes = layout.entity.attributes
    var found: [(attribute: Int, source: Source)] = []
    var isIdentity = attributes.count == newest.attributes.count
    for (newestIndex, attribute) in newest.attributes.enumerated() {
      guard let index = index(newestIndex) else {
        isIdentity = false
        continue
      }
      let type = attributes[index].type
      let source: Source = type == attribute.type ? .same(index) : .other(index, type)
      if source != .same(newestIndex) { isIdentity = false }
      found.append((newestIndex, source))
    }
    attributeCount = newest.attributes.count
    self.found = isIdentity ? [] : found
    self.withDefault = withDefault
    self.isIdentity = isIdentity
  }

  /// Returns the source of an attribute, by its index in the newest definition.
  ///
  /// - Complexity: O(log *n*) in the attributes of the earlier layout
  package subscript(attribute: Int) -> Source {
    precondition(
      attribute >= 0 && attribute < attributeCount, "attribute \(attribute) of \(attributeCount)")
    if isIdentity { return .same(attribute) }
    var (start, end) = (0, found.count)
    while start < end {
      let middle = (start + end) / 2
      if found[middle].attribute < attribute { start = middle + 1 } else { end = middle }
    }
    return start < found.count && found[start].attribute == attribute
      ? found[start].source : .absent
  }

  /// The newest attributes that have a source, in ascending order, and their sources.
  ///
  /// - Complexity: O(*n*) in the attributes of the earlier layout
  package var sources: [(attribute: Int, source: Source)] {
    isIdentity ? (0..<attributeCount).map { ($0, .same($0)) } : found
  }

  /// The indexes, in the newest definition, of attributes that have a source in the earlier layout
  /// or a default. All other attributes are missing in the earlier layout and have no default.
  ///
  /// - Complexity: O(*n*) in the attributes of the earlier layout and those with a default
  var possibleValues: [Int] {
    if isIdentity { return Array(0..<attributeCount) }
    var possible: [Int] = []
    possible.reserveCapacity(found.count)
    var defaults = withDefault[...]
    for (attribute, _) in found {
      while let first = defaults.first, first <= attribute {
        if first < attribute { possible.append(first) }
        defaults.removeFirst()
      }
      possible.append(attribute)
    }
    return possible + defaults
  }
}

/// The mappings from one definition of an entity to each layout of the entity.
///
/// The initializer prepares what all mappings have in common. So the mappings of all layouts take
/// time in proportion to the attributes of the definition times the layouts, plus the time of the
/// renames; see ``RenameHistory``.
package struct LayoutMappings: Sendable {
  private let history: [Layout]
  private let newest: EntityDefinition
  private let renames: RenameHistory
  /// For each attribute of the newest definition, the number of its name in `renames`; nil if no
  /// layout renames an attribute to or from this name.
  private let nameNumbers: [Int?]
  /// The attributes of the newest definition that have a default.
  private let withDefault: [Int]

  /// Prepares the mappings.
  ///
  /// - Parameters:
  ///   - history: The layouts of the entity, the oldest first. Each layout may rename attributes of
  ///     the layout before it; see ``AttributeRenames``.
  ///   - newest: The definition of the last layout, or a later definition that has no layout yet.
  package init(_ history: [Layout], to newest: EntityDefinition) {
    var renames = RenameHistory()
    for layout in history { renames.append(layout.entity) }
    renames.append(newest)
    self.init(history, renames: renames, to: newest)
  }

  /// Prepares the mappings with known renames.
  ///
  /// - Parameter renames: The renames of all layouts, and of the newest definition if it is not the
  ///   definition of the last layout.
  init(_ history: [Layout], renames: RenameHistory, to newest: EntityDefinition) {
    self.history = history
    self.newest = newest
    self.renames = renames
    nameNumbers = newest.attributes.map { renames.number(of: $0.name) }
    withDefault = newest.attributes.indices.filter { !newest.attributes[$0].defaultValue.isNull }
  }

  /// Returns the mapping to a layout.
  ///
  /// - Parameter index: The index of the layout in the history.
  /// - Complexity: O(*n*) in the attributes of the definition and the renames in later layouts
  package subscript(index: Int) -> LayoutMapping {
    let layout = history[index]
    guard let indexes = renames.indexes(of: layout.entity, after: index) else {
      return LayoutMapping(layout, to: newest, withDefault: withDefault) {
        layout.index(of: newest.attributes[$0].name)
      }
    }
    return LayoutMapping(layout, to: newest, withDefault: withDefault) { attribute in
      guard let number = nameNumbers[attribute] else {
        return layout.index(of: newest.attributes[attribute].name)
      }
      return indexes[number] < 0 ? nil : Int(indexes[number])
    }
  }
}

/// The renames of attributes in the layouts of an entity.
///
/// The names in the renames have numbers. So the search for the present names of an old layout's
/// attributes hashes only the names of these attributes, and not each name of each rename.
package struct RenameHistory: Sendable {
  private var definitionCount = 0
  private var last: EntityDefinition?
  private var numbers: [String: Int] = [:]
  /// The renames of each definition that renames attributes, with the definition's index.
  private var steps: [(index: Int, renames: AttributeRenames<Int>)] = []

  package init() {}

  /// Adds the next definition of the entity.
  ///
  /// - Complexity: O(*n*) in its attributes and those of the definition before it
  package mutating func append(_ definition: EntityDefinition) {
    if let last {
      let renames = AttributeRenames(from: last, to: definition)
      if !renames.isEmpty { steps.append((definitionCount, renames.map { addNumber(of: $0) })) }
    }
    last = definition
    definitionCount += 1
  }

  private mutating func addNumber(of name: String) -> Int {
    if let number = numbers[name] { return number }
    let number = numbers.count
    numbers[name] = number
    return number
  }

  /// Returns the number of a name; nil if no definition renames an attribute to or from it.
  fileprivate func number(of name: String) -> Int? { numbers[name] }

  /// Returns the indexes of a definition's attributes by the numbers of the names that the
  /// attributes have after all later renames; -1 for a name without an attribute. Returns nil if no
  /// later definition renames attributes.
  ///
  /// - Parameter position: The index of the definition.
  /// - Complexity: O(*n*) in the names, the attributes of the definition and the later renames
  fileprivate func indexes(of definition: EntityDefinition, after position: Int) -> [Int32]? {
    guard let end = steps.last?.index, end > position else { return nil }
    var indexes = [Int32](repeating: -1, count: numbers.count)
    for (index, attribute) in definition.attributes.enumerated() {
      if let number = numbers[attribute.name] { indexes[number] = Int32(index) }
    }
    let first = steps.lastIndex { $0.index <= position }.map { $0 + 1 } ?? 0
    for (_, renames) in steps[first...] {
      let accepted = renames.accepted { indexes[$0] >= 0 }
      let moved = accepted.map { indexes[$0.earlierName] }
      for rename in accepted { indexes[rename.earlierName] = -1 }
      for (rename, index) in zip(accepted, moved) { indexes[rename.name] = index }
    }
    return indexes
  }
}

/// The attributes that a newer definition of an entity renames, as compared with an older
/// definition.
///
/// An attribute keeps its `earlierName` in every later definition until the schema stops declaring
/// it, also after the rename. Therefore only the first entity definition in which the attribute has
/// a given `earlierName` renames the attribute. A rename is accepted in one of two cases:
///
/// - The older definition has no attribute with the new name.
/// - The older definition has an attribute with the new name, and this attribute is renamed as
///   well.
///
/// For example, two attributes can swap their names. A schema can also rename `title` to `name`,
/// and declare a new attribute `title`.
struct AttributeRenames<Name: Hashable & Sendable>: Sendable {
  /// The declared rename of one attribute.
  struct Rename: Sendable {
    let name: Name
    let earlierName: Name
    /// A Boolean value that indicates whether a second rename replaces the name.
    fileprivate let isReplaced: Bool
    /// The index of the rename to the earlier name; nil if no attribute gets that name.
    fileprivate let dependent: Int?
  }

  /// The declared renames. No two of them have the same name or the same earlier name.
  private let renames: [Rename]
  /// A Boolean value that indicates whether the definition renames no attribute.
  var isEmpty: Bool { renames.isEmpty }

  private init(_ renames: [Rename]) { self.renames = renames }

  /// Returns the renames that are accepted, in the order of the newer definition.
  ///
  /// - Parameter isInUse: A closure that returns whether a name in the older definition belongs to
  ///   an attribute that the caller maps.
  /// - Complexity: O(*n*) in the declared renames
  func accepted(where isInUse: (Name) -> Bool) -> [Rename] {
    var isAccepted = renames.map { isInUse($0.earlierName) }
    for (index, rename) in renames.enumerated() where !rename.isReplaced && isInUse(rename.name) {
      // This rename is refused, so the attribute keeps its earlier name. A rename of a second
      // attribute to that name must be refused as well.
      var refused: Int? = index
      while let index = refused, isAccepted[index] {
        isAccepted[index] = false
        refused = renames[index].dependent
      }
    }
    return renames.indices.lazy.filter { isAccepted[$0] }.map { renames[$0] }
  }

  /// Returns the same renames with other values for the names. Different names need different
  /// values.
  fileprivate func map<Other>(_ transform: (Name) -> Other) -> AttributeRenames<Other> {
    AttributeRenames<Other>(
      renames.map {
        AttributeRenames<Other>.Rename(
          name: transform($0.name), earlierName: transform($0.earlierName),
          isReplaced: $0.isReplaced, dependent: $0.dependent)
      })
  }
}

extension AttributeRenames<String> {
  /// Creates the renames between two definitions.
  ///
  /// - Complexity: O(*n*) in the attributes
  init(from old: EntityDefinition, to new: EntityDefinition) {
    var declared: [(name: String, earlierName: String)] = []
    var indexes: [String: Int] = [:]
    var known: [String: String]?
    for attribute in new.attributes {
      guard let earlier = attribute.earlierName, earlier != attribute.name else { continue }
      let before = known ?? AttributeRenames.earlierNames(in: old)
      known = before
      guard before[attribute.name] != earlier, indexes[earlier] == nil else { continue }
      indexes[earlier] = declared.count
      declared.append((attribute.name, earlier))
    }
    var dependents: [String: Int] = [:]
    for (index, rename) in declared.enumerated() { dependents[rename.name] = index }
    renames = declared.map {
      Rename(
        name: $0.name, earlierName: $0.earlierName, isReplaced: indexes[$0.name] != nil,
        dependent: dependents[$0.earlierName])
    }
  }

  /// Returns the earlier names of the renamed attributes by their new names.
  ///
  /// - Parameter names: The names of the older definition's attributes.
  func earlierNames(among names: Set<String>) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: accepted { names.contains($0) }.map { ($0.name, $0.earlierName) })
  }

  private static func earlierNames(in entity: EntityDefinition) -> [String: String] {
    var names: [String: String] = [:]
    for attribute in entity.attributes { names[attribute.name] = attribute.earlierName }
    return names
  }
}
