import Daybook

/// The columns of a printed list: the identifier, and the values that follow it.
struct ListColumns {
  let entity: EntityDefinition
  /// The names of the columns after the identifier.
  let names: [String]
  /// The paths of the columns after the identifier.
  let paths: [[String]]
  /// The identifier, followed by the columns.
  let attributes: [FetchedAttribute<DynamicRecord>]

  /// - Parameters:
  ///   - argument: The value of the option `--columns`; nil for all attributes.
  ///   - request: The request of the list.
  ///   - snapshot: The state with the newest definition of the entity.
  ///   - readsAlong: A Boolean value that indicates whether to add columns for the values that sort
  ///     keys and sections read through references. It has no effect if `argument` is not nil.
  init(
    _ argument: String?, of request: DynamicRequest, in snapshot: StoreSnapshot,
    readsAlong: Bool = false
  ) throws(ToolError) {
    entity = try RecordArguments.entity(request.entity, in: snapshot)
    var paths = ListArguments.columns(argument, of: entity)
    if argument == nil, readsAlong {
      let read = request.sortKeys.map(\.names) + [request.sectioning?.names].compactMap { $0 }
      for path in read where path.count > 1 && !paths.contains(path) { paths.append(path) }
    }
    self.paths = paths
    names = paths.map { $0.joined(separator: ".") }
    attributes = ([["id"]] + paths).map { .attribute(path: $0) }
  }

  /// Returns the type of a column; nil if the column is not an attribute of the entity itself.
  func type(at index: Int) -> AttributeType? {
    entity.index(of: names[index]).map { entity.attributes[$0].type }
  }

  /// Reads the rows at some indices of a list.
  ///
  /// - Throws: ``ToolError`` if a column does not exist, even if the range is empty. Commands use
  ///   an empty range to check the columns before they print.
  func rows(of objects: ListObjects, in range: Range<Int>) throws(ToolError) -> [ShownList.Row] {
    do throws(RequestError) {
      return try objects.values(of: attributes, in: range).map { values in
        ShownList.Row(id: RecordIdentifier(values[0]), values: Array(values.dropFirst()))
      }
    } catch { throw ToolError(error) }
  }
}

extension RecordIdentifier {
  /// Creates an identifier from the value of an identifier column.
  fileprivate init(_ value: AttributeValue) {
    switch value {
    case .int(let number): self = .int(number)
    case .uint(let number): self = .uint(number)
    case .string(let string): self = .string(string)
    case .uuid(let uuid): self = .uuid(uuid)
    default: preconditionFailure("expected an identifier, found \(value)")
    }
  }
}
