/// Where each attribute of an entity is found in rows of an earlier layout.
package struct LayoutMapping: Sendable {
  package enum Source: Hashable, Sendable {
    /// It is the attribute of this index.
    case same(Int)
    /// It is the attribute of this index, which is of another type.
    case other(Int, AttributeType)
    /// There was no such attribute: it has its default.
    case absent
  }

  /// A source for each attribute, in the order of the newer entity.
  package let sources: [Source]
  /// Whether every attribute is found where it is now.
  package let isIdentity: Bool

  /// Finds the attributes of a definition in rows of the oldest of some layouts.
  ///
  /// - Parameters:
  ///   - history: The layouts of the entity from the one of the rows on. Each may rename attributes of
  ///     the one before it; see ``AttributeRenames``.
  ///   - newest: The last one's definition, or one that is to follow.
  /// - Complexity: O(*n*) in the attributes, times the layouts in which one has an earlier name
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
    isIdentity =
      attributes.count == sources.count
      && sources.enumerated().allSatisfy { $0.element == .same($0.offset) }
  }

  /// Gives the indexes of attributes the names that a newer definition has for them.
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
