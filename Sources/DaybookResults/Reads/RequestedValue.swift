import DaybookStore

/// The value that a sort key, a section or a column reads of each row.
package enum RequestedValue: Sendable {
  /// The value at the end of a path. With a target, the value is a reference, and is read as nil if
  /// its record does not exist.
  case value(ValuePath, ReferenceTarget?)
  /// The number of values at the end of a path.
  case count(MembersPath)
  /// The identifiers of the records of an inverse, with the references that they are read as.
  case inverse(MembersPath, EntityReference)

  /// The last name of a path that leads to a number of values.
  private static let countName = "@count"

  /// Creates the value at the end of some names: references and inverses to one record, and an
  /// attribute, an inverse or `id`. After several values, the last name may be `@count`.
  package init(
    _ names: [String], from entity: Int, in catalog: Catalog
  ) throws(PathProblem) {
    if names.last == RequestedValue.countName {
      do throws(PathProblem) {
        self = .count(
          try MembersPath(names.dropLast(), members: [], from: entity, in: catalog))
        return
      } catch {
        // An attribute may have this name. Otherwise the path of all names reports the problem.
      }
    }
    do throws(PathProblem) {
      let path = try ValuePath(names, from: entity, in: catalog)
      self = .value(path, ReferenceTarget(path, in: catalog))
    } catch {
      guard case .severalRecords = error.kind, error.index == names.count - 1 else { throw error }
      let path = try MembersPath(names, members: [], from: entity, in: catalog)
      guard let inverse = path.inverse else { throw error }
      let kind = catalog.newest(inverse.target).entity.identifierKind
      self = .inverse(path, EntityReference(catalog.names[inverse.target], identifierKind: kind))
    }
  }

  /// The kind of the value.
  var end: ValuePath.End {
    switch self {
    case .value(let path, _): path.end
    case .count: .scalar(.int64)
    case .inverse(_, let reference): .references(reference)
    }
  }

  /// A Boolean value that indicates whether the value may be missing. A required reference may be
  /// missing too, as its record may not exist.
  var isOptional: Bool {
    switch self {
    case .value(let path, let target): path.isOptional || target != nil
    case .count, .inverse: false
    }
  }

  /// Returns the path that is read, with the references that it follows.
  func read(in catalog: Catalog) -> PathRead {
    switch self {
    case .value(let path, _): PathRead(path, in: catalog)
    case .count(let path), .inverse(let path, _): PathRead(path, in: catalog)
    }
  }

  /// Returns a function that reads the single value of a row, and passes its bytes, or nil, to a
  /// closure with a target.
  @inline(__always)
  func reader<Target>(
    _ pass: @escaping @Sendable (borrowing RawSpan?, inout Target) -> Void
  ) -> @Sendable (RowLocation, FrozenState, inout Target) -> Void {
    switch self {
    case .value(let path, let reference?):
      return { row, state, target in
        path.withBytes(of: row, in: state) { bytes in
          if let bytes, !reference.exists(bytes, in: state) { return pass(nil, &target) }
          pass(bytes, &target)
        }
      }
    case .value(let path, nil):
      guard path.steps.isEmpty, let own = path.path else {
        return { row, state, target in
          path.withBytes(of: row, in: state) { pass($0, &target) }
        }
      }
      // A direct read from the row is cheaper than the general path, which handles every value.
      return { row, state, target in
        let isHere = state.withRow(at: row) { bytes in
          if own.isElsewhere(in: bytes) { return false }
          own.withBytes(in: bytes) { pass($0, &target) }
          return true
        }
        if !isHere { path.withBytes(of: row, in: state) { pass($0, &target) } }
      }
    case .count(let path):
      return { row, state, target in
        let count = Int64(path.count(of: row, in: state))
        withUnsafeBytes(of: count.littleEndian) { pass($0.bytes, &target) }
      }
    case .inverse(let path, _): preconditionFailure("\(path.names) has several values, not a key")
    }
  }
}

/// One of the values to fetch from rows: its path and its type.
package struct ValueColumn: Sendable {
  private let source: RequestedValue
  private let type: AttributeType
  /// The target of the references; nil if the value is not one.
  private let target: ReferenceTarget?

  init(_ source: RequestedValue, in catalog: Catalog) {
    self.source = source
    switch source.end {
    case .scalar(let scalar): type = .scalar(scalar)
    case .identifier(let kind): type = .scalar(kind.scalarType)
    case .array(let scalar): type = .array(scalar)
    case .reference(let reference): type = .reference(reference)
    case .references(let reference): type = .references(reference)
    }
    target =
      switch source.end {
      case .reference(let reference), .references(let reference):
        ReferenceTarget(reference, in: catalog)
      case .scalar, .identifier, .array: nil
      }
  }

  /// Returns the value of a row, without references to records that do not exist.
  func value(of row: RowLocation, in state: FrozenState) -> AttributeValue {
    switch source {
    case .value(let path, _): return value(at: path, of: row, in: state)
    case .count(let path): return .int(Int64(path.count(of: row, in: state)))
    case .inverse(let path, _):
      var identifiers: [AttributeValue] = []
      let exists = path.forEachMember(of: row, in: state) { _ in
      } record: { member, _ in
        identifiers.append(.reference(state.reader.identifier(at: member)))
      }
      return exists ? .array(identifiers) : .null
    }
  }

  private func value(
    at path: ValuePath, of row: RowLocation, in state: FrozenState
  ) -> AttributeValue {
    let value: AttributeValue = path.withBytes(of: row, in: state) { bytes in
      guard let bytes else { return .null }
      return AttributeValue(type, bytes: bytes) ?? .null
    }
    guard let target else { return value }
    switch value {
    case .array(let values): return .array(values.filter { target.exists($0, in: state) })
    default: return target.exists(value, in: state) ? value : .null
    }
  }
}

extension ReferenceTarget {
  fileprivate func exists(_ value: AttributeValue, in state: FrozenState) -> Bool {
    guard case .reference(let id) = value, let entity else { return false }
    return state.reader.location(of: IdentifierBytes(id), in: entity) != .none
  }
}
