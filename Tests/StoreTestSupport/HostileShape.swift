import DaybookJournal
import DaybookStore

/// A small journal that makes a slow algorithm slow. Each shape has one size that grows.
///
/// The checksums of each file are valid, and its records are well formed within the limits of the
/// format. A reader of linear time opens it at once; a reader that searches where it could look up
/// does not finish.
package enum HostileShape: String, CaseIterable, Sendable {
  /// `size` rows that all refer to one large value of `512 * size` bytes.
  case sharedValue
  /// An entity with `size` attributes and few rows.
  case attributes
  /// `size` entities, each with one record.
  case entities
  /// `size` layouts of one entity in one transaction, each with a row.
  case layouts
  /// `size` transactions, each with its own layout and a row of this layout.
  case layoutsApart
  /// `size` unique lists of one entity with 1,000 rows.
  case uniqueLists
  /// A unique list of `size` attributes of one entity with 1,000 rows.
  case uniqueListAttributes

  /// The size that reaches a limit of the format, or that a slow algorithm does not finish.
  package var usualSize: Int {
    switch self {
    case .sharedValue: 2_000
    case .attributes: SchemaLimit.attributes.maximum
    case .entities: SchemaLimit.entities.maximum
    case .layouts, .layoutsApart: SchemaLimit.layouts.maximum
    case .uniqueLists: SchemaLimit.uniqueLists.maximum
    case .uniqueListAttributes: SchemaLimit.uniqueListAttributes.maximum
    }
  }

  /// Returns the payloads of the journal, one for each transaction.
  package func payloads(_ size: Int) -> [[UInt8]] {
    switch self {
    case .sharedValue: HostileShape.rowsWithSharedValue(size, byteCount: size * 512)
    case .attributes:
      [HostileShape.payload([HostileShape.layout(0, attributeCount: size)], rowCount: 10)]
    case .entities:
      [
        HostileShape.payload(
          (0..<size).map {
            Layout(number: UInt16($0), of: HostileShape.entity("Entity\($0)", attributeCount: 1))
          }, rowCount: 1)
      ]
    case .layouts:
      [
        HostileShape.payload(
          (0..<size).map { HostileShape.layout(UInt16($0), attributeCount: 1 + $0 % 50) },
          rowCount: 1)
      ]
    case .layoutsApart:
      (0..<size).map { number in
        HostileShape.payload(
          [HostileShape.layout(UInt16(number), attributeCount: 1 + number % 50)], rowCount: 1,
          firstID: number)
      }
    case .uniqueLists:
      [
        HostileShape.payload(
          [
            Layout(
              number: 0,
              of: HostileShape.entity(
                "Entity", attributeCount: 8,
                unique: (0..<size).map { ["a\($0 % 8)", "a\($0 / 8 % 8)"] }))
          ], rowCount: 1_000)
      ]
    case .uniqueListAttributes:
      [
        HostileShape.payload(
          [
            Layout(
              number: 0,
              of: HostileShape.entity(
                "Entity", attributeCount: 8, unique: [(0..<size).map { "a\($0 % 8)" }]))
          ], rowCount: 1_000)
      ]
    }
  }

  /// Writes the journal to a file.
  package func write(_ size: Int, to path: String) throws {
    var options = JournalOptions()
    options.durability = .none
    let journal = try FileJournal(at: path, options: options)
    for payload in payloads(size) { _ = try journal.appendAndWait(payload) }
    try journal.closeAndWait()
  }

  // MARK: Building blocks

  private static func entity(
    _ name: String, attributeCount: Int, unique: [[String]] = []
  ) -> EntityDefinition {
    EntityDefinition(
      name, identifiedBy: .int,
      attributes: (0..<attributeCount).map { AttributeDefinition("a\($0)", type: .scalar(.int64)) },
      unique: unique)
  }

  private static func layout(_ number: UInt16, attributeCount: Int) -> Layout {
    Layout(number: number, of: entity("Entity", attributeCount: attributeCount))
  }

  /// Returns a transaction that contains layouts and inserts rows of each.
  private static func payload(
    _ layouts: [Layout], rowCount: Int, firstID: Int = 0
  ) -> [UInt8] {
    var writer = PayloadWriter(
      layouts: PayloadLayouts(layouts), changeCount: layouts.count * rowCount)
    var id = firstID
    for layout in layouts {
      for _ in 0..<rowCount {
        let values = layout.entity.attributes.indices.map { AttributeValue.int(Int64(id + $0)) }
        var row = RowBuffer()
        DynamicRecord(layout.entity.name, id: .int(Int64(id)), values: values).append(
          layout, to: &row)
        writer.insert(row.bytes.span.bytes, creation: UInt64(id + 1))
        id += 1
      }
    }
    return writer.finish()
  }

  /// Returns payloads of a record with a large value stored in two transactions, and of updates
  /// that refer to the two alternately.
  package static func updatesOfSameValue(_ count: Int, byteCount: Int) -> [[UInt8]] {
    let layout = textLayout
    let value = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
    var layouts = LayoutTable()
    _ = layouts.add(layout)
    var offsets: [UInt32] = []
    var previous = ChangePosition(sequence: 0, payloadOffset: 0)
    return (0...count).map { number in
      let isOwn = number < 2
      var writer = PayloadWriter(
        layouts: PayloadLayouts(number == 0 ? [layout] : []), storedValues: isOwn ? value : [],
        changeCount: 1)
      if isOwn { offsets.append(UInt32(writer.storedValuesOffset)) }
      let place = StoredValue(
        sequence: isOwn ? 0 : UInt64(number % 2 + 1), offset: offsets[number % 2],
        length: UInt32(byteCount), checksum: XXH64.checksum(value.span.bytes, seed: 0))
      let row = textRow(0, value, layout, place)
      if number == 0 {
        writer.insert(row.span.bytes, creation: 1)
      } else {
        writer.update(
          row.span.bytes, creation: 1, after: previous, changed: AttributeSet(all: 1))
      }
      let payload = writer.finish()
      var reader = PayloadReader(payload.span.bytes, layouts: layouts)
      previous = ChangePosition(
        sequence: UInt64(number + 1),
        payloadOffset: UInt32(reader.next(in: payload.span.bytes)?.row.lowerBound ?? 0))
      return payload
    }
  }

  private static let textLayout = Layout(
    number: 0,
    of: EntityDefinition(
      "Entity", identifiedBy: .int,
      attributes: [AttributeDefinition("text", type: .scalar(.string))]))

  /// Returns a row that refers to a large value.
  private static func textRow(
    _ id: Int, _ value: [UInt8], _ layout: Layout, _ place: StoredValue
  ) -> [UInt8] {
    var row = RowBuffer()
    DynamicRecord(
      "Entity", id: .int(Int64(id)), values: [.string(String(decoding: value, as: UTF8.self))]
    )
    .append(layout, to: &row)
    return layout.storing(row.bytes.span.bytes) { _, _ in place } ?? row.bytes
  }

  private static func rowsWithSharedValue(_ rowCount: Int, byteCount: Int) -> [[UInt8]] {
    let layout = textLayout
    let value = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
    let checksum = XXH64.checksum(value.span.bytes, seed: 0)
    var offset: UInt32 = 0
    return [0..<1, 1..<rowCount].map { ids in
      let isFirst = ids.lowerBound == 0
      var writer = PayloadWriter(
        layouts: PayloadLayouts(isFirst ? [layout] : []), storedValues: isFirst ? value : [],
        changeCount: ids.count)
      if isFirst { offset = UInt32(writer.storedValuesOffset) }
      for id in ids {
        let place = StoredValue(
          sequence: isFirst ? 0 : 1, offset: offset, length: UInt32(byteCount), checksum: checksum)
        writer.insert(textRow(id, value, layout, place).span.bytes, creation: UInt64(id + 1))
      }
      return writer.finish()
    }
  }
}

