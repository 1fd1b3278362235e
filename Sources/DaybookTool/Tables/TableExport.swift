import DaybookJournal
@_spi(Tools) import DaybookStore

/// The state of a journal at a moment as tables: CSV for one entity, or SQL statements for some
/// entities.
struct TableExport {
  let snapshot: StoreSnapshot
  /// The entities to export.
  let entities: [ExportedEntity]
  /// A closure that receives the next bytes with each call.
  let output: ([UInt8]) throws -> Void

  /// The number of bytes that are collected before they are written.
  private static let pieceByteCount = 64 << 10

  /// Calls a closure with each record of an entity, and writes the texts that it returns.
  private func write(
    _ entity: ExportedEntity, text: (DynamicRecord) -> String
  ) throws {
    var piece: [UInt8] = []
    try snapshot.forEachObject(of: entity.definition.name) { record in
      piece += text(record).utf8
      if piece.count >= TableExport.pieceByteCount {
        try output(piece)
        piece.removeAll(keepingCapacity: true)
      }
    }
    try output(piece)
  }

  // MARK: CSV

  /// Writes the records of the first entity as comma-separated values, in the order of their
  /// creation. A record without a value has an empty cell; the empty text is `""`.
  func writeCSV() throws {
    guard let entity = entities.first else { return }
    let names = ["id"] + entity.columns.map(\.name)
    try output(Array(TableExport.line(names).utf8))
    try write(entity) { record in
      TableExport.line(
        [ValueText.text(of: record.id)]
          + entity.columns.map { ValueText.text(of: record.values[$0.index]) })
    }
  }

  private static func line(_ cells: [String?]) -> String {
    cells.map { cell in
      guard let cell else { return "" }
      let isPlain =
        !cell.isEmpty
        && cell.utf8.allSatisfy { $0 != 0x2C && $0 != 0x22 && $0 != 10 && $0 != 13 && $0 != 0 }
      return isPlain ? cell : quoted(cell, with: "\"")
    }.joined(separator: ",") + "\n"
  }

  /// Returns a text in quotation marks, with those in it doubled.
  private static func quoted(_ string: String, with mark: Unicode.Scalar) -> String {
    "\(mark)\(string.escaping(mark, as: "\(mark)\(mark)"))\(mark)"
  }

  // MARK: SQL

  /// Writes statements for SQLite that create a table for each entity, and insert the records.
  ///
  /// Dates, UUIDs, decimals and arrays are texts as in a text journal, data are blobs, and a
  /// reference is the identifier of its target. The tables have no constraints except their keys,
  /// because a reference can refer to a record that does not exist.
  func writeSQL() throws {
    try output(Array("BEGIN TRANSACTION;\n".utf8))
    // SQL ignores the case of names, so a second table of a name gets a number. Names that start
    // with sqlite_ are reserved.
    var taken: Set<String> = []
    for entity in entities {
      let isReserved = entity.definition.name.lowercased().hasPrefix("sqlite_")
      let name = (isReserved ? "_" : "") + entity.definition.name
      let table = TableExport.quoted(TableExport.name(name, besides: &taken), with: "\"")
      let columns = TableExport.columns(of: entity)
      try output(
        Array("CREATE TABLE \(table) (\n  \(columns.joined(separator: ",\n  "))\n);\n".utf8))
      try write(entity) { record in
        let values =
          [TableExport.literal(record.id)]
          + entity.columns.map { TableExport.literal(record.values[$0.index]) }
        return "INSERT INTO \(table) VALUES (\(values.joined(separator: ", ")));\n"
      }
    }
    try output(Array("COMMIT;\n".utf8))
  }

  /// Returns a name, with a number if it is taken, and adds it to the taken names in lower case.
  /// SQLite ends a statement at a zero byte, so a name gets the symbol ␀ instead.
  private static func name(_ name: String, besides taken: inout Set<String>) -> String {
    let name = name.escaping("\0", as: "\u{2400}")
    var free = name
    var number = 1
    while !taken.insert(free.lowercased()).inserted {
      number += 1
      free = "\(name)_\(number)"
    }
    return free
  }

