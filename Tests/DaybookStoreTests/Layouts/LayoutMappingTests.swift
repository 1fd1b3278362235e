@_spi(Tools) import DaybookStore
import DaybookSimulation
import Testing

@Suite struct `Mappings from the newest definition to earlier layouts` {
  /// Follows the names of one layout's attributes through each later definition. It looks at every
  /// attribute of every definition.
  private struct Model {
    private var indexes: [String: Int] = [:]
    private let oldest: EntityDefinition
    private let newest: EntityDefinition

    init(_ definitions: ArraySlice<EntityDefinition>) throws {
      oldest = try #require(definitions.first)
      newest = try #require(definitions.last)
      for (index, attribute) in oldest.attributes.enumerated() { indexes[attribute.name] = index }
      for (old, new) in zip(definitions, definitions.dropFirst()) { rename(from: old, to: new) }
    }

    private mutating func rename(from old: EntityDefinition, to new: EntityDefinition) {
      var renames: [(name: String, earlier: String)] = []
      for attribute in new.attributes {
        guard let earlier = attribute.earlierName, earlier != attribute.name,
          indexes[earlier] != nil,
          old.index(of: attribute.name).map({ old.attributes[$0].earlierName }) != earlier,
          !renames.contains(where: { $0.earlier == earlier })
        else { continue }
        renames.append((attribute.name, earlier))
      }
      while let refused = renames.firstIndex(where: { rename in
        indexes[rename.name] != nil && !renames.contains { $0.earlier == rename.name }
      }) { renames.remove(at: refused) }
      let moved = renames.map { indexes.removeValue(forKey: $0.earlier) }
      for (rename, index) in zip(renames, moved) { indexes[rename.name] = index }
    }

    var sources: [LayoutMapping.Source] {
      newest.attributes.map { attribute in
        guard let index = indexes[attribute.name] else { return .absent }
        let type = oldest.attributes[index].type
        return type == attribute.type ? .same(index) : .other(index, type)
      }
    }
  }

  /// Returns definitions of an entity that add, remove, rename and exchange attributes.
  private func definitions(_ seed: UInt64) -> [EntityDefinition] {
    var random = SplitMix64(seed: seed)
    let names = ["a", "b", "c", "d", "e", "f"]
    return (0..<Int.random(in: 1...8, using: &random)).map { _ in
      let chosen = names.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random))
      return EntityDefinition(
        "Entity", identifiedBy: .int,
        attributes: chosen.map { name in
          AttributeDefinition(
            name, type: .scalar(Int.random(in: 0..<6, using: &random) == 0 ? .string : .int64),
            renamedFrom: Bool.random(using: &random) ? names.randomElement(using: &random) : nil)
        })
    }
  }

  @Test(arguments: UInt64(0)..<8)
  func `a mapping follows the renames of each later definition`(_ seed: UInt64) throws {
    for step in 0..<250 as Range<UInt64> {
      let definitions = definitions(seed * 1_000 + step)
      let newest = try #require(definitions.last)
      var catalog = Catalog()
      for (number, definition) in definitions.enumerated() {
        _ = catalog.add(Layout(number: UInt16(number), of: definition))
      }
      for place in definitions.indices {
        let expected = try Model(definitions[place...]).sources
        let mapping = catalog.mapping(of: UInt16(place))
        #expect(
          newest.attributes.indices.map { mapping[$0] } == expected, "\(definitions[place...])")
        #expect(
          mapping.sources.map(\.attribute) == expected.indices.filter { expected[$0] != .absent })
        #expect(mapping.sources.allSatisfy { $0.source == expected[$0.attribute] })
      }
      // The last definition may have no layout yet.
      let layouts = definitions.dropLast().enumerated().map {
        Layout(number: UInt16($0.offset), of: $0.element)
      }
      let mappings = LayoutMappings(layouts, to: newest)
      for place in layouts.indices {
        let expected = try Model(definitions[place...]).sources
        #expect(newest.attributes.indices.map { mappings[place][$0] } == expected)
      }
    }
  }

  @Test func `the paths to all attributes need one mapping for each layout`() throws {
    let (layoutCount, attributeCount) = (600, 450)
    var catalog = Catalog()
    for number in 0..<layoutCount {
      let attributes = (0..<attributeCount).map {
        AttributeDefinition("a\((number + $0) % 500)", type: .scalar(.int64))
      }
      _ = catalog.add(
        Layout(
          number: UInt16(number),
          of: EntityDefinition("Entity", identifiedBy: .int, attributes: attributes)))
    }
    #expect(catalog.computedMappingCount == 0)
    for attribute in 0..<4 { _ = AttributePath(attribute, of: 0, in: catalog) }
    #expect(catalog.computedMappingCount == layoutCount - 1)
  }
}
