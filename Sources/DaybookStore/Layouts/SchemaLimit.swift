/// A limit on the size of a schema.
///
/// Without limits, a small file could make a reader use any amount of time and memory:
///
/// - The cost of a row grows with the attributes and the unique lists of its entity.
/// - The cost of a row of an old layout also grows with the number of newer layouts.
///
/// A store refuses to write or import a schema that exceeds a limit. A store also refuses to open a
/// journal with such a schema. The error names the limit, because the journal is not damaged.
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
  /// The renames of entities in a journal.
  case renames

  /// The largest number that is allowed.
  public var maximum: Int {
    switch self {
    case .attributes: 4_096
    case .uniqueLists: 64
    case .uniqueListAttributes: 16
    case .layouts, .entities: 1_024
    case .renames: 256
    }
  }
}

/// A schema that exceeds a limit.
public struct SchemaExcess: Hashable, Sendable {
  /// The limit that the schema exceeds.
  public var limit: SchemaLimit
  /// The entity that exceeds the limit. For the limits ``SchemaLimit/entities`` and
  /// ``SchemaLimit/renames``, it is the first entity above the limit.
  public var entity: String
  /// The number that was found. If a reader stops as soon as the limit is exceeded, the true number
  /// may be higher.
  public var count: Int

  package init(_ limit: SchemaLimit, of entity: String, count: Int) {
    self.limit = limit
    self.entity = entity
    self.count = count
  }

  /// Creates a description of the first limit that an entity exceeds; nil if the entity exceeds
  /// none.
  ///
  /// - Parameter layoutCount: The number of layouts that the entity already has.
  /// - Complexity: O(*n*) in the number of unique lists
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
  /// Creates a description of the excess that one more entity would cause; nil if the limit allows
  /// the entity.
  ///
  /// - Parameter entityCount: The number of entities that the journal already has.
  init?(entity: String, after entityCount: Int) {
    guard entityCount >= SchemaLimit.entities.maximum else { return nil }
    self.init(.entities, of: entity, count: entityCount + 1)
  }

  /// Creates the excess of one more rename of an entity, or nil if the limit allows it.
  ///
  /// - Parameter renameCount: The number of other renames.
  init?(renamed entity: String, after renameCount: Int) {
    guard renameCount >= SchemaLimit.renames.maximum else { return nil }
    self.init(.renames, of: entity, count: renameCount + 1)
  }
}

extension SchemaExcess: CustomStringConvertible {
  /// A sentence with the number that was found and the limit.
  public var description: String {
    switch limit {
    case .attributes:
      "\(entity) has \(count) attributes; the limit is \(limit.maximum)."
    case .uniqueLists:
      "\(entity) has \(count) unique lists; the limit is \(limit.maximum)."
    case .uniqueListAttributes:
      "a unique list of \(entity) names \(count) attributes; the limit is \(limit.maximum)."
    case .layouts:
      "\(entity) has \(count) layouts; the limit is \(limit.maximum)."
    case .entities:
      "\(entity) is entity number \(count); the limit is \(limit.maximum) entities in a journal."
    case .renames:
      "\(entity) is rename number \(count) of an entity; the limit is \(limit.maximum) in a journal."
    }
  }
}
