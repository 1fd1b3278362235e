import DaybookJournal
import DaybookPlatform
import Synchronization

/// The codec of one record type: it encodes records as rows of the newest layout, and decodes rows
/// of any layout of the entity. `RecordTypes` creates one codec for each record type of a store.
/// The initializer compares the layouts with the schema once, so that encoding and decoding a row
/// only run prepared steps.
package final class RecordCodec<R: Record>: Sendable {
  /// The newest layout of the entity, which has all rows that the codec writes.
  package let layout: Layout
  /// The record that the codec copies for each row that it reads. Calling `init()` for each row may
  /// be expensive, for example if it creates a random identifier.
  private let prototype: R
  /// The closures that get and set the identifier of a record.
  private let identifier: IdentifierAccess
  /// The steps that write a row.
  private let writing: RowWriting
  /// The steps that read a row of the newest layout, which most rows have.
  private let newest: RowReading
  /// The steps that read the rows of all layouts except the newest one, by layout number.
  private let earlier: [UInt16: RowReading]
  /// The values that the type cannot represent, for each attribute that may have such values.
  let unknownValues: [String: UnknownValues]
  /// The indexes of the attributes, in ``layout``, for which `report(_:at:)` has already printed a
  /// sentence.
  private let reported = Mutex<Set<Int>>([])

  /// Creates a codec.
  ///
  /// - Parameter layouts: The layouts of the entity, the oldest first. The codec writes the last
  ///   layout, which has every attribute of the type and may have others.
  /// - Throws: ``SchemaMismatch`` if the type of an attribute has changed and the schema declares
  ///   no converter for the earlier type.
  package init(_ layouts: [Layout]) throws(SchemaMismatch) {
    guard let newest = layouts.last else { preconditionFailure("the entity has no layout") }
    let schema = R.schema
    layout = newest
    prototype = R()
    identifier = schema.identifier
    var named: [Int: SchemaAttribute<R>] = [:]
    let indexes = schema.attributes.map { attribute in
      guard let index = newest.entity.index(of: attribute.name) else {
        preconditionFailure("layout \(newest.number) of \(schema.entity) lacks \(attribute.name)")
      }
      named[index] = attribute
      return index
    }
    var unknownValues: [String: UnknownValues] = [:]
    for attribute in schema.attributes { unknownValues[attribute.name] = attribute.unknownValues() }
    self.unknownValues = unknownValues
    writing = RowWriting(
      newest.storageOrder.map { index in
        named[index].map {
          RowWriting.Step($0.append, index: index, unknown: unknownValues[$0.name])
        }
          ?? RowWriting.Step(unnamed: index, definition: newest.entity.attributes[index])
      })
    var readings: [UInt16: RowReading] = [:]
    let mappings = LayoutMappings(layouts, to: newest.entity)
    for (layoutIndex, layout) in layouts.enumerated() {
      let mapping = mappings[layoutIndex]
      var steps: [RowReading.Step] = []
      for (attribute, index) in zip(schema.attributes, indexes) {
        let setDefault = RecordCodec.setDefault(of: newest.entity.attributes[index], for: attribute)
        // Rows from a time when the attribute was optional may have no value for it. A property
        // that is not optional gets the default then.
        let clear = attribute.isOptional ? attribute.clear : setDefault
        switch mapping[index] {
        case .same(let source):
          steps.append(
            RowReading.Step(source, attribute: index, read: attribute.read, clear: clear))
        case .absent:
          steps.append(
            RowReading.Step(-1, attribute: index, read: attribute.read, clear: setDefault))
        case .other(let source, let type):
          guard let converter = attribute.converter(from: type) else {
            throw SchemaMismatch(
              entity: schema.entity, attribute: attribute.name, old: type,
              new: newest.entity.attributes[index].type)
          }
          let read: AttributeAccess.Read = { bytes, record in
            let hasDefault = setDefault(record)
            return converter.read(bytes, record) || hasDefault
          }
          steps.append(RowReading.Step(source, attribute: index, read: read, clear: clear))
        }
      }
      readings[layout.number] = RowReading(layout, steps: steps)
    }
    guard let reading = readings.removeValue(forKey: newest.number) else {
      preconditionFailure("the codec does not read the newest layout of \(schema.entity)")
    }
    self.newest = reading
    earlier = readings
  }

  /// Returns a closure that sets an attribute of a record to its default.
  private static func setDefault(
    of definition: AttributeDefinition, for attribute: SchemaAttribute<R>
  ) -> AttributeAccess.Clear {
    guard let bytes = definition.defaultBytes else { return attribute.clear }
    let read = attribute.read
    return { record in read(bytes.span.bytes, record) }
  }

  /// Encodes a record as a row, and appends the row to a buffer.
  ///
  /// - Parameter row: The row before the change, in ``layout`` and with all its values; nil for a
  ///   new record. The codec copies two kinds of attributes from this row: attributes that the type
  ///   does not name, and attributes with an unknown value for which the record still has the
  ///   substitute. If `row` is nil, attributes that the type does not name get their defaults.
  package func append(
    _ record: R, creation: UInt64 = 0, keepingOthersOf row: [UInt8]? = nil,
    to buffer: inout RowBuffer
  ) {
    var writer = RowWriter(layout, after: buffer.take())
    if let row {
      precondition(
        Layout.number(of: row.span.bytes) == layout.number,
        "expected a row of layout \(layout.number), found \(Layout.number(of: row.span.bytes) ?? 0)"
      )
      withUnsafePointer(to: record) { record in
        writer.start(identifier.read(record), creation: creation)
        writing.append(record, keepingOthersOf: row.span.bytes, in: layout, to: &writer)
      }
    } else {
      withUnsafePointer(to: record) { _ = append($0, creation: creation, to: &writer) }
    }
    buffer = writer.finish()
  }

  /// Encodes a new record as the next row of a writer, and returns the record's identifier. The
  /// caller passes a pointer, because a copy of the record would retain its strings.
  func append(
    _ record: UnsafePointer<R>, creation: UInt64 = 0, to writer: inout RowWriter
  ) -> RecordIdentifier {
    let id = identifier.read(record)
    writer.start(id, creation: creation)
    writing.append(record, to: &writer)
    return id
  }

  /// Decodes a verified row; returns nil if the row's layout is unknown, or if the type cannot have
  /// the row's identifier.
  ///
  /// - Throws: ``StoreError`` with `unknownValue`, if the type cannot represent the value of an
  ///   attribute and the schema declares no substitute.
  package func record(_ row: RawSpan, path: String) throws(StoreError) -> R? {
    var record = prototype
    switch withUnsafeMutablePointer(to: &record, { read(row, into: $0) }) {
    case .none: return nil
    case .complete: return record
    case .unknownValue(let step):
      let value = unknownValue(in: row, at: step)
      throw StoreError(
        .unknownValue(
          entity: value.entity, id: value.id, attribute: value.attribute, value: value.value),
        path: path)
    }
  }

  /// Decodes a row for a list. Reading a list cannot throw, so an unknown value is not an error
  /// here.
  ///
  /// If the type cannot represent a value, the property gets the substitute. If the schema declares
  /// no substitute, the property keeps the value of `init()`, and a sentence is printed on standard
  /// error.
  package func lenientRecord(_ row: RawSpan) -> R? {
    var record = prototype
    return withUnsafeMutablePointer(to: &record) { readLeniently(row, in: $0) } ? record : nil
  }

  /// Initializes memory with the record in a row, as ``lenientRecord(_:)`` does.
  ///
  /// - Returns: False if the row contains no record of the type. The memory is initialized in that
  ///   case too.
  func initialize(_ pointer: UnsafeMutablePointer<R>, with row: RawSpan) -> Bool {
    pointer.initialize(to: prototype)
    return readLeniently(row, in: pointer)
  }

  private func readLeniently(_ row: RawSpan, in record: UnsafeMutablePointer<R>) -> Bool {
    switch read(row, into: record) {
    case .none: return false
    case .complete: return true
    case .unknownValue(let step):
      report(unknownValue(in: row, at: step), at: step)
      return true
    }
  }

  // The result is an enumeration, and not an optional record. The type metadata of an optional
  // would be looked up for each row, because only the caller has the concrete type.
  private func read(_ row: RawSpan, into record: UnsafeMutablePointer<R>) -> RowReading.ReadResult {
    guard let number = Layout.number(of: row),
      let reading = number == layout.number ? newest : earlier[number],
      let range = reading.layout.identifierRange(in: row),
      let id = RecordIdentifier(layout.identifierKind, bytes: row.extracting(range)),
      identifier.set(id, record)
    else { return .none }
    return reading.read(row, into: record)
  }

  // MARK: Unknown values

  private typealias UnknownValue = (
    entity: String, id: RecordIdentifier, attribute: String, value: AttributeValue
  )

  /// Returns the value that a step could not read, with the names for an error message.
  private func unknownValue(in row: RawSpan, at step: RowReading.Step) -> UnknownValue {
    let attribute = layout.entity.attributes[step.attribute]
    guard let number = Layout.number(of: row),
      let layout = number == layout.number ? layout : earlier[number]?.layout,
      let idRange = layout.identifierRange(in: row),
      let id = RecordIdentifier(layout.identifierKind, bytes: row.extracting(idRange))
    else { preconditionFailure("the valid row of \(layout.entity.name) has an unknown layout") }
    var value = attribute.defaultValue
    if step.index >= 0, let range = layout.range(of: step.index, in: row) {
      value = AttributeValue(attribute.type, bytes: row.extracting(range)) ?? .null
    }
    return (layout.entity.name, id, attribute.name, value)
  }

  /// Prints a sentence about an unknown value, once for each attribute.
  private func report(_ value: UnknownValue, at step: RowReading.Step) {
    guard reported.withLock({ $0.insert(step.attribute).inserted }) else { return }
    Misuse.report(
      """
      \(value.attribute) of \(value.entity) \(value.id) is \(value.value.shortDescription), which its Swift type cannot \
      represent. Lists show the value of init() instead. Filters, sort keys and sections use the stored value. \
      Declare a substitute with unknown:.
      """)
  }
}

