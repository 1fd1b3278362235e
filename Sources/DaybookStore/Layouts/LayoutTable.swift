/// The layouts of a journal by their numbers, and the newest layout of each entity.
///
/// The table is copy-on-write: every state has a copy, and adding a layout copies the storage only
/// if it is shared.
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

  /// The number of layouts.
  package var count: Int { parts.value.count }

  /// Returns the newest layout of an entity; nil if it has none.
  package func newest(of entity: String) -> Layout? { parts.value.entities[entity]?.newest }

  /// The number of entities.
  var entityCount: Int { parts.value.entities.count }

  /// Returns the number of layouts of an entity.
  func layoutCount(of entity: String) -> Int { parts.value.entities[entity]?.layoutCount ?? 0 }

  package subscript(number: UInt16) -> Layout? {
    Int(number) < parts.value.layouts.count ? parts.value.layouts[Int(number)] : nil
  }

  /// Adds a layout that a transaction contains.
  ///
  /// A number identifies one layout forever, and the identifiers of an entity are of one kind
  /// forever.
  ///
  /// - Returns: `known` if the table contains the layout already, and `contradicts` if it breaks
  ///   one of these rules.
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

  /// The number for the next new layout, or nil if the limit is reached.
  package var nextNumber: UInt16? { number(after: 0) }

  /// Returns the number for a new layout after a count of other new ones, or nil if the limit is
  /// reached.
  func number(after count: Int) -> UInt16? {
    UInt16(exactly: parts.value.layouts.count + count)
      .flatMap { $0 <= Layout.numberMax ? $0 : nil }
  }

  /// Returns the highest free number, after skipping a count of higher free ones; nil if none is
  /// left.
  func freeNumber(below count: Int) -> UInt16? {
    (0...Layout.numberMax).reversed().lazy.filter { self[$0] == nil }.dropFirst(count).first
  }

  /// All layouts, in the order of their numbers.
  package var all: [Layout] { parts.value.layouts.compactMap(\.self) }
}

/// A copy-on-write value of the size of one reference.
///
/// Reading the value is one load. A stored property of a class would be checked for exclusive
/// access at each read.
struct SharedValue<Value: Sendable>: Sendable {
  // The memory is changed only while the storage has exactly one reference.
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
      // The storage must live while the caller reads the value.
      defer { withExtendedLifetime(storage) {} }
      yield storage.pointer.pointee
    }
  }

  /// Changes the value, after copying it if the storage is shared.
  mutating func edit<Result>(_ body: (inout Value) -> Result) -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.pointer.pointee) }
    return body(&storage.pointer.pointee)
  }
}
