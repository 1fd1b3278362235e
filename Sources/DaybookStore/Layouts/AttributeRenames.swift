/// The attributes that a newer definition of an entity calls by other names.
///
/// A definition keeps `earlierName` for as long as the schema has it, so a rename is made once: by the
/// first definition that has it. An attribute takes an earlier name only if its own name is not in
/// use, or if the attribute that uses it is renamed as well. Two attributes can swap their names, and
/// an earlier name can be given to a new attribute.
struct AttributeRenames {
  /// For each new name the earlier one.
  private(set) var earlierNames: [String: String] = [:]
  /// Whether the definition names an earlier name that it has not named before.
  var isEmpty: Bool { earlierNames.isEmpty }

  /// Finds the renames between two definitions.
  ///
  /// - Parameters:
  ///   - old: The definition before.
  ///   - isInUse: Whether an attribute before has a name.
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
      // The attribute keeps its name, which so is not free for another.
      if earlierNames[earlier] != nil { refused.append(earlier) }
    }
  }

  private static func earlierNames(in entity: EntityDefinition) -> [String: String] {
    var names: [String: String] = [:]
    for attribute in entity.attributes { names[attribute.name] = attribute.earlierName }
    return names
  }
}