/// A small text journal that makes a slow import slow.
package enum HostileText: String, CaseIterable, Sendable {
  /// `size` transactions, each of which adds an attribute to one entity.
  case attributesOneByOne
  /// A header with `size` attributes, and `size` records with two of them.
  case wideRows
  /// A header with `size` entities.
  case entities
  /// A header with `size` unique lists.
  case uniqueLists
  /// `size` entities without a header.
  case inferredEntities

  /// Returns the bytes of the text journal.
  package func bytes(_ size: Int) -> [UInt8] {
    var text = ""
    func transaction(_ number: Int, _ entity: String, _ set: String) {
      text += #"{"tx":\#(number),"time":"2026-01-01T00:00:00Z","changes":[{"op":"insert","#
      text += #""entity":"\#(entity)","id":\#(number),"set":{\#(set)}}]}"# + "\n"
    }
    func header(_ entities: String) {
      text += #"{"daybook":1,"entities":{\#(entities)}}"# + "\n"
    }
    switch self {
    case .attributesOneByOne:
      for number in 1...size { transaction(number, "Entity", #""a\#(number)":\#(number)"#) }
    case .wideRows:
      let attributes = (0..<size).map { #""a\#($0)":"int64""# }.joined(separator: ",")
      header(#""Entity":{"id":"int","attributes":{\#(attributes)}}"#)
      for number in 1...size {
        transaction(number, "Entity", #""a\#(number % size)":1,"a\#(number / 2)":2"#)
      }
    case .entities:
      header(
        (0..<size).map { #""Entity\#($0)":{"id":"int","attributes":{"a":"int64"}}"# }
          .joined(separator: ","))
      transaction(1, "Entity0", "")
    case .uniqueLists:
      let lists = (0..<size).map { #"["a\#($0 % 8)","a\#($0 / 8 % 8)"]"# }.joined(separator: ",")
      let attributes = (0..<8).map { #""a\#($0)":"int64""# }.joined(separator: ",")
      header(#""Entity":{"id":"int","attributes":{\#(attributes)},"unique":[\#(lists)]}"#)
      for number in 1...1_000 { transaction(number, "Entity", #""a0":\#(number),"a1":1"#) }
    case .inferredEntities:
      for number in 1...size { transaction(number, "Entity\(number)", #""a":1"#) }
    }
    return Array(text.utf8)
  }
}
