import DaybookStore

/// One of the values that are fetched of rows: where it stands, and what it is.
package struct ValueColumn: Sendable {
  private let path: ValuePath
  private let type: AttributeType
  /// What the value refers to, if it does.
  private let target: ReferenceTarget?

  init(_ path: ValuePath, in catalog: Catalog) {
    self.path = path
    switch path.end {
    case .scalar(let scalar): type = .scalar(scalar)
    case .identifier(let kind): type = .scalar(kind.scalarType)
    case .array(let scalar): type = .array(scalar)
    case .reference(let reference): type = .reference(reference)
    case .references(let reference): type = .references(reference)
    }
    target =
      switch path.end {
      case .reference(let reference), .references(let reference):
        ReferenceTarget(reference, in: catalog)
      case .scalar, .identifier, .array: nil
      }
  }

  /// The value of a row. References to records that are not there are none.
  func value(of row: RowLocation, in state: FrozenState) -> AttributeValue {
    let value: AttributeValue = path.withBytes(of: row, in: state) { bytes in
      guard let bytes else { return .null }
      return AttributeValue(type, bytes: bytes) ?? .null
    }
    guard let target else { return value }
    switch value {
    case .array(let values): return .array(values.filter { target.isThere($0, in: state) })
    default: return target.isThere(value, in: state) ? value : .null
    }
  }
}

extension ReferenceTarget {
  fileprivate func isThere(_ value: AttributeValue, in state: FrozenState) -> Bool {
    guard case .reference(let id) = value, let entity else { return false }
    return state.reader.location(of: IdentifierBytes(id), in: entity) != .none
  }
}

/// Builds records of one type of rows, for what only records can be asked.
struct RecordRead<R: Record>: Sendable {
  /// Whether the store has the type for an entity.
  func fits(_ entity: Int, in catalog: Catalog) -> Bool {
    catalog.index(of: R.schema.entity) == entity && catalog.types.codec(R.self) != nil
  }

  /// The record in a row; nil if its identifier is none of the type's.
  func record(in row: RowLocation, of state: FrozenState) -> R? {
    guard let codec = state.catalog.types.codec(R.self) else {
      preconditionFailure("\(R.self) is no type of the store")
    }
    return state.memory.withWholeRow(at: row, layouts: state.catalog.layouts) {
      codec.shownRecord($0)
    }
  }
}
