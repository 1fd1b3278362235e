import DaybookEssentials

extension AttributeRepresentable where Self: FixedWidthInteger & BitwiseCopyable {
  /// Appends the integer.
  @inlinable
  public func _append(to buffer: inout RowBuffer) { buffer.append(self) }
  /// Creates the integer from its bytes; nil if the number of bytes differs from the integer's
  /// width.
  @inlinable
  public init?(_row bytes: RawSpan) {
    guard let number = bytes.wholeNumber(as: Self.self) else { return nil }
    self = number
  }
}

extension Int8: ScalarRepresentable, ElementRepresentable {
  /// `int8`
  public static var _scalarType: ScalarType { .int8 }
}
extension Int16: ScalarRepresentable, ElementRepresentable {
  /// `int16`
  public static var _scalarType: ScalarType { .int16 }
}
extension Int32: ScalarRepresentable, ElementRepresentable {
  /// `int32`
  public static var _scalarType: ScalarType { .int32 }
}
extension Int64: ScalarRepresentable, ElementRepresentable {
  /// `int64`
  public static var _scalarType: ScalarType { .int64 }
}
extension Int: ScalarRepresentable, ElementRepresentable {
  /// `int64`
  public static var _scalarType: ScalarType { .int64 }
}
extension UInt8: ScalarRepresentable, ElementRepresentable {
  /// `uint8`
  public static var _scalarType: ScalarType { .uint8 }
}
extension UInt16: ScalarRepresentable, ElementRepresentable {
  /// `uint16`
  public static var _scalarType: ScalarType { .uint16 }
}
extension UInt32: ScalarRepresentable, ElementRepresentable {
  /// `uint32`
  public static var _scalarType: ScalarType { .uint32 }
}
extension UInt64: ScalarRepresentable, ElementRepresentable {
  /// `uint64`
  public static var _scalarType: ScalarType { .uint64 }
}
extension UInt: ScalarRepresentable, ElementRepresentable {
  /// `uint64`
  public static var _scalarType: ScalarType { .uint64 }
}

extension Bool: ScalarRepresentable, ElementRepresentable {
  /// `bool`
  public static var _scalarType: ScalarType { .bool }
  /// Appends 1 or 0.
  @inlinable
  public func _append(to buffer: inout RowBuffer) { buffer.append(self ? 1 : 0 as UInt8) }
  /// Creates a Boolean from one byte: true if the byte is not 0.
  @inlinable
  public init?(_row bytes: RawSpan) {
    guard let byte = bytes.wholeNumber(as: UInt8.self) else { return nil }
    self = byte != 0
  }
}

extension Float: ScalarRepresentable, ElementRepresentable {
  /// `float`
  public static var _scalarType: ScalarType { .float }
  /// Appends the bit pattern.
  @inlinable
  public func _append(to buffer: inout RowBuffer) { buffer.append(bitPattern) }
  /// Creates the number whose bit pattern is in the bytes.
  @inlinable
  public init?(_row bytes: RawSpan) {
    guard let bits = bytes.wholeNumber(as: UInt32.self) else { return nil }
    self.init(bitPattern: bits)
  }
}

extension Double: ScalarRepresentable, ElementRepresentable {
  /// `double`
  public static var _scalarType: ScalarType { .double }
  /// Appends the bit pattern.
  @inlinable
  public func _append(to buffer: inout RowBuffer) { buffer.append(bitPattern) }
  /// Creates the number whose bit pattern is in the bytes.
  @inlinable
  public init?(_row bytes: RawSpan) {
    guard let bits = bytes.wholeNumber(as: UInt64.self) else { return nil }
    self.init(bitPattern: bits)
  }
}

extension String: ScalarRepresentable, ElementRepresentable {
  /// `string`
  public static var _scalarType: ScalarType { .string }
  /// Creates a string from UTF-8 bytes. Each invalid sequence becomes U+FFFD, the replacement
  /// character.
  @inlinable
  public init?(_row bytes: RawSpan) { self = RowText.text(bytes) }
  /// Appends the string in UTF-8, without normalization.
  @inlinable
  public func _append(to buffer: inout RowBuffer) { buffer.append(self) }
}

extension Date: ScalarRepresentable, ElementRepresentable {
  /// `date`
  public static var _scalarType: ScalarType { .date }
  /// Appends the seconds since the start of 2001 in UTC, as the bit pattern of a `Double`.
  public func _append(to buffer: inout RowBuffer) { buffer.append(bits) }
  /// Creates a date from the seconds since the start of 2001 in UTC.
  public init?(_row bytes: RawSpan) {
    guard let seconds = Double(_row: bytes) else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

extension UUID: ScalarRepresentable, ElementRepresentable {
  /// `uuid`
  public static var _scalarType: ScalarType { .uuid }
  /// Appends the 16 bytes.
  public func _append(to buffer: inout RowBuffer) {
    withUnsafeBytes(of: uuid) { buffer.append($0) }
  }
  /// Creates a UUID from its 16 bytes.
  public init?(_row bytes: RawSpan) {
    guard bytes.byteCount == 16 else { return nil }
    self.init(uuid: bytes.unsafeLoadUnaligned(as: uuid_t.self))
  }
}

extension Data: ScalarRepresentable, ElementRepresentable {
  /// `data`
  public static var _scalarType: ScalarType { .data }
  /// Appends the bytes.
  public func _append(to buffer: inout RowBuffer) { withUnsafeBytes { buffer.append($0) } }
  /// Creates data from bytes.
  public init?(_row bytes: RawSpan) { self = bytes.withUnsafeBytes { Data($0) } }
}

extension URL: ScalarRepresentable, ElementRepresentable {
  /// `url`
  public static var _scalarType: ScalarType { .url }
  /// Appends the absolute string of the URL.
  public func _append(to buffer: inout RowBuffer) { buffer.append(absoluteString) }
  /// Creates a URL from its string; nil if the string is not a URL.
  public init?(_row bytes: RawSpan) { self.init(string: RowText.text(bytes)) }
}

extension Decimal: ScalarRepresentable, ElementRepresentable {
  /// `decimal`
  public static var _scalarType: ScalarType { .decimal }
  /// Appends the number in the form of ``PackedDecimal``. Equal numbers have equal bytes in this
  /// form.
  public func _append(to buffer: inout RowBuffer) { buffer.append(PackedDecimal(self).bytes) }
  /// Creates a number from its packed form.
  public init?(_row bytes: RawSpan) {
    guard let low = bytes.number(at: 0, as: UInt64.self),
      let high = bytes.number(at: 8, as: UInt64.self),
      let tail = bytes.number(at: 16, as: UInt32.self), bytes.byteCount == PackedDecimal.byteCount
    else { return nil }
    self = PackedDecimal(low: low, high: high, tail: tail).decimal
  }
}
