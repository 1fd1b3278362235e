import DaybookJournal
import DaybookStore

/// A path that a request reads, as a list of steps. A change of an attribute on the path may change
/// the result. Plans use it to find the rows that a change of a referenced record touches.
package struct PathRead: Sendable {
  /// The path to the value, or to several values.
  private enum Way: Sendable {
    case value(ValuePath)
    case members(MembersPath)
  }

  /// The names of the path, as written in the request.
  package let names: [String]
  package let steps: [PathStep]
  /// The entity of the rows that contain the value. `attribute` is the index of the value in the
  /// entity's newest layout; nil for the identifier.
  package let entity: Int
  package let attribute: Int?
  /// The entity of the records that the value refers to; nil if the value is not a reference. The
  /// request also reads whether these records exist.
  package let resolvedEntity: Int?
  /// The steps from one record to another: `steps`, and the reference at the end if the request
  /// reads whether its record exists.
  let links: [PathStep]
  private let way: Way

  package init(_ path: ValuePath, in catalog: Catalog) {
    names = path.names
    steps = path.steps
    entity = path.entity
    attribute = path.attribute
    resolvedEntity = ReferenceTarget(path, in: catalog)?.entity
    links = PathRead.links(steps, to: path, resolved: resolvedEntity, in: catalog)
    way = .value(path)
  }

  package init(_ path: MembersPath, in catalog: Catalog) {
    names = path.names
    way = .members(path)
    let several = path.several
    let step =
      path.inverse
      ?? several.attribute.flatMap { PathStep($0, of: several.entity, in: catalog) }
    guard let members = path.members, let step else {
      steps = several.steps
      entity = several.entity
      attribute = several.attribute
      resolvedEntity = nil
      links = steps
      return
    }
    steps = several.steps + [step] + members.path.steps
    entity = members.path.entity
    attribute = members.path.attribute
    resolvedEntity = ReferenceTarget(members.path, in: catalog)?.entity
    links = PathRead.links(steps, to: members.path, resolved: resolvedEntity, in: catalog)
  }

  private static func links(
    _ steps: [PathStep], to path: ValuePath, resolved: Int?, in catalog: Catalog
  ) -> [PathStep] {
    guard resolved != nil, let attribute = path.attribute,
      let last = PathStep(attribute, of: path.entity, in: catalog)
    else { return steps }
    return steps + [last]
  }

  /// Returns whether two paths lead to the same value by equal steps.
  func isSame(as other: PathRead) -> Bool {
    names == other.names && steps.elementsEqual(other.steps) { $0.isSame(as: $1) }
      && entity == other.entity && attribute == other.attribute
  }

  /// A Boolean value that indicates whether the value depends on records other than the row's own
  /// record.
  var isForeign: Bool { !steps.isEmpty || resolvedEntity != nil }

  /// The attribute that the request reads from the target of the last link; nil if it reads only
  /// the identifier, or whether the record exists.
  var lastAttribute: Int? { resolvedEntity == nil ? attribute : nil }

  /// Returns whether the schema declares a substitute for unknown values of the attribute.
  func readsSubstitute(in catalog: Catalog) -> Bool {
    guard let attribute else { return false }
    let definition = catalog.newest(entity).entity
    return catalog.types.hasSubstitute(of: definition.attributes[attribute], in: definition.name)
  }

  /// Appends the values at the end of the path from a row, and the number of references on the path
  /// that lead to records. If the bytes for two states are equal, the row reads equal values in
  /// both.
  package func append(of row: RowLocation, in state: FrozenState, to buffer: inout RowBuffer) {
    switch way {
    case .value(let path): path.append(of: row, resolvedEntity, in: state, to: &buffer)
    case .members(let path):
      buffer.append(UInt32(path.several.reach(from: row, in: state)))
      let exists = path.forEachMember(of: row, in: state) { value in
        DaybookResults.append(value, end: path.end, to: &buffer)
      } record: { member, rest in
        rest.append(of: member, resolvedEntity, in: state, to: &buffer)
      }
      buffer.append(exists ? 1 : 0 as UInt8)
    }
  }
}

/// Appends a value, or a mark for a missing value.
private func append(
  _ value: borrowing RawSpan?, end: ValuePath.End, to buffer: inout RowBuffer
) {
  guard let value = copy value else { return buffer.append(UInt32.max) }
  switch end.scalarType {
  // Canonically equivalent strings are equal, so the normal form is appended.
  case .string, .url:
    ComparedText.withNormalBytes(of: value) { bytes in
      buffer.append(UInt32(bytes.byteCount))
      buffer.append(bytes)
    }
  default:
    buffer.append(UInt32(value.byteCount))
    buffer.append(value)
  }
}

extension ValuePath {
  /// Appends the value at the end of the path, and the number of references on the path that lead
  /// to records.
  ///
  /// - Parameter target: The entity of the referenced record, if the path ends at a reference.
  fileprivate func append(
    of row: RowLocation, _ target: Int?, in state: FrozenState, to buffer: inout RowBuffer
  ) {
    buffer.append(UInt32(reach(from: row, in: state)))
    if let target, !leads(from: row, to: target, in: state) { return buffer.append(UInt32.max) }
    withBytes(of: row, in: state) { DaybookResults.append($0, end: end, to: &buffer) }
  }
}

extension ValuePath {
  /// Returns whether the reference at the end of the path leads to an existing record.
  func leads(from row: RowLocation, to entity: Int, in state: FrozenState) -> Bool {
    guard case .reference(let target) = end else { return true }
    return withBytes(of: row, in: state) { bytes -> Bool in
      guard let bytes, let key = IdentifierBytes(target.identifierKind, bytes: bytes) else {
        return false
      }
      return state.reader.location(of: key, in: entity) != .none
    }
  }
}

/// Builds records of one type from rows, for closures and predicates that take records.
struct RecordRead<R: Record>: Sendable {
  /// Returns whether the store was opened with the type for an entity.
  func fits(_ entity: Int, in catalog: Catalog) -> Bool {
    catalog.index(of: R.schema.entity) == entity && catalog.types.codec(R.self) != nil
  }

  /// Returns the record in a row; nil if the type cannot represent the row's identifier.
  func record(in row: RowLocation, of state: FrozenState) -> R? {
    guard let codec = state.catalog.types.codec(R.self) else {
      preconditionFailure("the store was not opened with \(R.self)")
    }
    return state.memory.withCompleteRow(at: row, layouts: state.catalog.layouts) {
      codec.lenientRecord($0)
    }
  }
}