  private static func columns(of entity: ExportedEntity) -> [String] {
    // SQL ignores the case of column names. A name that differs from an earlier one only in case
    // gets a number.
    var taken: Set<String> = ["id"]
    let attributes = entity.columns.map { column in
      let name = name(column.name, besides: &taken)
      let type = type(of: entity.definition.attributes[column.index].type)
      return "\(quoted(name, with: "\"")) \(type)"
    }
    return ["\"id\" \(type(of: entity.definition.identifierKind)) PRIMARY KEY"] + attributes
  }

  private static func type(of kind: IdentifierKind) -> String {
    switch kind {
    case .int: "INTEGER"
    // SQLite has no integers above 63 bits. A column of type BLOB stores values without conversion.
    case .uint: "BLOB"
    case .string, .uuid: "TEXT"
    }
  }

  private static func type(of type: AttributeType) -> String {
    switch type {
    case .reference(let target): self.type(of: target.identifierKind)
    case .array, .references: "TEXT"
    case .scalar(let scalar):
      switch scalar {
      case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: "INTEGER"
      case .float, .double: "REAL"
      case .string, .decimal, .date, .uuid, .url: "TEXT"
      case .data, .uint64: "BLOB"
      }
    }
  }

  private static func literal(_ id: RecordIdentifier) -> String {
    switch id {
    case .int(let number): "\(number)"
    case .uint(let number): literal(AttributeValue.uint(number))
    case .string(let string): literal(AttributeValue.string(string))
    case .uuid: literal(AttributeValue.string(ValueText.text(of: id)))
    }
  }

  private static func literal(_ value: AttributeValue) -> String {
    switch value {
    case .null: return "NULL"
    case .bool(let bool): return bool ? "1" : "0"
    case .int(let number): return "\(number)"
    case .uint(let number): return number <= Int64.max ? "\(number)" : "'\(number)'"
    case .float(let number): return literal(Double(number), digits: "\(number)")
    case .double(let number): return literal(number, digits: "\(number)")
    case .reference(let id): return literal(id)
    case .data(let bytes): return "X'\(hexadecimal(bytes))'"
    case .string, .url, .date, .uuid, .decimal, .array:
      let string = ValueText.text(of: value) ?? ""
      // SQLite ends a statement at a zero byte.
      guard string.utf8.contains(0) else { return quoted(string, with: "'") }
      return "CAST(X'\(hexadecimal(Array(string.utf8)))' AS TEXT)"
    }
  }

  private static func literal(_ number: Double, digits: String) -> String {
    if number.isNaN { return "'NaN'" }
    return number.isFinite ? digits : number < 0 ? "-9e999" : "9e999"
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// An entity, and those of its attributes that are exported.
struct ExportedEntity {
  let definition: EntityDefinition
  /// The index of each exported attribute, and its name.
  private(set) var columns: [(index: Int, name: String)]

  /// Creates an entity with all attributes.
  init(_ definition: EntityDefinition) {
    self.definition = definition
    columns = definition.attributes.enumerated().map { ($0.offset, $0.element.name) }
  }

  /// Creates an entity with the attributes that it had after a transaction, under their names at
  /// that moment.
  ///
  /// - Parameter changes: All changes of the journal's schema.
  init(
    _ definition: EntityDefinition, at sequence: SequenceNumber, changes: [SchemaChange]
  ) {
    self.init(definition)
    var name = definition.name
    for change in changes.reversed() where change.sequence > sequence {
      for entity in change.entities.reversed() where entity.new.name == name {
        guard let old = entity.old else { continue }
        columns = columns.compactMap { column in
          let earlier = entity.earlierNames[column.name] ?? column.name
          return old.index(of: earlier) == nil ? nil : (column.index, earlier)
        }
        name = old.name
      }
    }
  }
}
