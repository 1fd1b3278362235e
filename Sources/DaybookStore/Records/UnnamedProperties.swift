import DaybookPlatform
import Synchronization

// The stored properties of a record type that its schema does not name. Their values are never
// saved, which a program seldom intends.

extension RecordSchema {
  /// The names of the stored properties that belong to no attribute, are not the identifier, and
  /// are not declared by ``unsaved(_:)``.
  ///
  /// A property is compared with the key paths of the schema by its offset in the record. The list
  /// is empty if the offsets cannot be computed:
  ///
  /// - A key path of the schema has no offset, because its property is computed or has observers.
  /// - No stored property is called `id`, so the identifier is computed.
  /// - The record type has a mirror of its own.
  package var unnamedProperties: [String] {
    let keyPathOffsets = attributes.map { MemoryLayout<R>.offset(of: $0.keyPath) } + unsavedOffsets
    let offsets = keyPathOffsets.compactMap(\.self)
    guard offsets.count == keyPathOffsets.count, let properties = StoredProperty.all(of: R()),
      properties.contains(where: { $0.name == "id" }),
      offsets.allSatisfy({ offset in properties.contains { $0.range.contains(offset) } })
    else { return [] }
    return properties.filter { property in
      property.name != "id" && !property.range.isEmpty
        && !offsets.contains { property.range.contains($0) }
    }.map(\.name)
  }

  /// Prints a sentence about the unnamed properties, once for each record type in a process.
  func reportUnnamedProperties() {
    let isNew = reportedTypes.withLock { $0.insert(ObjectIdentifier(R.self)).inserted }
    guard isNew else { return }
    let names = unnamedProperties
    if names.isEmpty { return }
    Misuse.report(
      """
      \(R.self) has stored properties that its schema does not name, so they are never saved: \
      \(names.joined(separator: ", ")). Declare them as attributes, or with \
      unsaved(\(names.map { "\\.\($0)" }.joined(separator: ", "))).
      """)
  }
}

/// The record types whose unnamed properties were reported, or which have none.
private let reportedTypes = Mutex<Set<ObjectIdentifier>>([])

/// A stored property of a structure.
private struct StoredProperty {
  let name: String
  /// The bytes of the property in the structure.
  let range: Range<Int>

  /// Returns the stored properties of a structure, in the order of their declarations; nil if their
  /// offsets cannot be computed.
  ///
  /// A mirror lists the properties with their values, and not their offsets. Swift lays out the
  /// properties of a structure in their order, each at the next offset that fits its alignment. The
  /// size of the structure shows whether the computed offsets can be right.
  static func all<Value>(of value: Value) -> [StoredProperty]? {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .struct, !(value is any CustomReflectable) else { return nil }
    var properties: [StoredProperty] = []
    var end = 0
    for child in mirror.children {
      guard let name = child.label else { return nil }
      let (size, alignment) = layout(of: child.value)
      let start = (end + alignment - 1) / alignment * alignment
      end = start + size
      properties.append(StoredProperty(name: name, range: start..<end))
    }
    return end == MemoryLayout<Value>.size ? properties : nil
  }

  private static func layout<Value>(of value: Value) -> (size: Int, alignment: Int) {
    (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
  }
}
