import Daybook
import FoundationEssentials
import Testing

/// A type that can identify a record, with one identifier for each number.
protocol NumberedIdentifier: RecordIdentifying {
  static func number(_ number: Int) -> Self
}

extension NumberedIdentifier where Self: FixedWidthInteger {
  static func number(_ number: Int) -> Self {
    isSigned && number % 2 == 1 ? 0 - Self(number / 2 % 100) - 1 : Self(number / 2 % 100)
  }
}

extension Int: NumberedIdentifier {}
extension Int8: NumberedIdentifier {}
extension Int64: NumberedIdentifier {}
extension UInt: NumberedIdentifier {
  static func number(_ number: Int) -> UInt { UInt.max - UInt(number) }
}
extension UInt16: NumberedIdentifier {
  static func number(_ number: Int) -> UInt16 { UInt16(number) }
}
extension UInt64: NumberedIdentifier {
  static func number(_ number: Int) -> UInt64 { UInt64.max - UInt64(number) }
}
extension String: NumberedIdentifier {
  static func number(_ number: Int) -> String { "text \(number)" }
}
extension UUID: NumberedIdentifier {
  static func number(_ number: Int) -> UUID {
    UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number)))
  }
}

struct Identified<ID: NumberedIdentifier>: Record {
  var id = ID.number(0)
  var rank = 0
  static var schema: RecordSchema<Identified> {
    RecordSchema<Identified>("Identified").attribute("rank", at: \.rank)
  }
}

@Suite struct `The identifiers of a list` {
  /// They are those of its records, in their order, whether there are few or many.
  private func hold<ID: NumberedIdentifier>(_ type: ID.Type) async throws {
    let store = try Store.inMemory(types: [Identified<ID>.self])
    let count = 150
    let records = (0..<count).map { Identified(id: ID.number($0), rank: $0 * 7 % count) }
    try await store.insert(contentsOf: records)
    for limit in [1, 2, count] {
      let request = ListRequest<Identified<ID>>(
        sortedBy: [.ascending(\Identified<ID>.rank)], limit: limit)
      let objects = try store.snapshot.fetch(request)
      #expect(objects.identifiers == objects.map(\.id), "\(type), \(limit)")
      #expect(objects.identifiers.count == limit, "\(type), \(limit)")
    }
  }

  @Test func `lists are typed by their records`() async throws {
    try await hold(Int.self)
    try await hold(Int8.self)
    try await hold(Int64.self)
    try await hold(UInt.self)
    try await hold(UInt64.self)
    try await hold(UInt16.self)
    try await hold(String.self)
    try await hold(UUID.self)
  }
}
