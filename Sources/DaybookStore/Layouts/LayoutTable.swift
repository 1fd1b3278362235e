/// The layouts of a journal, by their numbers, and which of them each entity's newest rows have.
///
/// It is handed about with every state, so it is one reference to what never changes: adding a
/// layout, which is rare, makes all of it anew.
package struct LayoutTable: Sendable {
  /// How many layouts there are.
  package private(set) var count = 0
  private final class Parts: Sendable {
    let layouts: [Layout?]
    let newest: [String: Layout]

    init(_ layouts: [Layout?] = [], _ newest: [String: Layout] = [:]) {
      self.layouts = layouts
      self.newest = newest
    }
  }

  private var parts = Parts()

  package init() {}

  package enum Addition { case new, known, contradicts }

  /// The newest layout of each entity, by name.
  package var newest: [String: Layout] { parts.newest }

  package subscript(number: UInt16) -> Layout? {
    Int(number) < parts.layouts.count ? parts.layouts[Int(number)] : nil
  }

  /// Takes in a layout that a transaction tells of. One number means one layout for ever, and the
  /// identifiers of an entity are of one kind for ever.
  package mutating func add(_ layout: Layout) -> Addition {
    if let known = self[layout.number] { return known == layout ? .known : .contradicts }
    if let earlier = newest[layout.entity.name], earlier.identifierKind != layout.identifierKind {
      return .contradicts
    }
    var layouts = parts.layouts
    var newest = parts.newest
    while layouts.count <= Int(layout.number) { layouts.append(nil) }
    layouts[Int(layout.number)] = layout
    count += 1
    newest[layout.entity.name] = layout
    parts = Parts(layouts, newest)
    return .new
  }

  /// The number for a layout that is to come, or nil if there are too many.
  package var nextNumber: UInt16? { number(behind: 0) }

  /// The number for a layout that is to come behind so many others, or nil if there are too many.
  func number(behind count: Int) -> UInt16? {
    UInt16(exactly: parts.layouts.count + count).flatMap { $0 <= Layout.numberMax ? $0 : nil }
  }

  /// The highest number that no layout has, but for so many that are higher; nil if there is none left.
  func freeNumber(below count: Int) -> UInt16? {
    (0...Layout.numberMax).reversed().lazy.filter { self[$0] == nil }.dropFirst(count).first
  }

  /// All layouts, in the order of their numbers.
  package var all: [Layout] { parts.layouts.compactMap(\.self) }
}
