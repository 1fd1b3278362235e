import DaybookStore

/// The possible layouts of the rows of one entity of a text.
///
/// A row reserves space for each attribute of its layout. An entity may have many attributes, while
/// each record of the text uses only a few of them. Then rows of the full layout are much larger
/// than the text. So the import also creates *narrow* layouts with fewer attributes for such an
/// entity. A narrow layout contains the attributes that some insert of the text sets, rounded up to
/// blocks of consecutive attributes.
struct RowLayouts {
  /// A set of blocks of an entity's attributes: bit *i* is block *i*. A block is a group of
  /// consecutive attributes.
  typealias Blocks = UInt64

  /// A layout that rows of the entity can have, and the attributes that the layout contains.
  struct Choice {
    let layout: Layout
    fileprivate let blocks: Blocks
    /// The index in the entity of each attribute of the layout; nil for the newest layout.
    fileprivate let attributes: [Int]?
    /// The index in the layout of each attribute, by its index in the entity; empty for the newest
    /// layout.
    fileprivate let indexes: [Int: Int]

    /// Returns the index in the entity of an attribute of the layout.
    func attribute(at index: Int) -> Int { attributes.map { $0[index] } ?? index }

    /// Returns the index in the layout of an attribute of the entity; nil if the layout does not
    /// contain it.
    func index(of attribute: Int) -> Int? {
      attributes == nil ? attribute : indexes[attribute]
    }
  }

  /// The choices, sorted by the number of attributes. The last choice is the newest layout, which
  /// contains all attributes.
  private let choices: [Choice]
  /// The attributes that every layout contains: those that are required, have a default, are
  /// references, or are in a unique list. A reader needs these attributes in each row.
  private let commonAttributes: Set<Int>

  /// The number of attributes in a block. With this number, an entity has at most 64 blocks, so
  /// that ``Blocks`` can contain all of them.
  private static let blockAttributeCount = SchemaLimit.attributes.maximum / Blocks.bitWidth
  /// The largest number of narrow layouts of an entity.
  static let narrowCountMax = 256
  /// The limit of the total number of attributes in all narrow layouts of an entity. The limit is
  /// this multiple of the number of the entity's attributes.
  private static let attributeCountFactor = 4

  /// Returns the block of an attribute.
  static func block(of attribute: Int) -> Blocks { 1 << Blocks(attribute / blockAttributeCount) }

  /// Creates the layouts of an entity.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - inserts: The sets of blocks with the attributes that the inserts of the text set, in order
  ///     of appearance.
  ///   - firstNumber: The number of the first layout. The newest layout has the highest number.
  init(_ entity: EntityDefinition, inserts: [Blocks], firstNumber: UInt16) {
    // If an attribute was renamed, narrow layouts are not used. A narrow layout may contain a
    // second attribute that has the earlier name. A reader would take the value of that attribute
    // for the value of the renamed one.
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
          indexes: Dictionary(
            uniqueKeysWithValues: attributes.enumerated().map { ($0.element, $0.offset) })))
      number += 1
    }
    choices.append(
      Choice(
        layout: Layout(number: number, of: entity), blocks: .max, attributes: nil, indexes: [:]))
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

  /// Returns the smallest choice that contains some attributes and all attributes of a second
  /// choice.
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
