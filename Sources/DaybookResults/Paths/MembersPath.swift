import DaybookJournal
import DaybookStore

/// The location of several values that a request reads: the elements of an array, or one value for
/// each record that an attribute refers to or that an inverse contains. The elements and these
/// records are the *members*.
///
/// For example, `club.players.name` follows the reference `club` to one record, then reads the
/// references `players`, and reads the name of each player. A referenced record that does not exist
/// is skipped. If the attribute is nil, or if a step before it leads to no record, the path has no
/// values.
package struct MembersPath: Sendable {
  /// The path to the attribute with several values: `club.players` in the example. For an inverse,
  /// the path to the identifier of the record whose inverse it is.
  package let several: ValuePath
  /// The inverse that contains the members; nil for an attribute with several values.
  package let inverse: PathStep?
  /// The names of the path to the several values, as given.
  package let severalNames: [String]
  /// The entity of the member records, and the path from each of them to its value: `name` in the
  /// example. Nil for the elements of an array, and for references to an entity that does not
  /// exist.
  package let members: (entity: Int, path: ValuePath)?
  /// The kind of value at the end of the path.
  package let end: ValuePath.End
  /// The names of the whole path.
  package let names: [String]
  private let elementByteCount: Int?
  private let kind: IdentifierKind?

  /// Creates the path that follows some names from an entity to several values, and further names
  /// from each member.
  package init(
    _ names: [String], members rest: [String], from entity: Int, in catalog: Catalog
  ) throws(PathProblem) {
    severalNames = names
    self.names = names + rest
    guard let name = names.last else { throw PathProblem(.empty, at: 0) }
    let owner = try ValuePath(names.dropLast() + ["id"], from: entity, in: catalog)
    if catalog.newest(owner.entity).index(of: name) == nil,
      let inverse = PathStep(inverse: name, of: owner.entity, in: catalog)
    {
      several = owner
      self.inverse = inverse
      kind = nil
      elementByteCount = nil
      let path = try MembersPath.path(rest, ofEach: inverse.target, in: catalog, at: names.count)
      members = (inverse.target, path)
      end = path.end
      return
    }
    several = try ValuePath(names, from: entity, in: catalog)
    inverse = nil
    switch several.end {
    case .array(let type):
      members = nil
      kind = nil
      elementByteCount = type.byteCount
      end = .scalar(type)
    case .references(let target):
      kind = target.identifierKind
      elementByteCount = target.identifierKind.byteCount
      guard let entity = catalog.index(of: target.entity) else {
        guard rest.isEmpty else { throw PathProblem(.noEntity(target.entity), at: names.count) }
        members = nil
        end = .identifier(target.identifierKind)
        return
      }
      let path = try MembersPath.path(rest, ofEach: entity, in: catalog, at: names.count)
      members = (entity, path)
      end = path.end
    case .scalar, .identifier, .reference:
      let entity = catalog.names[owner.entity]
      throw PathProblem(.singleValue(name, entity: entity), at: names.count - 1)
    }
  }

  /// Returns the path along some names from each member; the path to its identifier for no names.
  ///
  /// - Parameter index: The index of the first of the names in the whole path.
  private static func path(
    _ names: [String], ofEach entity: Int, in catalog: Catalog, at index: Int
  ) throws(PathProblem) -> ValuePath {
    do {
      return try ValuePath(names.isEmpty ? ["id"] : names, from: entity, in: catalog)
    } catch { throw PathProblem(error.kind, at: error.index + index) }
  }

  /// Returns the rows of the inverse, in the order of their creation; nil if the path leads to no
  /// record.
  private func rows(
    of inverse: PathStep, from row: RowLocation, in frozen: FrozenState
  ) -> [RowLocation]? {
    let record = several.lead(from: row, in: frozen)
    return record == .none ? nil : inverse.inverseRows(of: record, in: frozen)
  }

  /// Calls a closure with the bytes of each value until the closure returns false. For a member
  /// without a value, the closure receives nil.
  func forEach(
    in bytes: RawSpan, of row: RowLocation, in frozen: FrozenState,
    _ body: (borrowing RawSpan?) -> Bool
  ) {
    if let inverse, let members {
      for member in rows(of: inverse, from: row, in: frozen) ?? []
      where !members.path.withBytes(of: member, in: frozen, body) { return }
      return
    }
    several.withBytes(in: bytes, of: row, in: frozen) { bytes in
      guard let bytes, let list = ElementList(bytes, byteCount: elementByteCount) else { return }
      for index in 0..<list.count {
        let element = bytes.extracting(list.range(index, in: bytes))
        guard let kind else {
          if !body(element) { return }
          continue
        }
        guard let members, let key = IdentifierBytes(kind, bytes: element) else { continue }
        let member = frozen.reader.location(of: key, in: members.entity)
        if member == .none { continue }
        if !members.path.withBytes(of: member, in: frozen, body) { return }
      }
    }
  }

  /// Calls `element` for each element of an array, or `record` for each member record. Returns
  /// false if the attribute has no value, or if the path leads to no record.
  func forEachMember(
    of row: RowLocation, in frozen: FrozenState, element: (RawSpan) -> Void,
    record: (RowLocation, ValuePath) -> Void
  ) -> Bool {
    if let inverse, let members {
      guard let rows = rows(of: inverse, from: row, in: frozen) else { return false }
      for member in rows { record(member, members.path) }
      return true
    }
    return several.withBytes(of: row, in: frozen) { bytes -> Bool in
      guard let bytes, let list = ElementList(bytes, byteCount: elementByteCount) else {
        return false
      }
      for index in 0..<list.count {
        let value = bytes.extracting(list.range(index, in: bytes))
        guard let kind else {
          element(value)
          continue
        }
        guard let members, let key = IdentifierBytes(kind, bytes: value) else { continue }
        let member = frozen.reader.location(of: key, in: members.entity)
        if member != .none { record(member, members.path) }
      }
      return true
    }
  }

  /// Returns the number of values of a row.
  func count(of row: RowLocation, in frozen: FrozenState) -> Int {
    if let inverse {
      let record = several.lead(from: row, in: frozen)
      return record == .none ? 0 : inverse.inverseCount(of: record, in: frozen)
    }
    return frozen.withRow(at: row) { count(in: $0, of: row, in: frozen) }
  }

  /// Returns the number of values of a row, from its bytes.
  func count(in bytes: RawSpan, of row: RowLocation, in frozen: FrozenState) -> Int {
    if inverse != nil { return count(of: row, in: frozen) }
    var count = 0
    forEach(in: bytes, of: row, in: frozen) { _ in
      count += 1
      return true
    }
    return count
  }
}
