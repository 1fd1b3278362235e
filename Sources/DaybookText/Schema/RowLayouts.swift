import DaybookStore

/// The possible layouts of the rows of one entity of a text.
///
/// A row reserves space for each attribute of its layout. If the records of a text use few of many
/// attributes, rows of the newest layout are much larger than the text. An entity with many
/// attributes therefore also has earlier layouts with fewer attributes. These layouts contain the
/// attributes that inserts of the text set, rounded up to blocks of attributes.
struct RowLayouts {
  /// A set of blocks of the attributes of an entity: bit *i* is block *i*.
  typealias Blocks = UInt64

  /// A layout, and the attributes of the entity that it contains.
  struct Choice {
    let layout: Layout
    fileprivate let blocks: Blocks
    /// The index in the entity of each attribute of the layout; nil for the newest layout.
    fileprivate let attributes: [Int]?
    /// The index in the layout of each attribute, by its index in the entity; empty for the newest
    /// layout.
    fileprivate let places: [Int: Int]

    /// Returns the index in the entity of an attribute of the layout.
    func attribute(at place: Int) -> Int { attributes.map { $0[place] } ?? place }

    /// Returns the index in the layout of an attribute of the entity; nil if the layout does not
    /// contain it.
    func place(of attribute: Int) -> Int? {
      attributes == nil ? attribute : places[attribute]
    }
  }

  /// The choices, sorted by the number of attributes. The last one is the newest layout.
  private let choices: [Choice]
  /// The attributes that every layout contains, because a reader needs them in each row. They are
  /// required, have a default, are references, or are in a unique list.
  private let commonAttributes: Set<Int>

  /// The number of attributes in a block. It is chosen so that a set of all blocks has 64 bits.
  private static let blockAttributeCount = SchemaLimit.attributes.maximum / Blocks.bitWidth
  /// The largest number of layouts of an entity, not counting the newest.
  static let narrowCountMax = 256
  /// The limit of the number of attributes in all these layouts, as a multiple of the number of the
  /// entity's attributes.
  private static let attributeCountFactor = 4

  /// Returns the block of an attribute.
  static func block(of attribute: Int) -> Blocks { 1 << Blocks(attribute / blockAttributeCount) }

  /// Creates the layouts of an entity.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - inserts: The sets of blocks that the inserts of the text use, in order of appearance.
  ///   - firstNumber: The number of the first layout. The newest layout has the highest number.
  init(_ entity: EntityDefinition, inserts: [Blocks], firstNumber: UInt16) {
    // The earlier name of an attribute can be the name of another attribute that a narrower layout
    // contains.
    let isNarrowed =
      entity.attributes.count > RowLayouts.blockAttributeCount
      && entity.attributes.allSatisfy { $0.earlierName == nil }
    let indexed = Set(entity.unique.joined())
    let commonAttributes = Set(
      entity.attributes.indices.filter { index in
        let attribute = entity.attributes[index]
        return attribute.isRequired || !attribute.defaultValue.isNull
          || attribute.type.target != nil || indexed.contains(attribute.name)
      })
    var narrow: [(blocks: Blocks, attributes: [Int])] = []
    var attributeCount = 0
    for blocks in isNarrowed ? inserts.prefix(RowLayouts.narrowCountMax) : [] {
      let attributes = entity.attributes.indices.filter { index in
        commonAttributes.contains(index) || blocks & RowLayouts.block(of: index) != 0
      }
      attributeCount += attributes.count
      if attributeCount > entity.attributes.count * RowLayouts.attributeCountFactor { break }
      if attributes.count < entity.attributes.count { narrow.append((blocks, attributes)) }
    }
    var number = firstNumber
    var choices: [Choice] = []
    for (blocks, attributes) in narrow.sorted(by: { $0.attributes.count < $1.attributes.count }) {
      var definition = entity
      definition.attributes = attributes.map { entity.attributes[$0] }
      choices.append(
        Choice(
          layout: Layout(number: number, of: definition), blocks: blocks, attributes: attributes,
          places: Dictionary(
            uniqueKeysWithValues: attributes.enumerated().map { ($0.element, $0.offset) })))
      number += 1
    }
    choices.append(
      Choice(
        layout: Layout(number: number, of: entity), blocks: .max, attributes: nil, places: [:]))
    self.choices = choices
    self.commonAttributes = commonAttributes
  }

  /// The layouts, in the order of their numbers.
  var layouts: [Layout] { choices.map(\.layout) }

  /// Returns the choice with a layout number.
  func choice(ofLayout number: UInt16) -> Choice {
    guard let choice = choices.first(where: { $0.layout.number == number }) else {
      preconditionFailure("layout \(number) is not one of the \(choices.count) layouts")
    }
    return choice
  }

  /// Returns the first choice that contains some attributes and those of another choice.
  func choice(with attributes: some Sequence<Int>, andThoseOf other: Choice?) -> Choice {
    var blocks = other?.blocks ?? 0
    if choices.count > 1 {
      for attribute in attributes where !commonAttributes.contains(attribute) {
        blocks |= RowLayouts.block(of: attribute)
      }
    }
    return choices.first { $0.blocks & blocks == blocks } ?? choices[choices.count - 1]
  }
}
