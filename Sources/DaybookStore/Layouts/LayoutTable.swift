/// The layouts of a journal by their numbers, and the newest layout of each entity.
///
/// Every state of a store has a copy of the table. The copies share their storage. Adding a layout
/// copies the storage first, if a second copy shares it.
package struct LayoutTable: Sendable {
  /// The newest layout and the number of layouts of one entity.
  private struct Entity: Sendable {
    var newest: Layout
    var layoutCount: Int
  }

  /// The contents of the table, which the copies of the table share.
  private struct Parts: Sendable {
    var layouts: [Layout?] = []
    var entities: [String: Entity] = [:]
    var count = 0
  }

  private var parts = SharedValue(Parts())

  package init() {}

  /// The result of adding a layout; see ``LayoutTable/add(_:)``.
  package enum Addition { case new, known, contradicts }

  /// The number of layouts.
  package var count: Int { parts.value.count }

  /// Returns the newest layout of an entity; nil if the table has no layout of the entity.
  package func newest(of entity: String) -> Layout? { parts.value.entities[entity]?.newest }

  /// The number of entities.
  var entityCount: Int { parts.value.entities.count }

  /// Returns the number of layouts of an entity.
  func layoutCount(of entity: String) -> Int { parts.value.entities[entity]?.layoutCount ?? 0 }

  /// Returns the layout with a number; nil if the table has no such layout.
  package subscript(number: UInt16) -> Layout? {
    Int(number) < parts.value.layouts.count ? parts.value.layouts[Int(number)] : nil
  }

  /// Adds a layout that a transaction contains.
  ///
  /// Two rules never change during the life of a journal: a number identifies one layout, and all
  /// layouts of an entity have the same kind of identifiers.
  ///
  /// - Returns: `known` if the table already contains the layout, `contradicts` if the layout
  ///   breaks one of the two rules, and `new` otherwise.
  /// - Complexity: O(1) amortized if the table is not shared
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

  /// The number for the next new layout; nil if the table has the highest number already.
  package var nextNumber: UInt16? { number(after: 0) }

  /// Returns the number for a new layout; nil if the number would be above the limit. The count is
  /// the number of new layouts that get their numbers before this one.
  func number(after count: Int) -> UInt16? {
    UInt16(exactly: parts.value.layouts.count + count)
      .flatMap { $0 <= Layout.numberMax ? $0 : nil }
  }

  /// Returns a free number from the upper end of the range; nil if none is left. The function skips
  /// a count of higher free numbers, which the caller has given to other new layouts.
  func freeNumber(below count: Int) -> UInt16? {
    (0...Layout.numberMax).reversed().lazy.filter { self[$0] == nil }.dropFirst(count).first
  }

  /// All layouts, in the order of their numbers.
  package var all: [Layout] { parts.value.layouts.compactMap(\.self) }
}

/// A copy-on-write value. The struct is as small as one reference, so that copying a state copies
/// little.
///
/// The value is in allocated memory and not in a stored property of the class. Swift would check
/// each read of a stored property for exclusive access.
struct SharedValue<Value: Sendable>: Sendable {
  // `@unchecked` is safe: `edit` changes the memory only while the storage has exactly one
  // reference.
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
      // Swift must not release the storage before the caller has read the value.
      defer { withExtendedLifetime(storage) {} }
      yield storage.pointer.pointee
    }
  }

  /// Calls a closure that changes the value. If a second copy shares the storage, the value is
  /// copied first.
  mutating func edit<Result>(_ body: (inout Value) -> Result) -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.pointer.pointee) }
    return body(&storage.pointer.pointee)
  }
}
