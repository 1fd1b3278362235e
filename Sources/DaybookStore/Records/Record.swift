/// A value that a store keeps: a struct with an identifier and a schema.
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
/// A store calls `init()` once for the type, and copies this prototype for each record that it
/// reads. Therefore properties that the schema does not name have the prototype's values.
public protocol Record: FetchableRecord where ID: RecordIdentifying {
  /// Creates a record with the values of new records.
  init()
  /// The permanent identifier of the record among the records of its entity.
  var id: ID { get set }
  /// The entity and its attributes.
  static var schema: RecordSchema<Self> { get }
}

/// A type of records that a request finds: a ``Record``, or ``DynamicRecord`` for programs that do
/// not know the type.
///
/// No other type conforms to it.
public protocol FetchableRecord: Identifiable, Sendable where ID: RecordIdentifierConvertible {
  /// Returns the records in the rows that a request has found, in order.
  static func _records(in rows: FetchedRows) -> [Self]
}

extension Record {
  /// Returns the records in the rows that a request has found, in order.
  public static func _records(in rows: FetchedRows) -> [Self] {
    rows.source.records(Self.self, in: rows)
  }
}

/// The rows that a request has found, which are the source of its records.
public struct FetchedRows {
  let source: any FetchedRecordSource
  /// The index of the entity in the catalog.
  let entity: Int
  /// The slots of the rows in the entity's table, in the order of the records.
  let slots: [UInt32]
}

/// A state of the store that supplies the records of a request.
protocol FetchedRecordSource {
  /// Returns the records of a type in rows, in order.
  func records<R: Record>(_ type: R.Type, in rows: FetchedRows) -> [R]
  /// Returns the records in rows for programs that do not know their type, in order.
  func dynamicRecords(in rows: FetchedRows) -> [DynamicRecord]
}

/// The identifier of a record of another entity, or of the same entity.
///
/// When the store resolves a reference to a record that does not exist, the result is nil.
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
    EntityReference(Target.schema.entity, identifierKind: Target.ID.identifierKind)
  }
  /// The attribute type of a reference to the target's entity.
  public static var attributeType: AttributeType { .reference(target) }
  /// The attribute type of an array of references to the target's entity.
  public static var arrayType: AttributeType { .references(target) }
  /// The number of bytes of an identifier; nil if it varies.
  public static var elementByteCount: Int? { Target.ID.identifierKind.byteCount }
  /// Appends the identifier.
  public func append(to buffer: inout RowBuffer) { id.recordIdentifier.append(to: &buffer) }
  /// Creates a reference from the bytes of an identifier; nil if they are invalid.
  public init?(row bytes: RawSpan) {
    guard let identifier = RecordIdentifier(Target.ID.identifierKind, bytes: bytes),
      let id = Target.ID(identifier)
    else { return nil }
    self.init(id)
  }
}

/// A reference is encoded as the identifier of its record. A record type with references can be
/// `Codable`, too.
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
      from: decoder, configuration: Target.ID.identifierKind)
    guard let id = Target.ID(identifier) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "\(identifier) is not an identifier of \(Target.schema.entity)."))
    }
    self.init(id)
  }
}