/// The steps that read the rows of one layout into records. The class is not generic, so that its
/// loop needs no metadata of the record type.
private final class RowReading: Sendable {
  /// A step that reads one attribute. The step is a class, because Swift retains a closure in an
  /// array for each call, but does not retain a closure in an object.
  final class Step: Sendable {
    /// The index of the attribute in the row's layout; -1 if the layout does not have it.
    let index: Int
    /// The index of the attribute in the newest layout.
    let attribute: Int
    let read: AttributeAccess.Read
    /// The closure that is called instead of `read` if the row has no value for the attribute.
    let clear: AttributeAccess.Clear

    init(
      _ index: Int, attribute: Int, read: @escaping AttributeAccess.Read,
      clear: @escaping AttributeAccess.Clear
    ) {
      self.index = index
      self.attribute = attribute
      self.read = read
      self.clear = clear
    }
  }

  /// The result of reading a row.
  enum ReadResult {
    /// The row does not belong to the type.
    case none
    /// All attributes were read.
    case complete
    /// The type cannot represent the value of the attribute of this step, and possibly of later
    /// ones. The properties of these attributes are unchanged.
    case unknownValue(Step)
  }

  let layout: Layout
  private let steps: [Step]
  // `steps` owns the objects, so they live as long as this object. A loop over `steps` would retain
  // each object for each row, which is slow.
  private let unretained: [Unmanaged<Step>]

