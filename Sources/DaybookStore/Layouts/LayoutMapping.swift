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

  /// - Parameter history: The layouts of the entity between the two, the oldest first: an attribute
  ///   that was renamed twice is followed through them.
  package init(from old: EntityDefinition, to new: EntityDefinition, history: [EntityDefinition]) {
    let sources = new.attributes.map { attribute -> Source in
      for name in LayoutMapping.names(of: attribute, history) {
        guard let index = old.index(of: name) else { continue }
        let type = old.attributes[index].type
        return type == attribute.type ? .same(index) : .other(index, type)
      }
      return .absent
    }
    self.sources = sources
    isIdentity =
      old.attributes.count == sources.count
      && sources.enumerated().allSatisfy { $0.element == .same($0.offset) }
  }

  /// The names that an attribute has and had, the newest first.
  private static func names(
    of attribute: AttributeDefinition, _ history: [EntityDefinition]
  ) -> [String] {
    var names = [attribute.name]
    if let earlier = attribute.earlierName { names.append(earlier) }
    for entity in history.reversed() {
      guard let last = names.last, let index = entity.index(of: last),
        let earlier = entity.attributes[index].earlierName, !names.contains(earlier)
      else { continue }
      names.append(earlier)
    }
    return names
  }
}
