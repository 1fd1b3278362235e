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
    writing = RowWriting(
      newest.storageOrder.map { index in
        named[index].map { RowWriting.Step($0.append) }
          ?? RowWriting.Step(unnamed: index, newest.entity.attributes[index])
      })
    var readings: [UInt16: RowReading] = [:]
    for (index, layout) in layouts.enumerated() {
      let mapping = LayoutMapping(layouts[index...], to: newest.entity)
      var steps: [RowReading.Step] = []
      for (attribute, index) in zip(schema.attributes, indexes) {
        let set = attribute.set
        let value = newest.entity.attributes[index].defaultValue
        let setDefault: AttributeAccess.Clear = { record in _ = set(value, record) }
        // A row of a time when the attribute could be nil.
        let clear = attribute.isOptional ? attribute.clear : setDefault
        switch mapping.sources[index] {
        case .same(let source): steps.append(RowReading.Step(source, attribute.read, clear))
        case .absent: steps.append(RowReading.Step(-1, attribute.read, setDefault))
        case .other(let source, let type):
          guard let converter = attribute.converter(from: type) else {
            throw SchemaMismatch(
              entity: schema.entity, attribute: attribute.name, old: type,
              new: newest.entity.attributes[index].type)
          }
          let read: AttributeAccess.Read = { bytes, record in
            setDefault(record)
            converter.read(bytes, record)
          }
          steps.append(RowReading.Step(source, read, clear))
        }
      }
      readings[layout.number] = RowReading(layout, steps)
    }
    guard let reading = readings.removeValue(forKey: newest.number) else {
      preconditionFailure("the newest layout of \(schema.entity) is not read")
    }
    self.newest = reading
    earlier = readings
  }

  /// Packs a record into a row behind what a buffer holds.
  ///
  /// - Parameter row: A row of ``layout`` with all its values that the attributes are copied from which
  ///   the type does not name. They have their defaults if there is none.
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
        writing.append(record, keepingOthersOf: row.span.bytes, layout, to: &writer)
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
  package func record(_ row: RawSpan) -> R? {
    var record = prototype
    let isRead = withUnsafeMutablePointer(to: &record) { read(row, into: $0) }
    return isRead ? record : nil
  }

  /// Makes the record in a row where there is room for one.
  ///
  /// - Returns: False if there is none in it, as ``record(_:)`` says. There is a record in that place all the same.
  func initialize(_ place: UnsafeMutablePointer<R>, with row: RawSpan) -> Bool {
    place.initialize(to: prototype)
    return read(row, into: place)
  }

  // A result that is a record or nil would have the type of that looked up for each, as only the caller knows it.
  private func read(_ row: RawSpan, into record: UnsafeMutablePointer<R>) -> Bool {
    guard let number = Layout.number(of: row),
      let reading = number == layout.number ? newest : earlier[number],
      let range = reading.layout.identifierRange(in: row),
      let id = RecordIdentifier(layout.identifierKind, bytes: row.extracting(range)),
      identifier.set(id, record)
    else { return false }
    reading.read(row, into: record)
    return true
  }
}

/// How the rows of one layout are read into records of a type that it need not know.
private final class RowReading: Sendable {
  /// One attribute. A closure that is read from an array is retained for the call, and one of an object is not.
  final class Step: Sendable {
    /// The attribute of the row that it is read from; -1 if there is none.
    let index: Int
    let read: AttributeAccess.Read
    /// What is done where the row has no value.
    let clear: AttributeAccess.Clear

    init(
      _ index: Int, _ read: @escaping AttributeAccess.Read,
      _ clear: @escaping AttributeAccess.Clear
    ) {
      self.index = index
      self.read = read
      self.clear = clear
    }
  }

  let layout: Layout
  private let steps: [Step]
  // Kept by `steps`. To go through those would retain each, which takes half as long again as what they do.
  private let unretained: [Unmanaged<Step>]

  init(_ layout: Layout, _ steps: [Step]) {
    self.layout = layout
    self.steps = steps
    unretained = steps.map { Unmanaged.passUnretained($0) }
  }

  func read(_ row: RawSpan, into record: UnsafeMutableRawPointer) {
    for place in unretained.indices {
      unretained[place]._withUnsafeGuaranteedRef { step in
        if step.index >= 0, let range = layout.range(of: step.index, in: row) {
          step.read(row.extracting(range), record)
        } else {
          step.clear(record)
        }
      }
    }
  }
}

/// How records of a type that it need not know become rows.
private final class RowWriting: Sendable {
  /// One attribute.
  final class Step: Sendable {
    let append: AttributeAccess.Append
    /// The attribute of the layout that the type does not name; -1 if it names it.
    let unnamed: Int

    init(_ append: @escaping AttributeAccess.Append) {
      self.append = append
      unnamed = -1
    }

    /// A step that gives a new record the default of an attribute that the type does not name.
    init(unnamed index: Int, _ attribute: AttributeDefinition) {
      let bytes = attribute.defaultBytes
      append = { _, writer in writer.append(bytes) }
      unnamed = index
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

  /// Appends a record with the unnamed attributes of a row of the same layout.
  func append(
    _ record: UnsafeRawPointer, keepingOthersOf row: RawSpan, _ layout: Layout,
    to writer: inout RowWriter
  ) {
    for place in unretained.indices {
      unretained[place]._withUnsafeGuaranteedRef { step in
        if step.unnamed < 0 {
          step.append(record, &writer)
        } else if let range = layout.range(of: step.unnamed, in: row) {
          writer.append { $0.append(row.extracting(range)) }
        } else {
          writer.appendNil()
        }
      }
    }
  }
}

/// An attribute that the journal and the program do not agree about.
package struct SchemaMismatch: Error, Hashable {
  package var entity: String
  package var attribute: String
  package var old: AttributeType
  package var new: AttributeType
}