  init(_ layout: Layout, steps: [Step]) {
    self.layout = layout
    self.steps = steps
    unretained = steps.map { Unmanaged.passUnretained($0) }
  }

  /// Sets the properties of a record to the values of a row. The steps after an unknown value are
  /// performed too.
  func read(_ row: RawSpan, into record: UnsafeMutableRawPointer) -> ReadResult {
    var unread: Int?
    for index in unretained.indices {
      let isRead = unretained[index]._withUnsafeGuaranteedRef { step in
        if step.index >= 0, let range = layout.range(of: step.index, in: row) {
          return step.read(row.extracting(range), record)
        }
        return step.clear(record)
      }
      if !isRead, unread == nil { unread = index }
    }
    return unread.map { .unknownValue(steps[$0]) } ?? .complete
  }
}

/// The steps that write records as rows of the newest layout. The class is not generic, so that its
/// loop needs no metadata of the record type.
private final class RowWriting: Sendable {
  /// A step that writes one attribute.
  final class Step: Sendable {
    let append: AttributeAccess.Append
    /// The index of the attribute in the layout.
    let index: Int
    /// A Boolean value that indicates whether the type names the attribute.
    let isNamed: Bool
    /// The stored values that the type cannot represent; nil if the type can represent every value.
    let unknown: UnknownValues?

    init(_ append: @escaping AttributeAccess.Append, index: Int, unknown: UnknownValues?) {
      self.append = append
      self.index = index
      self.unknown = unknown
      isNamed = true
    }

    /// Creates a step that writes the default of an attribute that the type does not name.
    init(unnamed index: Int, definition attribute: AttributeDefinition) {
      let bytes = attribute.defaultBytes
      append = { _, writer in writer.append(bytes) }
      self.index = index
      unknown = nil
      isNamed = false
    }

    /// Returns whether an update keeps the attribute's value of the row before it. An update keeps
    /// the value of an attribute that the type does not name. An update also keeps a value that the
    /// type cannot represent, as long as the record has the substitute.
    func keeps(_ range: Range<Int>?, of row: RawSpan, for record: UnsafeRawPointer) -> Bool {
      if !isNamed { return true }
      guard let unknown, let substitute = unknown.substitute, let range,
        !unknown.isKnown(row.extracting(range))
      else { return false }
      return substitute.isValueOf(record)
    }
  }

  /// The steps, in the order of the attributes' bytes in a row.
  private let steps: [Step]
  // `steps` owns the objects, so they live as long as this object. A loop over `steps` would retain
  // each object for each row, which is slow.
  private let unretained: [Unmanaged<Step>]

  init(_ steps: [Step]) {
    self.steps = steps
    unretained = steps.map { Unmanaged.passUnretained($0) }
  }

  /// Appends all attributes of a new record.
  func append(_ record: UnsafeRawPointer, to writer: inout RowWriter) {
    for index in unretained.indices {
      unretained[index]._withUnsafeGuaranteedRef { $0.append(record, &writer) }
    }
  }

  /// Appends a record, and copies the values that an update keeps from a row of the same layout.
  func append(
    _ record: UnsafeRawPointer, keepingOthersOf row: RawSpan, in layout: Layout,
    to writer: inout RowWriter
  ) {
    for index in unretained.indices {
      unretained[index]._withUnsafeGuaranteedRef { step in
        if step.isNamed, step.unknown == nil { return step.append(record, &writer) }
        let range = layout.range(of: step.index, in: row)
        if !step.keeps(range, of: row, for: record) {
          step.append(record, &writer)
        } else if let range {
          writer.append { $0.append(row.extracting(range)) }
        } else {
          writer.appendNil()
        }
      }
    }
  }
}
