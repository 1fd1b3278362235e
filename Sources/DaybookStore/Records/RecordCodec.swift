import DaybookJournal
import DaybookPlatform
import Synchronization

/// Turns records of one type into rows, and rows of any layout of their entity into records.
package final class RecordCodec<R: Record>: Sendable {
  /// The layout of the rows that are written.
  package let layout: Layout
  /// Every record that is read begins as a copy of it: making one anew may be dear, as an identifier
  /// drawn at random is.
  private let prototype: R
  private let identifier: IdentifierAccess
  /// How records become rows.
  private let writing: RowWriting
  /// How the rows of the newest layout are read, as most are.
  private let newest: RowReading
  /// For the number of each other layout, how its rows are read.
  private let earlier: [UInt16: RowReading]
  /// The values that the type does not know, of each attribute that can have such.
  let unknownValues: [String: UnknownValues]
  /// The attributes of which a list has reported an unknown value.
  private let reported = Mutex<Set<Int>>([])

  /// - Parameter layouts: The layouts of the entity, the oldest first and the one to write last. That
  ///   one has every attribute of the type, and may have others.
  /// - Throws: ``SchemaMismatch`` if an attribute has changed its type and there is no converter.
  package init(_ layouts: [Layout]) throws(SchemaMismatch) {
    guard let newest = layouts.last else { preconditionFailure("an entity without a layout") }
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
    for (index, layout) in layouts.enumerated() {
      let mapping = LayoutMapping(layouts[index...], to: newest.entity)
      var steps: [RowReading.Step] = []
      for (attribute, index) in zip(schema.attributes, indexes) {
        let setDefault = RecordCodec.setDefault(of: newest.entity.attributes[index], for: attribute)
        // A row of a time when the attribute could be nil.
        let clear = attribute.isOptional ? attribute.clear : setDefault
        switch mapping.sources[index] {
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
      preconditionFailure("the newest layout of \(schema.entity) is not read")
    }
    self.newest = reading
    earlier = readings
  }

  /// Returns what gives a record the default of an attribute.
  private static func setDefault(
    of definition: AttributeDefinition, for attribute: SchemaAttribute<R>
  ) -> AttributeAccess.Clear {
    guard let bytes = definition.defaultBytes else { return attribute.clear }
    let read = attribute.read
    return { record in read(bytes.span.bytes, record) }
  }

  /// Packs a record into a row behind what a buffer holds.
  ///
  /// - Parameter row: A row of ``layout`` with all its values. The attributes are copied from it that the type
  ///   does not name, and those whose value the type does not know while the record has the substitute. Without
  ///   it, attributes that the type does not name have their defaults.
  package func append(
    _ record: R, creation: UInt64 = 0, keepingOthersOf row: [UInt8]? = nil,
    to buffer: inout RowBuffer
  ) {
    var writer = RowWriter(layout, behind: buffer.take())
    if let row {
      precondition(
        Layout.number(of: row.span.bytes) == layout.number,
        "a row of layout \(Layout.number(of: row.span.bytes) ?? 0) for \(layout.number)")
      withUnsafePointer(to: record) { record in
        writer.begin(identifier.read(record), creation: creation)
        writing.append(record, keepingOthersOf: row.span.bytes, in: layout, to: &writer)
      }
    } else {
      withUnsafePointer(to: record) { _ = append($0, creation: creation, to: &writer) }
    }
    buffer = writer.finish()
  }

  /// Packs a new record into the next row, and returns its identifier. It is read where it is, as a copy
  /// counts the references of all its texts.
  func append(
    _ record: UnsafePointer<R>, creation: UInt64 = 0, to writer: inout RowWriter
  ) -> RecordIdentifier {
    let id = identifier.read(record)
    writer.begin(id, creation: creation)
    writing.append(record, to: &writer)
    return id
  }

  /// The record in a row that has been found whole; nil if its layout or its identifier is none of
  /// this type's.
  ///
  /// - Throws: ``StoreError`` with `unknownValue`, if the type does not know the value of an attribute, and the
  ///   schema declares none in its place.
  package func record(_ row: RawSpan, path: String) throws(StoreError) -> R? {
    var record = prototype
    switch withUnsafeMutablePointer(to: &record, { read(row, into: $0) }) {
    case .none: return nil
    case .whole: return record
    case .unknownValue(let step):
      let value = unknownValue(in: row, at: step)
      throw StoreError(
        .unknownValue(
          entity: value.entity, id: value.id, attribute: value.attribute, value: value.value),
        path: path)
    }
  }

  /// Returns the record in a row for a list, which cannot throw.
  ///
  /// An attribute whose value the type cannot represent has the substitute, or without a substitute the value of
  /// `init()`. The latter is reported on standard error.
  package func shownRecord(_ row: RawSpan) -> R? {
    var record = prototype
    return withUnsafeMutablePointer(to: &record) { isShown(row, in: $0) } ? record : nil
  }

  /// Makes the record in a row where there is room for one, as ``shownRecord(_:)`` does.
  ///
  /// - Returns: False if there is none in it. There is a record in that place all the same.
  func initialize(_ place: UnsafeMutablePointer<R>, with row: RawSpan) -> Bool {
    place.initialize(to: prototype)
    return isShown(row, in: place)
  }

  private func isShown(_ row: RawSpan, in record: UnsafeMutablePointer<R>) -> Bool {
    switch read(row, into: record) {
    case .none: return false
    case .whole: return true
    case .unknownValue(let step):
      report(unknownValue(in: row, at: step), at: step)
      return true
    }
  }

  // A result that is a record or nil would have the type of that looked up for each, as only the caller knows it.
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

  /// The value of a row that a step could not read.
  private func unknownValue(in row: RawSpan, at step: RowReading.Step) -> UnknownValue {
    let attribute = layout.entity.attributes[step.attribute]
    guard let number = Layout.number(of: row),
      let layout = number == layout.number ? layout : earlier[number]?.layout,
      let idRange = layout.identifierRange(in: row),
      let id = RecordIdentifier(layout.identifierKind, bytes: row.extracting(idRange))
    else { preconditionFailure("a row of \(layout.entity.name) that was read has no layout") }
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
      \(value.attribute) of \(value.entity) \(value.id) is \(value.value.shortText), which its Swift type cannot \
      represent. A list shows the value of init() instead; its filters, sort keys and sections use the stored \
      value. Declare a substitute with unknown:.
      """)
  }
}

/// How the rows of one layout are read into records of a type that it need not know.
private final class RowReading: Sendable {
  /// One attribute. A closure that is read from an array is retained for the call, and one of an object is not.
  final class Step: Sendable {
    /// The attribute of the row that it is read from; -1 if there is none.
    let index: Int
    /// The attribute of the newest layout.
    let attribute: Int
    let read: AttributeAccess.Read
    /// What is done where the row has no value.
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
    /// The row is none of the type's.
    case none
    /// All attributes were read.
    case whole
    /// The type does not know the value of this attribute, and maybe of others. Those are as they were.
    case unknownValue(Step)
  }

  let layout: Layout
  private let steps: [Step]
  // Kept by `steps`. To go through those would retain each, which takes half as long again as what they do.
  private let unretained: [Unmanaged<Step>]

  init(_ layout: Layout, steps: [Step]) {
    self.layout = layout
    self.steps = steps
    unretained = steps.map { Unmanaged.passUnretained($0) }
  }

  func read(_ row: RawSpan, into record: UnsafeMutableRawPointer) -> ReadResult {
    var unread: Int?
    for place in unretained.indices {
      let isRead = unretained[place]._withUnsafeGuaranteedRef { step in
        if step.index >= 0, let range = layout.range(of: step.index, in: row) {
          return step.read(row.extracting(range), record)
        }
        return step.clear(record)
      }
      if !isRead, unread == nil { unread = place }
    }
    return unread.map { .unknownValue(steps[$0]) } ?? .whole
  }
}

/// How records of a type that it need not know become rows.
private final class RowWriting: Sendable {
  /// One attribute.
  final class Step: Sendable {
    let append: AttributeAccess.Append
    /// The attribute of the layout.
    let index: Int
    /// Whether the type names the attribute.
    let isNamed: Bool
    /// The values that the type does not know; nil if it knows all.
    let unknown: UnknownValues?

    init(_ append: @escaping AttributeAccess.Append, index: Int, unknown: UnknownValues?) {
      self.append = append
      self.index = index
      self.unknown = unknown
      isNamed = true
    }

    /// A step that gives a new record the default of an attribute that the type does not name.
    init(unnamed index: Int, definition attribute: AttributeDefinition) {
      let bytes = attribute.defaultBytes
      append = { _, writer in writer.append(bytes) }
      self.index = index
      unknown = nil
      isNamed = false
    }

    /// Returns whether a record leaves the value of a row as it is: the type does not name the attribute, or does
    /// not know the value, and the record has the substitute.
    func keeps(_ range: Range<Int>?, of row: RawSpan, for record: UnsafeRawPointer) -> Bool {
      if !isNamed { return true }
      guard let unknown, let substitute = unknown.substitute, let range,
        !unknown.isKnown(row.extracting(range))
      else { return false }
      return substitute.isShown(record)
    }
  }

  /// In the order in which the bytes of the attributes stand in a row.
  private let steps: [Step]
  // Kept by `steps`. To go through those would retain each, which takes half as long again as what they do.
  private let unretained: [Unmanaged<Step>]

  init(_ steps: [Step]) {
    self.steps = steps
    unretained = steps.map { Unmanaged.passUnretained($0) }
  }

  func append(_ record: UnsafeRawPointer, to writer: inout RowWriter) {
    for place in unretained.indices {
      unretained[place]._withUnsafeGuaranteedRef { $0.append(record, &writer) }
    }
  }

  /// Appends a record with the attributes of a row of the same layout that it leaves as they are.
  func append(
    _ record: UnsafeRawPointer, keepingOthersOf row: RawSpan, in layout: Layout,
    to writer: inout RowWriter
  ) {
    for place in unretained.indices {
      unretained[place]._withUnsafeGuaranteedRef { step in
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
