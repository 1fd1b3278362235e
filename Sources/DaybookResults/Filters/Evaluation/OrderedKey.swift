import DaybookStore

/// The conversion of values of at most 64 bits to whole numbers, called *keys*, that have the same
/// order. A comparison with a constant is compiled to a range of keys, so that one test works for
/// all these types. For example, `age > 17` becomes the range from the key of 18 to the greatest
/// key.
///
/// 0.0 and -0.0 are equal values with adjacent keys, and a range contains both or neither. NaN has
/// the greatest key.
enum OrderedKey {
  /// Returns whether the values of a type have keys.
  static func has(_ type: ScalarType) -> Bool {
    switch type {
    case .decimal, .string, .uuid, .data, .url: false
    default: true
    }
  }

  @inline(__always)
  static func key(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ (1 << 63) }

  @inline(__always)
  static func key(_ number: Double) -> UInt64 {
    number.isNaN ? .max : OrderWord.exact(number.bitPattern)
  }

  /// Returns the key of an attribute of a row; nil if the row has no value.
  @inline(__always)
  static func key(of path: AttributePath, type: ScalarType, in row: RawSpan) -> UInt64? {
    switch type {
    case .int64: path.number(in: row, as: Int64.self).map { key($0) }
    case .double, .date: path.double(in: row).map { key($0) }
    case .bool: path.number(in: row, as: UInt8.self).map { $0 == 0 ? 0 : 1 }
    case .int32: path.number(in: row, as: Int32.self).map { key(Int64($0)) }
    case .int16: path.number(in: row, as: Int16.self).map { key(Int64($0)) }
    case .int8: path.number(in: row, as: Int8.self).map { key(Int64($0)) }
    case .uint64: path.number(in: row, as: UInt64.self)
    case .uint32: path.number(in: row, as: UInt32.self).map { UInt64($0) }
    case .uint16: path.number(in: row, as: UInt16.self).map { UInt64($0) }
    case .uint8: path.number(in: row, as: UInt8.self).map { UInt64($0) }
    case .float:
      path.number(in: row, as: UInt32.self).map { key(Double(Float(bitPattern: $0))) }
    case .decimal, .string, .uuid, .data, .url: nil
    }
  }

  /// Returns the key of the value in some bytes; nil if the byte count does not fit the type.
  static func key(_ type: ScalarType, bytes: RawSpan) -> UInt64? {
    switch type {
    case .int64: bytes.wholeNumber(as: Int64.self).map { key($0) }
    case .double, .date:
      bytes.wholeNumber(as: UInt64.self).map { key(Double(bitPattern: $0)) }
    case .bool: bytes.wholeNumber(as: UInt8.self).map { $0 == 0 ? 0 : 1 }
    case .int32: bytes.wholeNumber(as: Int32.self).map { key(Int64($0)) }
    case .int16: bytes.wholeNumber(as: Int16.self).map { key(Int64($0)) }
    case .int8: bytes.wholeNumber(as: Int8.self).map { key(Int64($0)) }
    case .uint64: bytes.wholeNumber(as: UInt64.self)
    case .uint32: bytes.wholeNumber(as: UInt32.self).map { UInt64($0) }
    case .uint16: bytes.wholeNumber(as: UInt16.self).map { UInt64($0) }
    case .uint8: bytes.wholeNumber(as: UInt8.self).map { UInt64($0) }
    case .float: bytes.wholeNumber(as: UInt32.self).map { key(Double(Float(bitPattern: $0))) }
    case .decimal, .string, .uuid, .data, .url: nil
    }
  }

  /// Returns the number with a key.
  private static func number(_ type: ScalarType, key: UInt64) -> ExactNumber {
    switch type {
    case .float, .double, .date:
      if key > OrderedKey.key(.infinity) { return .notANumber }
      return ExactNumber(Double(bitPattern: OrderWord.bits(ofExact: key)))
    case .int8, .int16, .int32, .int64:
      return ExactNumber(.int(Int64(bitPattern: key ^ (1 << 63)))) ?? .notANumber
    default: return ExactNumber(.uint(key)) ?? .notANumber
    }
  }

  /// Returns the first key of a type that is not below a number, and the first key above the
  /// number; nil for a key that does not exist.
  ///
  /// If the type has the number, the two keys are next to its key. Otherwise a binary search over
  /// the keys finds them. The numbers are compared exactly, so a value of any type is compared with
  /// a number of any other type without rounding.
  private static func boundaries(
    of type: ScalarType, at number: ExactNumber
  ) -> (notBelow: UInt64?, above: UInt64?) {
    let isFloating = type == .float || type == .double || type == .date
    let least = isFloating ? key(-Double.infinity) : 0
    func isEqual(_ key: UInt64) -> Bool {
      ExactNumber.compare(self.number(type, key: key), to: number) == 0
    }
    if let key = likelyKey(of: number, isFloating: isFloating, type: type), isEqual(key) {
      // Only the two zeros are equal and have different keys.
      var (first, last) = (key, key)
      while first > least, isEqual(first - 1) { first -= 1 }
      while last < .max, isEqual(last + 1) { last += 1 }
      return (first, last == .max ? nil : last + 1)
    }
    func first(_ predicate: (Int) -> Bool) -> UInt64? {
      var (low, high) = (least, UInt64.max)
      guard predicate(ExactNumber.compare(self.number(type, key: high), to: number)) else {
        return nil
      }
      while low < high {
        let middle = low + (high - low) / 2
        if predicate(ExactNumber.compare(self.number(type, key: middle), to: number)) {
          high = middle
        } else {
          low = middle + 1
        }
      }
      return low
    }
    return (first { $0 >= 0 }, first { $0 > 0 })
  }

  /// Returns the key of a finite number, if the type probably has the number.
  private static func likelyKey(
    of number: ExactNumber, isFloating: Bool, type: ScalarType
  ) -> UInt64? {
    guard case .finite(let isNegative, let digits, let twos, tens: 0) = number,
      digits >> 64 == 0
    else { return nil }
    let magnitude = UInt64(digits)
    if isFloating {
      return key(
        Double(
          sign: isNegative ? .minus : .plus, exponent: twos, significand: Double(magnitude)))
    }
    guard twos == 0 else { return nil }
    switch type {
    case .int8, .int16, .int32, .int64:
      guard let value = Int64(exactly: magnitude) else { return nil }
      return key(isNegative ? -value : value)
    default: return isNegative ? nil : magnitude
    }
  }

  /// Returns the range of the keys with values that have a relation to a number; for `!=`, the
  /// range of the keys with equal values. Nil for an empty range.
  static func range(
    of type: ScalarType, _ relation: FilterRelation, to number: ExactNumber
  ) -> ClosedRange<UInt64>? {
    let (notBelow, above) = boundaries(of: type, at: number)
    func upTo(_ end: UInt64?) -> ClosedRange<UInt64>? {
      guard let end else { return 0...UInt64.max }
      return end == 0 ? nil : 0...end - 1
    }
    func from(_ begin: UInt64?) -> ClosedRange<UInt64>? { begin.map { $0...UInt64.max } }
    switch relation {
    case .less: return upTo(notBelow)
    case .lessOrEqual: return upTo(above)
    case .greater: return from(above)
    case .greaterOrEqual: return from(notBelow)
    default:
      guard let notBelow, notBelow != above else { return nil }
      return notBelow...(above.map { $0 - 1 } ?? .max)
    }
  }
}
