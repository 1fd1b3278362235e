import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

@Suite("Packing records into rows") struct RowBytesTests {
  private func row<R: Record>(_ record: R) throws -> (row: [UInt8], codec: RecordCodec<R>) {
    let codec = try RecordCodec<R>([Layout(number: 3, of: R.schema.definition)])
    var buffer = RowBuffer()
    codec.append(record, creation: 77, to: &buffer)
    return (buffer.bytes, codec)
  }

  /// Checks that a row decodes to its record and that no proper prefix of it is a complete row.
  private func hold<R: Record & Equatable>(_ record: R) throws {
    let (row, codec) = try row(record)
    let longer = row + [1, 2, 3]
    let read = codec.lenientRecord(row.span.bytes)
    let counts = [
      codec.layout.rowByteCount(row.span.bytes), codec.layout.rowByteCount(longer.span.bytes),
    ]
    #expect(read == record && counts == [row.count, row.count])
    for length in 0..<row.count {
      let isWhole = codec.layout.rowByteCount(row.span.bytes.extracting(0..<length)) != nil
      #expect(!isWhole, "\(length) of \(row.count) bytes")
    }
    let head = (Layout.creation(of: row.span.bytes), Layout.number(of: row.span.bytes))
    #expect(head == (77, 3))
  }

  @Test func `a row decodes to its record for every identifier type`() throws {
    try hold(Numbered(id: -5, name: "five"))
    try hold(Unique(name: "u"))
    try hold(Unique(name: "", note: "n"))
    var every = EveryType()
    every.id = "e\u{301}"
    let (bytes, codec) = try row(every)
    // Identifiers are normalized when they are made.
    let read = codec.lenientRecord(bytes.span.bytes)
    #expect(read?.id.unicodeScalars.count == 1)
  }

  @Test func `a row decodes to random values of every type`() throws {
    var generator = SplitMix64(seed: 1)
    for number in 0..<200 { try hold(EveryType.random("r\(number)", using: &generator)) }
  }

  @Test func `rows packed consecutively equal rows packed singly`() throws {
    var generator = SplitMix64(seed: 2)
    let layout = Layout(number: 3, of: EveryType.schema.definition)
    for _ in 0..<50 {
      let records = try (0..<8).map { number in
        var record = EveryType.random("r\(number)", using: &generator)
        // A few rows have wide end offsets.
        if generator.next() % 8 == 0 { record.data = Data(repeating: 7, count: 70_000) }
        let row = try row(record).row
        let dynamic = DynamicRecord(row.span.bytes, history: [layout])
        return try #require(dynamic)
      }
      var writer = RowWriter(layout, after: RowBuffer([1, 2, 3]))
      var places: [Range<Int>] = []
      for record in records {
        writer.start(record.id, creation: 5)
        for index in layout.storageOrder {
          let value = record.values[index]
          if value.isNull {
            writer.appendNil()
          } else {
            writer.append { value.append(as: layout.entity.attributes[index].type, to: &$0) }
          }
        }
        places.append(writer.row)
        #expect(writer.hasNil == record.values.contains(.null))
      }
      let together = writer.finish().bytes
      #expect(together[..<3] == [1, 2, 3] && places.last?.upperBound == together.count)
      for (record, place) in zip(records, places) {
        var alone = RowBuffer()
        record.append(layout, to: &alone)
        alone.put(UInt64(5), at: 6)
        #expect(Array(together[place]) == alone.bytes)
      }
    }
  }

  @Test func `beginning a row before the last one is complete traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = RowWriter(Layout(number: 3, of: Numbered.schema.definition), after: RowBuffer())
      writer.start(.int(1))
      writer.start(.int(2))
      _ = writer.finish()
    }
  }

  @Test func `a row of more than 64 KiB has wide end offsets`() throws {
    var record = EveryType()
    record.data = Data(repeating: 7, count: 70_000)
    record.texts = ["one", "two"]
    let (bytes, codec) = try row(record)
    let read = codec.lenientRecord(bytes.span.bytes)
    #expect(read == record)
    #expect(bytes[1] & 0x80 != 0)
    record.data = Data(repeating: 7, count: 60_000)
    #expect(try row(record).row[1] & 0x80 == 0)
  }

  @Test func `a single attribute is read without decoding the record`() throws {
    var generator = SplitMix64(seed: 2)
    let record = EveryType.random("r", using: &generator)
    let (bytes, codec) = try row(record)
    let layout = codec.layout
    for (index, attribute) in EveryType.schema.attributes.enumerated() {
      let expected = withUnsafePointer(to: record) { _ in attribute.isNil(record) }
      let range = layout.range(of: index, in: bytes.span.bytes)
      #expect((range == nil) == expected, "\(attribute.name)")
    }
    let index = try #require(layout.entity.index(of: "int64"))
    let found = layout.range(of: index, in: bytes.span.bytes)
    let range = try #require(found)
    let value = AttributeValue(.scalar(.int64), bytes: bytes.span.bytes.extracting(range))
    #expect(value == .int(record.int64))
  }

  @Test func `reading bytes that are no row is safe`() throws {
    var generator = SplitMix64(seed: 3)
    let (bytes, codec) = try row(EveryType.random("r", using: &generator))
    var wholeCount = 0
    for _ in 0..<3000 {
      var mutant = bytes
      for _ in 0...generator.next() % 3 {
        mutant[Int(generator.next() % UInt64(mutant.count))] = UInt8(
          truncatingIfNeeded: generator.next())
      }
      guard let count = codec.layout.rowByteCount(mutant.span.bytes) else { continue }
      wholeCount += 1
      let row = mutant.span.bytes.extracting(0..<count)
      _ = codec.lenientRecord(row)
      for index in codec.layout.fields.indices {
        if let range = codec.layout.range(of: index, in: row) {
          _ = AttributeValue(
            codec.layout.entity.attributes[index].type, bytes: row.extracting(range))
        }
      }
    }
    #expect(wholeCount > 100 && wholeCount < 3000)
  }

  @Test func `a layout is decoded from all of its bytes and from no part`() throws {
    var definition = EveryType.schema.definition
    definition.unique = [["string"], ["int", "uuid"]]
    definition.attributes[3].earlierName = "before"
    definition.attributes[3].inverse = "back"
    let layout = Layout(number: 5, of: definition)
    var buffer = RowBuffer([1, 2, 3])
    layout.append(to: &buffer)
    let bytes = buffer.bytes.span.bytes
    let found = Layout.read(bytes, at: 3)
    let read = try #require(found)
    #expect(read.layout == layout && read.end == bytes.byteCount)
    for length in 3..<bytes.byteCount {
      let isWhole = Layout.read(bytes.extracting(0..<length), at: 3) != nil
      #expect(!isWhole, "\(length) of \(bytes.byteCount) bytes")
    }
  }
}
