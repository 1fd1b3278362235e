import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

/// A transaction has at most one change for each record.
@Suite struct `A record changed twice in one transaction` {
  private static let kinds: [ChangeKind] = [.insert, .update, .delete]

  /// Two changes of one record, and whether the record exists before them.
  struct Pair: CustomTestStringConvertible, Sendable {
    var isPresent: Bool
    var first: ChangeKind
    var second: ChangeKind
    var entity: Int

    var testDescription: String {
      "\(first) and \(second) of a record that is \(isPresent ? "" : "not ")there, entity \(entity)"
    }
  }

  static let pairs: [Pair] = [true, false].flatMap { isPresent in
    kinds.flatMap { first in
      kinds.flatMap { second in
        (0..<3).map { Pair(isPresent: isPresent, first: first, second: second, entity: $0) }
      }
    }
  }

  private static let layouts = [
    EntityDefinition(
      "Int", identifiedBy: .int, attributes: [AttributeDefinition("name", type: .scalar(.string))]),
    EntityDefinition(
      "Text", identifiedBy: .string,
      attributes: [AttributeDefinition("name", type: .scalar(.string))]),
    EntityDefinition(
      "UUID", identifiedBy: .uuid, attributes: [AttributeDefinition("name", type: .scalar(.string))]
    ),
  ].enumerated().map { Layout(number: UInt16($0), of: $1) }

  private static func id(_ number: UInt8, _ entity: Int) -> RecordIdentifier {
    switch entity {
    case 0: .int(Int64(number))
    case 1: .string("\(number)")
    default: .uuid(UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)))
    }
  }

  private static func row(_ number: UInt8, _ entity: Int, _ name: String) -> [UInt8] {
    var buffer = RowBuffer()
    DynamicRecord(layouts[entity].entity.name, id: id(number, entity), values: [.string(name)])
      .append(layouts[entity], to: &buffer)
    return buffer.bytes
  }

  /// Returns a payload with the given changes of record 1 between changes of many other records.
  private static func payload(_ kinds: [ChangeKind], _ pair: Pair, _ isFirst: Bool) -> [UInt8] {
    let others: Range<UInt8> = isFirst ? 10..<40 : 40..<70
    var writer = PayloadWriter(
      layouts: PayloadLayouts(isFirst ? layouts : []), changeCount: kinds.count + others.count)
    let layout = layouts[pair.entity]
    let previous = ChangePosition(sequence: 1, payloadOffset: 0)
    func insertOthers(_ others: Range<UInt8>) {
      for other in others {
        writer.insert(row(other, pair.entity, "other").span.bytes, creation: UInt64(other))
      }
    }
    for (index, kind) in kinds.enumerated() {
      switch kind {
      case .insert: writer.insert(row(1, pair.entity, "\(index)").span.bytes, creation: 1)
      case .update:
        writer.update(
          row(1, pair.entity, "\(index)").span.bytes, creation: 1, after: previous,
          changed: AttributeSet(all: 1))
      case .delete: writer.delete(id(1, pair.entity), in: layout, after: previous)
      }
      if index == 0 { insertOthers(others) }
    }
    if kinds.isEmpty { insertOthers(others) }
    return writer.finish()
  }

  @Test(arguments: pairs)
  func `a transaction that changes a record twice is refused, and salvage omits it`(
    _ pair: Pair
  ) throws {
    try Audit.$isOff.withValue(true) {
      let disk = SimulatedDisk()
      let journal = try FileJournal(at: "j", options: .simulated(disk))
      let first = ChangedTwice.payload(pair.isPresent ? [.insert] : [], pair, true)
      _ = try journal.appendAndWait(first)
      let follower = try Store(following: "j", types: [], options: .simulated(disk))
      let bad = ChangedTwice.payload([pair.first, pair.second], pair, false)
      _ = try journal.appendAndWait(bad)
      _ = try journal.appendAndWait(PayloadWriter(changeCount: 0).finish())
      try journal.closeAndWait()

      let opening = #expect(throws: StoreError.self) {
        try Store(at: "j", types: [], options: .simulated(disk))
      }
      let following = #expect(throws: StoreError.self) { try follower.catchUp() }
      let reading = try? Store(reading: "j", types: [], options: .simulated(disk))
      for error in [opening, following, reading?.readingProblem] {
        guard case .payload(2, _)? = error?.reason else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
      #expect(reading?.snapshot.sequence ?? 1 == 1)

      let report = try Store.salvage(from: "j", to: "s", options: .simulated(disk))
      #expect(report.notUnderstood == [2] && report.transactionCount == 2)
      let saved = try Store(at: "s", types: [], options: .simulated(disk))
      #expect(saved.snapshot.frozen.state.recordCount == (pair.isPresent ? 31 : 30))
      try saved.closeAndWait()
    }
  }
}

private typealias ChangedTwice = `A record changed twice in one transaction`
