import DaybookJournal

/// The layouts of a journal by their numbers, and the newest layout of each entity.
///
/// Layouts contain names of entities. After an entity was renamed, the table returns all layouts
/// with its new name. It keeps the layouts as they are in the journal as well.
///
/// Every state of a store has a copy of the table. The copies share their storage. Adding a layout
/// copies the storage first, if a second copy shares it.
package struct LayoutTable: Sendable {
  /// The newest layout and the number of layouts of one entity.
  fileprivate struct Entity: Sendable {
    var newest: Layout
    var layoutCount: Int
  }

  /// The contents of the table, which the copies of the table share.
  fileprivate struct Parts: Sendable {
    var layouts: [Layout?] = []
    /// The numbers of the layouts, in the order in which the layouts were added.
    var numbers: [UInt16] = []
    /// The layouts that contain earlier names of entities, as they are in the journal.
    var originals: [UInt16: Layout] = [:]
    /// The current name of the entity for each of its earlier names.
    var newNames: [String: String] = [:]
    var renameCount = 0
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

  /// Returns the current name of the entity that has or had a name; nil if there is none.
  func currentName(of name: String) -> String? {
    parts.value.entities[name] == nil ? parts.value.newNames[name] : name
  }

  /// The number of times that an entity was renamed.
  var renameCount: Int { parts.value.renameCount }

  /// Returns a layout of the table as it is in the journal.
  package func original(_ layout: Layout) -> Layout {
    parts.value.originals[layout.number] ?? layout
  }

  /// Returns the layout with a number; nil if the table has no such layout.
  package subscript(number: UInt16) -> Layout? {
    Int(number) < parts.value.layouts.count ? parts.value.layouts[Int(number)] : nil
  }

  /// Adds a layout that a transaction contains.
  ///
  /// Three rules never change during the life of a journal: a number identifies one layout, a name
  /// identifies one entity, and all layouts of an entity have the same kind of identifiers.
  ///
  /// - Returns: `known` if the table already contains the layout, `contradicts` if the layout
  ///   breaks one of the rules, and `new` otherwise.
  /// - Complexity: O(1) amortized if the table is not shared
  package mutating func add(_ layout: Layout) -> Addition {
    if let known = self[layout.number] { return original(known) == layout ? .known : .contradicts }
    let membership = EntityMembership(layout.entity, currentName: currentName)
    var oldName = layout.entity.name
    switch membership {
    case .contradicts: return .contradicts
    case .of(let name):
      guard newest(of: name)?.identifierKind == layout.identifierKind else { return .contradicts }
      oldName = name
    case .new: break
    }
    parts.edit { parts in
      while parts.layouts.count <= Int(layout.number) { parts.layouts.append(nil) }
      if oldName != layout.entity.name { parts.rename(oldName, to: layout.entity.name) }
      if let earlierName = layout.entity.earlierName, parts.entities[earlierName] == nil {
        parts.newNames[earlierName] = layout.entity.name
      }
      parts.add(layout)
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

  /// The number of layout numbers that a shared journal uses. Stores that only read it use the
  /// numbers above; see ``freeNumber(below:)``.
  private static let sharedNumberCount = 12288

  /// Returns the number for a new layout of a shared journal; nil if none is left. The parameter
  /// `new` contains the new layouts that have a number and are not in the table yet.
  ///
  /// Several machines can add layouts at the same time. So the number is a hash of the definition.
  /// Machines that add the same definition give it the same number, and different definitions
  /// seldom have the same number.
  package func sharedNumber(of entity: EntityDefinition, besides new: [Layout] = []) -> UInt16? {
    var definition = RowBuffer()
    Layout(number: 0, of: entity).append(to: &definition)
    let count = UInt64(LayoutTable.sharedNumberCount)
    let first = XXH64.checksum(definition.bytes.span.bytes, seed: 0) % count
    return (0..<count).lazy.map { UInt16((first + $0) % count) }.first { number in
      self[number] == nil && !new.contains { $0.number == number }
    }
  }

  /// All layouts, in the order of their numbers.
  ///
  /// They are as in the journal.
  package var all: [Layout] { parts.value.layouts.compactMap { $0.map(original) } }

  /// All layouts, in the order in which they were added. In a shared journal, this is not the order
  /// of their numbers. Only this order shows which layout of an entity is the newest one.
  package var allAsAdded: [Layout] { parts.value.numbers.compactMap { self[$0].map(original) } }
}

extension LayoutTable.Parts {
  /// Adds a layout of an entity that has its new name already, or is new.
  fileprivate mutating func add(_ layout: Layout) {
    let current = layout.renamed { newNames[$0] }
    if current != layout { originals[layout.number] = layout }
    layouts[Int(layout.number)] = current
    numbers.append(layout.number)
    let name = layout.entity.name
    entities[name] = LayoutTable.Entity(
      newest: current, layoutCount: (entities[name]?.layoutCount ?? 0) + 1)
    count += 1
  }

  /// Gives an entity a new name in all layouts.
  fileprivate mutating func rename(_ name: String, to newName: String) {
    renameCount += 1
    newNames[newName] = nil
    for (earlier, current) in newNames where current == name { newNames[earlier] = newName }
    newNames[name] = newName
    entities[newName] = entities.removeValue(forKey: name)
    for index in layouts.indices {
      guard let layout = layouts[index] else { continue }
      let renamed = layout.renamed { $0 == name ? newName : nil }
      guard renamed != layout else { continue }
      let original = originals[renamed.number] ?? layout
      originals[renamed.number] = original == renamed ? nil : original
      layouts[index] = renamed
    }
    for (key, entity) in entities {
      guard let newest = layouts[Int(entity.newest.number)] else { continue }
      entities[key]?.newest = newest
    }
  }
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
