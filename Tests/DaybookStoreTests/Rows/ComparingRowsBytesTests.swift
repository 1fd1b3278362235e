import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

@Suite("Comparison of rows") struct ComparingRowsBytesTests {
  private func row(_ record: DynamicRecord, _ layout: Layout) -> [UInt8] {
    var buffer = RowBuffer()
    record.append(layout, to: &buffer)
    return buffer.bytes
  }

  /// Returns whether comparing two rows finds the attributes that single comparisons find.
  private func hold(_ layout: Layout, _ one: [UInt8], _ other: [UInt8]) -> Bool {
    let (old, new) = (one.span.bytes, other.span.bytes)
    let changed = layout.changedAttributes(from: old, to: new)
    let bits = AttributeBits(changed)
    return layout.fields.indices.allSatisfy { index in
      var own = AttributeBits.none
      own.insert(index)
      return changed.contains(index) != layout.isEqual(index, in: old, and: new)
        && (!changed.contains(index) || bits.meets(own))
    }
  }

  @Test func `comparing two rows finds the changed attributes of every type`() throws {
    var generator = SplitMix64(seed: 11)
    let layout = Layout(number: 3, of: EveryType.schema.definition)
    let codec = try RecordCodec<EveryType>([layout])
    func record(_ change: (inout EveryType) -> Void = { _ in }) throws -> DynamicRecord {
      var record = EveryType.random("r", using: &generator)
      change(&record)
      var buffer = RowBuffer()
      codec.append(record, to: &buffer)
      let dynamic = DynamicRecord(buffer.bytes.span.bytes, history: [layout])
      return try #require(dynamic)
    }
    for round in 0..<400 {
      let old = try record()
      let other = try record { if round % 20 == 0 { $0.data = Data(repeating: 7, count: 70_000) } }
      var new = old
      for index in new.values.indices where generator.next() % 8 == 0 {
        new.values[index] = other.values[index]
      }
      #expect(hold(layout, row(old, layout), row(new, layout)), "round \(round)")
    }
  }

  /// More values than one word has bits, some of them empty. One string can lose the bytes that the
  /// next one gains, so the rows may have equal bytes.
  @Test(arguments: [3, 63, 64, 65, 130])
  func `comparing rows distinguishes strings that differ only in their ends`(
    count: Int
  ) {
    var generator = SplitMix64(seed: 12)
    let layout = Layout(
      number: 3,
      of: EntityDefinition(
        "Texts", identifiedBy: .string,
        attributes: (0..<count).map { AttributeDefinition("t\($0)", type: .scalar(.string)) }))
    for round in 0..<200 {
      let texts = ["", "a", "aa", "e\u{301}", "\u{E9}"]
      let old = DynamicRecord(
        "Texts", id: .string("r"),
        values: (0..<count).map { _ in .string(texts[Int(generator.next() % 5)]) })
      var new = old
      for _ in 0...generator.next() % 3 {
        let index = Int(generator.next() % UInt64(count - 1))
        new.values.swapAt(index, index + 1)
      }
      if generator.next() % 4 == 0 {
        new.values[Int(generator.next() % UInt64(count))] = .string("b")
      }
      #expect(hold(layout, row(old, layout), row(new, layout)), "round \(round)")
    }
  }

  @Test func `attribute bits intersect only for shared or high attributes`() {
    for one in 0..<130 {
      var bits = AttributeBits.none
      bits.insert(one)
      #expect(bits.meets(.all) && !bits.meets(.none))
      #expect(bits.meets(.others) == (one >= 63))
      for other in 0..<130 {
        var others = AttributeBits.none
        others.insert(other)
        #expect(bits.meets(others) == (one == other || one >= 63 && other >= 63))
      }
    }
  }
}
