import DaybookResults
import DaybookStore

/// A sort value that is compared by a simple model.
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

  /// The name of a section with this value.
  var name: String {
    switch self {
    case .none: ""
    case .number(let number): "\(number)"
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}

/// A row of the model: its position, and its visible contents.
struct ModelRow: Hashable, Comparable {
  var id: Int
  var section: ModelValue
  var order: [ModelValue]
  var creation: UInt64
  var content: AnyHashable
  /// The name of the row's section, if it differs from the value.
  var sectionName: String?
  /// The identity of the row's section in every request, if it matters.
  var sectionIdentity: AnyHashable?

  /// Returns whether another row has the same position in the sort order.
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
