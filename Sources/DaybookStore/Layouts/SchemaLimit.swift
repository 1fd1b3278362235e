/// A size that no schema exceeds, so that a small file cannot ask for much time or memory.
///
/// The work for a row grows with the attributes and the unique lists of its entity, and that of
/// looking at an old row with the layouts since. Each limit holds for what is written and imported;
/// a journal in which a schema exceeds one is refused, and is not damaged for that.
public enum SchemaLimit: Hashable, Sendable, CaseIterable {
  /// The attributes of an entity.
  case attributes
  /// The unique lists of an entity.
  case uniqueLists
  /// The attributes of a unique list.
  case uniqueListAttributes
  /// The layouts of an entity: one for each of its schemas.
  case layouts
  /// The entities of a journal.
  case entities

  /// The highest number there may be.
  public var maximum: Int {
    switch self {
    case .attributes: 4_096
    case .uniqueLists: 64
    case .uniqueListAttributes: 16
    case .layouts, .entities: 1_024
    }
  }
}

/// A schema that exceeds a limit.
public struct SchemaExcess: Hashable, Sendable {
  /// The limit.
  public var limit: SchemaLimit
  /// The entity; where there are too many, the first beyond the limit.
  public var entity: String
  /// How many there are; where reading stopped at the limit, how many at least.
  public var count: Int

  package init(_ limit: SchemaLimit, of entity: String, count: Int) {
    self.limit = limit
    self.entity = entity
    self.count = count
  }

  /// Creates the excess of the first limit that an entity does not keep; nil if it keeps all.
  ///
  /// - Parameter layoutCount: How many other layouts the entity has.
  /// - Complexity: O(*n*) in the unique lists
  package init?(_ entity: EntityDefinition, after layoutCount: Int = 0) {
    if layoutCount >= SchemaLimit.layouts.maximum {
      self.init(.layouts, of: entity.name, count: layoutCount + 1)
    } else if entity.attributes.count > SchemaLimit.attributes.maximum {
      self.init(.attributes, of: entity.name, count: entity.attributes.count)
    } else if entity.unique.count > SchemaLimit.uniqueLists.maximum {
      self.init(.uniqueLists, of: entity.name, count: entity.unique.count)
    } else if let count = entity.unique.map(\.count).max(),
      count > SchemaLimit.uniqueListAttributes.maximum
    {
      self.init(.uniqueListAttributes, of: entity.name, count: count)
    } else {
      return nil
    }
  }
}

extension SchemaExcess {
  /// Creates the excess of the limit of entities, if one more would exceed it; else nil.
  ///
  /// - Parameter entityCount: How many other entities there are.
  init?(entity: String, after entityCount: Int) {
    guard entityCount >= SchemaLimit.entities.maximum else { return nil }
    self.init(.entities, of: entity, count: entityCount + 1)
  }
}

extension SchemaExcess: CustomStringConvertible {
  /// A sentence.
  public var description: String {
    switch limit {
    case .attributes:
      "\(entity) has \(count) attributes, and an entity has at most \(limit.maximum)."
    case .uniqueLists:
      "\(entity) has \(count) unique lists, and an entity has at most \(limit.maximum)."
    case .uniqueListAttributes:
      """
      a unique list of \(entity) names \(count) attributes, and a list names at most \
      \(limit.maximum).
      """
    case .layouts:
      "\(entity) has \(count) layouts, and an entity has at most \(limit.maximum)."
    case .entities:
      "\(entity) is entity \(count), and a journal has at most \(limit.maximum)."
    }
  }
}
