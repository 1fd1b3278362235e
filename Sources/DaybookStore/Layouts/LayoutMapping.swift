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

  /// - Parameter history: The definitions of the entity from the older one to the newer one. Each may
  ///   rename attributes of the one before it; see ``AttributeRenames``.
  package init(from old: EntityDefinition, to new: EntityDefinition, history: [EntityDefinition]) {
    var indexes: [String: Int] = [:]
    for (index, attribute) in old.attributes.enumerated() { indexes[attribute.name] = index }
    for (earlier, later) in zip(history, history.dropFirst()) {
      let renames = AttributeRenames(from: earlier, to: later) { indexes[$0] != nil }
      if renames.isEmpty { continue }
      var moved: [String: Int] = [:]
      for (name, source) in renames.earlierNames {
        moved[name] = indexes.removeValue(forKey: source)
      }
      indexes.merge(moved) { _, index in index }
    }
    let sources = new.attributes.map { attribute -> Source in
      guard let index = indexes[attribute.name] else { return .absent }
      let type = old.attributes[index].type
      return type == attribute.type ? .same(index) : .other(index, type)
    }
    self.sources = sources
    isIdentity =
      old.attributes.count == sources.count
      && sources.enumerated().allSatisfy { $0.element == .same($0.offset) }
  }
}
