import DaybookStore

/// The declared type of a column.
@_spi(Tools) public struct TableColumnType: Hashable, Sendable {
  /// The type of the values.
  public var type: AttributeType
  /// A Boolean value that indicates whether each row needs a value.
  public var isRequired: Bool

  /// Creates the type of a column.
  public init(_ type: AttributeType, isRequired: Bool = false) {
    self.type = type
    self.isRequired = isRequired
  }
}

/// The result of the first pass over a table: its columns, the number of its rows, and the inferred
/// types of the columns without a declared type.
@_spi(Tools) public struct TableSurvey {
  private struct Column {
    var cells = CellInference()
    var values = TextInference()
  }

  /// The table.
  public let text: ImportText
  /// The names of the columns.
  public let columns: [String]
  /// The number of rows.
  public let rowCount: Int
  private let inferences: [Column]

  /// Reads a table.
  ///
  /// - Parameters:
  ///   - text: The table.
  ///   - declared: The columns whose type is known. Their values are not checked.
  /// - Throws: ``TextJournalError`` if the table is not valid, or if the values of a column of JSON
  ///   have types that cannot be combined.
  /// - Complexity: O(*n*) in the size of the table. The pass needs memory for one row.
  public init(
    _ text: ImportText, declaring declared: Set<String> = []
  ) throws(TextJournalError) {
    var rows = try TableRows(text)
    var inferences: [Column] = []
    var count = 0
    while let row = try rows.next() {
      count += 1
      while inferences.count < rows.columns.count { inferences.append(Column()) }
      for cell in row.cells where !declared.contains(rows.columns[cell.column]) {
        switch cell.content {
        case nil: break
        case .text(let contents): inferences[cell.column].cells.add(contents)
        case .json(let value):
          guard let reader = row.reader else { continue }
          try inferences[cell.column].values.add(
            value, of: rows.columns[cell.column], at: reader)
        }
      }
    }
    while inferences.count < rows.columns.count { inferences.append(Column()) }
    self.text = text
    self.inferences = inferences
    columns = rows.columns
    rowCount = count
  }

  /// Returns the inferred type of a column.
  private func type(of column: Int) throws(TextJournalError) -> ScalarType {
    guard text.format == .json else { return inferences[column].cells.type }
    return try inferences[column].values.type(of: columns[column], path: text.path)
  }

  /// Returns the kind of identifiers that a column contains.
  private func identifierKind(of column: Int) throws(TextJournalError) -> IdentifierKind {
    switch try type(of: column) {
    case .int64: .int
    case .uint64: .uint
    default: .string
    }
  }

  /// Returns the table as records of an entity, after checking that each value has the type of its
  /// column, and that each row has an identifier of its own.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - known: The entity in the journal, to which columns are added; nil for a new entity.
  ///   - identifier: The column of the identifiers. If it is nil, rows are identified by their
  ///     numbers, starting at 1.
  ///   - types: The declared types of columns. The type of the identifier column must be one that
  ///     identifiers can have.
  /// - Precondition: `identifier` and the keys of `types` are columns, and no other column is named
  ///   `id`.
  /// - Complexity: O(*n*) in the size of the table. The check needs memory for the identifiers.
  public func table(
    of entity: String, known: EntityDefinition? = nil, identifiedBy identifier: String?,
    types: [String: TableColumnType]
  ) throws(TextJournalError) -> Table {
    var definition = known ?? EntityDefinition(entity, identifiedBy: .int)
    var roles: [Table.Role] = []
    for (column, name) in columns.enumerated() {
      if name == identifier {
        if known == nil {
          let declared = types[name].flatMap { IdentifierKind(type: $0.type) }
          if let declared {
            definition.identifierKind = declared
          } else {
            definition.identifierKind = try identifierKind(of: column)
          }
        }
        roles.append(.identifier)
        continue
      }
      if let index = definition.index(of: name) {
        roles.append(.attribute(index))
        continue
      }
      let declared = types[name]
      let type: AttributeType
      if let declared { type = declared.type } else { type = .scalar(try self.type(of: column)) }
      roles.append(.attribute(definition.attributes.count))
      definition.attributes.append(
        AttributeDefinition(name, type: type, isRequired: declared?.isRequired ?? false))
    }
    let table = Table(
      input: text, columns: columns, entity: definition, roles: roles, rowCount: rowCount)
    try table.check()
    return table
  }
}

extension IdentifierKind {
  /// Creates the kind of identifiers for values of a type; nil if no identifiers have this type.
  @_spi(Tools) public init?(type: AttributeType) {
    switch type {
    case .scalar(.string): self = .string
    case .scalar(.uuid): self = .uuid
    case .scalar(.int8), .scalar(.int16), .scalar(.int32), .scalar(.int64): self = .int
    case .scalar(.uint8), .scalar(.uint16), .scalar(.uint32), .scalar(.uint64): self = .uint
    default: return nil
    }
  }
}
