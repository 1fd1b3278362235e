import DaybookStore

/// The values of one attribute that a condition of a filter lets through, as parts of keys.
///
/// The keys can contain a few more rows than the condition: the filter is applied to each row that
/// an index leads to. They contain every row that meets the condition.
enum AllowedValues: Hashable {
  /// One value. The rows that have it have equal parts in their keys.
  case one([UInt8])
  case range(KeyRange)
}

extension OrderKeyPart {
  /// Returns the values that pass a test; nil if they are not adjacent in the order of the keys.
  func values(passing test: ValueTest) -> AllowedValues? {
    if test.nilResult {
      guard isOptional, case .constant(false) = test.question else { return nil }
      return .one(bytes(nil))
    }
    switch test.question {
    case .key(let type, let keys, isInside: true):
      guard type == self.type else { return nil }
      let first = bytes(OrderedKey.rowBytes(type, nearest: keys.lowerBound))
      let last = bytes(OrderedKey.rowBytes(type, nearest: keys.upperBound))
      if first == last { return .one(first) }
      return .range(KeyRange(start: first, end: KeyRange.end(ofKeysStartingWith: last)))
    case .decimal(let relation, let number): return values(relation, to: number.bytes)
    case .bytes(let relation, let value): return values(relation, to: value)
    case .text(let stringTest) where stringTest.options.isEmpty:
      switch stringTest.question {
      case .compares(let relation, let value): return values(relation, to: value)
      case .beginsWith(let start):
        // The bytes end with those of the terminator, which a longer string does not have there.
        return .range(KeyRange(startingWith: Array(bytes(start).dropLast(2))))
      default: return nil
      }
    case .all(let tests): return values(passing: tests)
    default: return nil
    }
  }

  /// Returns a value or a range that contains all values that pass all tests. Tests whose values
  /// are not adjacent are ignored. Returns nil if all tests are ignored.
  func values(passing tests: [ValueTest]) -> AllowedValues? {
    var common: KeyRange?
    for test in tests {
      switch values(passing: test) {
      case .one(let value): return .one(value)
      case .range(let range): common = common?.intersection(range) ?? range
      case nil: break
      }
    }
    return common.map { .range($0) }
  }

  private func values(_ relation: FilterRelation, to value: [UInt8]) -> AllowedValues? {
    let bytes = bytes(value)
    let end = KeyRange.end(ofKeysStartingWith: bytes)
    switch relation {
    case .equal: return .one(bytes)
    case .less: return .range(KeyRange(start: least, end: bytes))
    case .lessOrEqual: return .range(KeyRange(start: least, end: end))
    case .greater: return end.map { .range(KeyRange(start: $0)) }
    case .greaterOrEqual: return .range(KeyRange(start: bytes))
    default: return nil
    }
  }

  /// The smallest part of a key for a value that is not nil; empty if the attribute is not
  /// optional.
  private var least: [UInt8] {
    isOptional ? KeyRange.end(ofKeysStartingWith: bytes(nil)) ?? [] : []
  }

  /// Returns the part of a key for a value that is encoded as in a row. The parameter is nil for a
  /// row without a value.
  func bytes(_ value: [UInt8]?) -> [UInt8] {
    var buffer = RowBuffer()
    if let value {
      append(value.span.bytes, to: &buffer)
    } else {
      append(nil, to: &buffer)
    }
    return buffer.bytes
  }
}

extension OrderedKey {
  /// Returns the bytes of a row for the value with a key, or for the nearest value of the type.
  static func rowBytes(_ type: ScalarType, nearest key: UInt64) -> [UInt8] {
    let signed = Int64(bitPattern: key ^ (1 << 63))
    switch type {
    case .bool: return [key == 0 ? 0 : 1]
    case .int8: return bytes(Int8(clamping: signed))
    case .int16: return bytes(Int16(clamping: signed))
    case .int32: return bytes(Int32(clamping: signed))
    case .int64: return bytes(signed)
    case .uint8: return bytes(UInt8(clamping: key))
    case .uint16: return bytes(UInt16(clamping: key))
    case .uint32: return bytes(UInt32(clamping: key))
    case .uint64: return bytes(key)
    case .double, .date: return bytes(number(nearest: key).bitPattern)
    case .float: return bytes(Float(number(nearest: key)).bitPattern)
    case .decimal, .string, .uuid, .data, .url:
      preconditionFailure("a \(type) has no ordered key")
    }
  }

  private static func number(nearest key: UInt64) -> Double {
    if key > self.key(.infinity) { return .nan }
    return Double(bitPattern: OrderWord.bits(ofExact: max(key, self.key(-.infinity))))
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
  }
}
