import DaybookJournal
import DaybookStore

/// The location of several values that a request reads: the elements of an array, or one value for
/// each record that an attribute refers to.
///
/// The path may follow references to one record, both to the attribute with several values and from
/// each member. A member that does not exist is skipped. An attribute without a value has no
/// values, and neither has a path that leads to no record.
package struct MembersPath: Sendable {
  /// The path to the attribute with several values.
  package let several: ValuePath
  /// The entity of the members and the path from each member to its value. Nil for the elements of
  /// an array, and for members of an entity that does not exist.
  package let members: (entity: Int, path: ValuePath)?
  /// The kind of each value.
  package let end: ValuePath.End
  /// The names of the path, as given.
  package let names: [String]
  private let elementByteCount: Int?
  private let kind: IdentifierKind?

  /// Creates the path along names from an entity to an attribute of several values, and along
  /// further names from each member.
  package init(
    _ names: [String], members rest: [String], from entity: Int, in catalog: Catalog
  ) throws(PathProblem) {
    several = try ValuePath(names, from: entity, in: catalog)
    self.names = names + rest
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
      let path: ValuePath
      do {
        path = try ValuePath(rest.isEmpty ? ["id"] : rest, from: entity, in: catalog)
      } catch { throw PathProblem(error.kind, at: error.place + names.count) }
      members = (entity, path)
      end = path.end
    case .scalar, .identifier, .reference:
      preconditionFailure("the path \(names) ends at a single value")
    }
  }

  /// Calls a closure with the bytes of each value, or nil for a member without a value, until the
  /// closure returns false.
  func forEach(
    in bytes: RawSpan, of row: RowLocation, in frozen: FrozenState,
    _ body: (borrowing RawSpan?) -> Bool
  ) {
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

  /// Calls one closure for each element, or the other for each record that is referred to. Returns
  /// false if the attribute has no value.
  func forEachMember(
    of row: RowLocation, in frozen: FrozenState, element: (RawSpan) -> Void,
    record: (RowLocation, ValuePath) -> Void
  ) -> Bool {
    several.withBytes(of: row, in: frozen) { bytes -> Bool in
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

  /// Returns the number of values.
  func count(in bytes: RawSpan, of row: RowLocation, in frozen: FrozenState) -> Int {
    var count = 0
    forEach(in: bytes, of: row, in: frozen) { _ in
      count += 1
      return true
    }
    return count
  }
}
