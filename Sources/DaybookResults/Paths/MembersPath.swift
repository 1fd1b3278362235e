import DaybookJournal
import DaybookStore

/// Where several values are found that a request reads: the elements of an array, or one value for
/// each of the records that an attribute refers to.
///
/// The way there leads over references to one record, and so does the way on from each member. A
/// member that is not there is left out; an attribute without a value, or a way that ends, has
/// none.
package struct MembersPath: Sendable {
  /// The way to the attribute that holds several values.
  package let several: ValuePath
  /// The entity of the members and the way on from each; nil for the elements of an array, and for
  /// members of an entity that there is not.
  package let members: (entity: Int, path: ValuePath)?
  /// What is known of each of the values.
  package let end: ValuePath.End
  /// The names, as they were given.
  package let names: [String]
  private let elementByteCount: Int?
  private let kind: IdentifierKind?

  /// The path of names to an attribute of several values, and of more from each member on.
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
      preconditionFailure("\(names) have one value")
    }
  }

  /// Hands out the bytes of one value after the other, nil for a member without one, until the
  /// closure answers false.
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

  /// Hands out the elements, or the records that are referred to; nothing if the attribute has no
  /// value, which it says.
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

  /// How many values there are.
  func count(in bytes: RawSpan, of row: RowLocation, in frozen: FrozenState) -> Int {
    var count = 0
    forEach(in: bytes, of: row, in: frozen) { _ in
      count += 1
      return true
    }
    return count
  }
}
