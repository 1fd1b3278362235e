import DaybookResults
import DaybookStore

/// A value by which rows are in order, compared in an obviously right way.
enum ModelValue: Hashable, Comparable {
  case none
  case number(Int)
  case bytes([UInt8])

  static func text(_ text: String?) -> ModelValue {
    text.map { .bytes(NormalizedText.bytes(of: $0)) } ?? .none
  }

  static func < (one: ModelValue, other: ModelValue) -> Bool {
    switch (one, other) {
    case (.none, .none): false
    case (.none, _): true
    case (_, .none): false
    case (.number(let one), .number(let other)): one < other
    case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
    case (.number, .bytes): true
    case (.bytes, .number): false
    }
  }

  /// What a section of this value is called.
  var name: String {
    switch self {
    case .none: ""
    case .number(let number): "\(number)"
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}

/// A row as a model has it: where it stands, and what can be seen of it.
struct ModelRow: Hashable, Comparable {
  var id: Int
  var section: ModelValue
  var order: [ModelValue]
  var creation: UInt64
  var content: AnyHashable
  /// What the row's section is called, if that is not its value.
  var sectionName: String?
  /// What the row's section is in every request that has it, if that matters.
  var sectionIdentity: AnyHashable?

  /// Whether it has the same place in an order.
  func hasSameKey(as other: ModelRow) -> Bool {
    section == other.section && order == other.order && creation == other.creation
  }

  static func < (one: ModelRow, other: ModelRow) -> Bool {
    if one.section != other.section { return one.section < other.section }
    for (one, other) in zip(one.order, other.order) where one != other { return one < other }
    return one.creation < other.creation
  }
}

extension StoreSnapshot {
  /// The creation number of a record.
  func creation(_ entity: String, _ id: Int) -> UInt64 {
    guard let index = frozen.catalog.index(of: entity) else { return 0 }
    let row = frozen.reader.location(of: IdentifierBytes(.int(Int64(id))), in: index)
    return frozen.memory.withBytes(at: row) { Layout.creation(of: $0) }
  }
}
