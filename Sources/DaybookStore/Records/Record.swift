/// A type, usually a struct, whose values a store keeps. A record has an identifier, and the type
/// has a schema.
///
/// ```swift
/// struct Bank: Record {
///   var id = UUID()
///   var name = ""
///   var closed: Date?
///   var details: Reference<BankDetails>?
///
///   static let schema = RecordSchema<Bank>("FailedBankInfo")
///     .attribute("name", at: \.name)
///     .attribute("closed", at: \.closed)
///     .owned("details", at: \.details)
/// }
/// ```
///
/// A store calls `init()` a few times when it is opened, and keeps one result as a prototype. For
/// each record that it reads, the store copies the prototype and sets the properties that the
/// schema names. All other properties have the values of the prototype.
///
/// Combine has a type of this name. A file that imports both writes `Daybook.Record`.
public protocol Record: FetchableRecord where ID: RecordIdentifying {
  /// Creates a record with the values of new records.
  init()
  /// The identifier of the record, which is unique within its entity and never changes.
  var id: ID { get set }
  /// The name of the entity, and the attributes that a store saves.
  static var schema: RecordSchema<Self> { get }
}

/// A type of records that a request can return: a ``Record``, or ``DynamicRecord`` for programs
/// that do not have the record type.
///
/// Do not declare conformances of other types.
public protocol FetchableRecord: Identifiable, Sendable where ID: RecordIdentifierConvertible {
  /// Returns the records in the rows that a request has found, in the order of the rows.
  static func _records(in rows: FetchedRows) -> [Self]
}

extension Record {
  /// Returns the records in the rows that a request has found, in the order of the rows.
  public static func _records(in rows: FetchedRows) -> [Self] {
    rows.source.records(Self.self, in: rows)
  }
}

/// The rows that a request has found. A request passes them to ``FetchableRecord``, which decodes
/// them as records of its type.
public struct FetchedRows {
  /// The state of the store that contains the rows.
  let source: any FetchedRecordSource
  /// The index of the entity in the catalog.
  let entity: Int
  /// The slots of the rows in the entity's table, in the order of the records.
  let slots: [UInt32]
}

/// A state of the store that decodes the rows of a request as records. The protocol exists so that
/// ``FetchedRows`` does not depend on the type of the state.
protocol FetchedRecordSource {
  /// Decodes rows as records of a type, in the order of the rows.
  func records<R: Record>(_ type: R.Type, in rows: FetchedRows) -> [R]
  /// Decodes rows as records for programs that do not have the record type, in the order of the
  /// rows.
  func dynamicRecords(in rows: FetchedRows) -> [DynamicRecord]
}

/// A reference to a record of some entity, stored as the identifier of that record.
///
/// The record that it refers to may not exist, for example after its deletion. Reading the record
/// through the reference then returns nil.
///
/// RegexBuilder has a type of this name. A file that imports both writes `Daybook.Reference`.
public struct Reference<Target: Record>: Hashable, Sendable {
  /// The identifier of the record.
  public var id: Target.ID

  /// Creates a reference to the record with an identifier.
  public init(_ id: Target.ID) { self.id = id }

  /// Creates a reference to a record.
  public init(_ record: Target) { id = record.id }
}

extension Reference: ElementRepresentable {
  private static var target: EntityReference {
    EntityReference(Target.schema.entity, identifierKind: Target.ID._identifierKind)
  }
  /// The attribute type of a reference to the target's entity.
  public static var _attributeType: AttributeType { .reference(target) }
  /// The attribute type of an array of references to the target's entity.
  public static var _arrayType: AttributeType { .references(target) }
  /// The number of bytes of a target's identifier in a row; nil if identifiers have different
  /// lengths, as strings do.
  public static var _elementByteCount: Int? { Target.ID._identifierKind.byteCount }
  /// Appends the bytes of the identifier to a buffer.
  public func _append(to buffer: inout RowBuffer) { id.recordIdentifier.append(to: &buffer) }
  /// Creates a reference from the bytes of an identifier; nil if they are invalid.
  public init?(_row bytes: RawSpan) {
    guard let identifier = RecordIdentifier(Target.ID._identifierKind, bytes: bytes),
      let id = Target.ID(identifier)
    else { return nil }
    self.init(id)
  }
}

/// Encodes a reference as the identifier of the record that it refers to. With this conformance, a
/// record type that contains references can be `Codable`.
extension Reference: Codable {
  /// Encodes the identifier.
  public func encode(to encoder: any Encoder) throws {
    try id.recordIdentifier.encode(to: encoder)
  }

  /// Creates a reference from an identifier.
  ///
  /// - Throws: `DecodingError` if the value is not an identifier of the target's records
  public init(from decoder: any Decoder) throws {
    let identifier = try RecordIdentifier(
      from: decoder, configuration: Target.ID._identifierKind)
    guard let id = Target.ID(identifier) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "\(identifier) is not an identifier of \(Target.schema.entity)."))
    }
    self.init(id)
  }
}
