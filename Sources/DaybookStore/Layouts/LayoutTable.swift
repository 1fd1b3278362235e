/// The layouts of a journal, by their numbers, and which of them each entity's newest rows have.
///
/// The table is copy-on-write: every state has a copy, and adding a layout copies the storage only if it
/// is shared.
package struct LayoutTable: Sendable {
  /// The newest layout and the number of layouts of one entity.
  private struct Entity: Sendable {
    var newest: Layout
    var layoutCount: Int
  }

  private struct Parts: Sendable {
    var layouts: [Layout?] = []
    var entities: [String: Entity] = [:]
    var count = 0
  }

  private var parts = SharedValue(Parts())

  package init() {}

  package enum Addition { case new, known, contradicts }

  /// How many layouts there are.
  package var count: Int { parts.value.count }

  /// The newest layout of an entity; nil if there is none.
  package func newest(of entity: String) -> Layout? { parts.value.entities[entity]?.newest }

  /// How many entities there are.
  var entityCount: Int { parts.value.entities.count }

  /// How many layouts an entity has.
  func layoutCount(of entity: String) -> Int { parts.value.entities[entity]?.layoutCount ?? 0 }

  package subscript(number: UInt16) -> Layout? {
    Int(number) < parts.value.layouts.count ? parts.value.layouts[Int(number)] : nil
  }

  /// Takes in a layout that a transaction tells of. One number means one layout for ever, and the
  /// identifiers of an entity are of one kind for ever.
  ///
  /// - Complexity: O(1) amortized while nobody shares the table
  package mutating func add(_ layout: Layout) -> Addition {
    if let known = self[layout.number] { return known == layout ? .known : .contradicts }
    let name = layout.entity.name
    if let earlier = newest(of: name), earlier.identifierKind != layout.identifierKind {
      return .contradicts
    }
    parts.edit { parts in
      while parts.layouts.count <= Int(layout.number) { parts.layouts.append(nil) }
      parts.layouts[Int(layout.number)] = layout
      parts.entities[name] = Entity(
        newest: layout, layoutCount: (parts.entities[name]?.layoutCount ?? 0) + 1)
      parts.count += 1
    }
    return .new
  }

  /// The number for a layout that is to come, or nil if there are too many.
  package var nextNumber: UInt16? { number(behind: 0) }

  /// The number for a layout that is to come behind so many others, or nil if there are too many.
  func number(behind count: Int) -> UInt16? {
    UInt16(exactly: parts.value.layouts.count + count)
      .flatMap { $0 <= Layout.numberMax ? $0 : nil }
  }

  /// The highest number that no layout has, but for so many that are higher; nil if there is none left.
  func freeNumber(below count: Int) -> UInt16? {
    (0...Layout.numberMax).reversed().lazy.filter { self[$0] == nil }.dropFirst(count).first
  }

  /// All layouts, in the order of their numbers.
  package var all: [Layout] { parts.value.layouts.compactMap(\.self) }
}

/// A copy-on-write value of the size of one reference.
///
/// Reading it is one load. A stored property of a class would be checked for exclusive access at each
/// read.
struct SharedValue<Value: Sendable>: Sendable {
  // The memory is changed only while one reference to the storage is all there is.
  private final class Storage: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<Value>

    init(_ value: Value) {
      pointer = .allocate(capacity: 1)
      pointer.initialize(to: value)
    }

    deinit {
      pointer.deinitialize(count: 1)
      pointer.deallocate()
    }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  @inline(__always)
  var value: Value {
    _read {
      // The storage must live for as long as the caller reads the value.
      defer { withExtendedLifetime(storage) {} }
      yield storage.pointer.pointee
    }
  }

  /// Changes the value.
  mutating func edit<Result>(_ body: (inout Value) -> Result) -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.pointer.pointee) }
    return body(&storage.pointer.pointee)
  }
}
