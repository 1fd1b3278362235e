import DaybookStore

/// A closure that makes sections of records, known by its name and version.
package struct SectionClosure: Sendable {
  package let name: String
  package let version: Int
  /// The name of the section of a row, or nil; and whether the row's type is known to the store.
  private let makeSection: @Sendable (RowLocation, FrozenState) -> String?
  private let isKnown: @Sendable (Int, Catalog) -> Bool
  package let typeName: String

  init<R: Record>(
    _ name: String, version: Int, makeSection: @escaping @Sendable (R) -> String?
  ) {
    self.name = name
    self.version = version
    typeName = "\(R.self)"
    let read = RecordRead<R>()
    isKnown = { read.fits($0, in: $1) }
    self.makeSection = { row, state in read.record(in: row, of: state).flatMap(makeSection) }
  }

  /// Whether the store has the closure's type for an entity.
  func fits(_ entity: Int, in catalog: Catalog) -> Bool { isKnown(entity, catalog) }

  /// Appends the key of the section of a row.
  func append(
    _ row: RowLocation, in state: FrozenState, as key: SectionKey, to buffer: inout RowBuffer
  ) {
    if let text = makeSection(row, state) {
      key.append(text.utf8Span.span.bytes, to: &buffer)
    } else {
      key.append(nil, to: &buffer)
    }
  }
}

extension SectionClosure: Hashable {
  package static func == (one: SectionClosure, other: SectionClosure) -> Bool {
    one.name == other.name && one.version == other.version && one.typeName == other.typeName
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(version)
  }
}
