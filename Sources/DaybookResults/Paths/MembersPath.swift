import DaybookJournal
import DaybookStore

/// The location of several values that a filter reads: the elements of an array, or one value for
/// each record that an attribute refers to. The elements and the referenced records are the
/// *members*.
///
/// For example, `club.players.name` follows the reference `club` to one record, then reads the
/// references `players`, and reads the name of each player. A referenced record that does not exist
/// is skipped. If the attribute is nil, or if a reference before it leads to no record, the path
/// has no values.
package struct MembersPath: Sendable {
  /// The path to the attribute with several values: `club.players` in the example.
  package let several: ValuePath
  /// The entity of the referenced records, and the path from each of them to its value: `name` in
  /// the example. Nil for the elements of an array, and for references to an entity that does not
  /// exist.
  package let members: (entity: Int, path: ValuePath)?
  /// The kind of value at the end of the path.
  package let end: ValuePath.End
  /// The names of the whole path.
  package let names: [String]
  private let elementByteCount: Int?
  private let kind: IdentifierKind?

  /// Creates the path that follows some names from an entity to an attribute with several values,
  /// and further names from each member.
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

  /// Calls a closure with the bytes of each value until the closure returns false. For a member
  /// without a value, the closure receives nil.
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

  /// Calls `element` for each element of an array, or `record` for each referenced record. Returns
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
