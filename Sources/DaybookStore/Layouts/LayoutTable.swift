/// The layouts of a journal, by their numbers, and which of them each entity's newest rows have.
package struct LayoutTable: Sendable {
  private var layouts: [Layout?] = []
  /// How many layouts there are.
  package private(set) var count = 0
  /// The newest layout of each entity, by name.
  package private(set) var newest: [String: Layout] = [:]

  package init() {}

  package enum Addition { case new, known, contradicts }

  package subscript(number: UInt16) -> Layout? {
    Int(number) < layouts.count ? layouts[Int(number)] : nil
  }

  /// Takes in a layout that a transaction tells of. One number means one layout for ever, and the
  /// identifiers of an entity are of one kind for ever.
  package mutating func add(_ layout: Layout) -> Addition {
    if let known = self[layout.number] { return known == layout ? .known : .contradicts }
    if let earlier = newest[layout.entity.name],
      earlier.entity.identifierKind != layout.identifierKind
    {
      return .contradicts
    }
    while layouts.count <= Int(layout.number) { layouts.append(nil) }
    layouts[Int(layout.number)] = layout
    count += 1
    newest[layout.entity.name] = layout
    return .new
  }

  /// The number for a layout that is to come, or nil if there are too many.
  package var nextNumber: UInt16? {
    layouts.count <= Int(Layout.numberMax) ? UInt16(layouts.count) : nil
  }

  /// All layouts, in the order of their numbers.
  package var all: [Layout] { layouts.compactMap(\.self) }
}
