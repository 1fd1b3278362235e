import DaybookStore

/// What kind of values one side of a comparison has: two of a kind are compared.
enum FilterKind: Hashable {
  case bool
  /// Of whatever type: numbers compare by value.
  case number
  /// Texts, and the texts of URLs.
  case text
  case date
  case uuid
  case data

  /// The kind of a scalar.
  init(_ type: ScalarType) {
    self =
      switch type {
      case .bool: .bool
      case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
        .decimal:
        .number
      case .string, .url: .text
      case .date: .date
      case .uuid: .uuid
      case .data: .data
      }
  }

  /// The kind of a constant as it stands alone; nil for nil, which is compared with every kind.
  init?(_ constant: FilterConstant) {
    switch constant.value {
    case .bool: self = .bool
    case .string: self = .text
    case .null, .array: return nil
    default: self = .number
    }
  }
}
