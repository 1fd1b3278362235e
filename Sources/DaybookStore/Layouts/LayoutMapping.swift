/// A mapping from the attributes of an entity's newest definition to the attributes of an earlier
/// layout. Readers use it to find the values of the newest attributes in a row of the earlier
/// layout.
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

  /// The source of each newest attribute, in the order of the newest definition.
  package let sources: [Source]
  /// The indexes, in the newest definition, of attributes that have a source in the earlier layout
  /// or a default. All other attributes are missing in the earlier layout and have no default.
  let possibleValues: [Int]
  /// A Boolean value that indicates whether every attribute has the same index and type in the
  /// earlier layout and in the newest definition.
  package let isIdentity: Bool

  /// Creates the mapping from the newest definition to the first layout of a history.
  ///
  /// - Parameters:
  ///   - history: The layouts of the entity, starting with the layout of the rows. Each layout may
  ///     rename attributes of the layout before it; see ``AttributeRenames``.
  ///   - newest: The definition of the last layout, or a later definition that has no layout yet.
  /// - Complexity: O(*n*) in the attributes, times the number of layouts in which an attribute has
  ///   an `earlierName`
  package init(_ history: ArraySlice<Layout>, to newest: EntityDefinition) {
    guard let oldest = history.first, let last = history.last else {
      preconditionFailure("\(newest.name) has no layout")
    }
    let attributes = oldest.entity.attributes
    var indexes: [String: Int] = [:]
    indexes.reserveCapacity(attributes.count)
    for (index, attribute) in attributes.enumerated() { indexes[attribute.name] = index }
    for (earlier, later) in zip(history, history.dropFirst()) where later.hasEarlierNames {
      LayoutMapping.rename(&indexes, from: earlier.entity, to: later.entity)
    }
    LayoutMapping.rename(&indexes, from: last.entity, to: newest)
    let sources = newest.attributes.map { attribute -> Source in
      guard let index = indexes[attribute.name] else { return .absent }
      let type = attributes[index].type
      return type == attribute.type ? .same(index) : .other(index, type)
    }
    self.sources = sources
    possibleValues = sources.indices.filter {
      sources[$0] != .absent || !newest.attributes[$0].defaultValue.isNull
    }
    isIdentity =
      attributes.count == sources.count
      && sources.enumerated().allSatisfy { $0.element == .same($0.offset) }
  }

  /// Replaces the names of renamed attributes by their names in a newer definition.
  private static func rename(
    _ indexes: inout [String: Int], from old: EntityDefinition, to new: EntityDefinition
  ) {
    let renames = AttributeRenames(from: old, to: new) { indexes[$0] != nil }
    if renames.isEmpty { return }
    var moved: [String: Int] = [:]
    for (name, source) in renames.earlierNames {
      moved[name] = indexes.removeValue(forKey: source)
    }
    indexes.merge(moved) { _, index in index }
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
struct AttributeRenames {
  /// The earlier name of each renamed attribute, by its new name.
  private(set) var earlierNames: [String: String] = [:]
  /// A Boolean value that indicates whether the definition renames no attribute.
  var isEmpty: Bool { earlierNames.isEmpty }

  /// Creates the renames between two definitions.
  ///
  /// - Parameters:
  ///   - old: The older definition.
  ///   - new: The newer definition.
  ///   - isInUse: A closure that returns whether a name in the older definition belongs to an
  ///     attribute that the caller maps.
  init(from old: EntityDefinition, to new: EntityDefinition, where isInUse: (String) -> Bool) {
    var sources: Set<String> = []
    var known: [String: String]?
    for attribute in new.attributes {
      guard let earlier = attribute.earlierName, earlier != attribute.name, isInUse(earlier) else {
        continue
      }
      let renamed = known ?? AttributeRenames.earlierNames(in: old)
      known = renamed
      guard renamed[attribute.name] != earlier, sources.insert(earlier).inserted else { continue }
      earlierNames[attribute.name] = earlier
    }
    var refused = earlierNames.keys.filter { isInUse($0) && !sources.contains($0) }
    while let name = refused.popLast() {
      guard let earlier = earlierNames.removeValue(forKey: name) else { continue }
      sources.remove(earlier)
      // This rename is refused, so the attribute keeps its earlier name. A rename of a second
      // attribute to that name must be refused as well.
      if earlierNames[earlier] != nil { refused.append(earlier) }
    }
  }

  private static func earlierNames(in entity: EntityDefinition) -> [String: String] {
    var names: [String: String] = [:]
    for attribute in entity.attributes { names[attribute.name] = attribute.earlierName }
    return names
  }
}
