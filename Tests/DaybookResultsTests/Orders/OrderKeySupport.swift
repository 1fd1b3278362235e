import DaybookStore
import Testing

@testable import DaybookResults

extension OrderKeyPart {
  /// The part of a key for a value, or for none.
  func key(of value: AttributeValue?) -> [UInt8] {
    var key = RowBuffer()
    append(value, to: &key)
    return key.bytes
  }

  func append(_ value: AttributeValue?, to key: inout RowBuffer) {
    guard let value else { return append(nil as RawSpan?, to: &key) }
    var bytes = RowBuffer()
    value.append(as: .scalar(type), to: &bytes)
    append(bytes.bytes.span.bytes, to: &key)
  }
}

/// Returns -1, 0 or 1 if a run of bytes is before, equal to or after another run.
func compareBytes(_ one: [UInt8], _ other: [UInt8]) -> Int {
  one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
}

/// Checks that the bytes of keys are in the order of a model, for every two of some values.
func expectOrder<Value>(
  of values: [Value], keys: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation,
  _ compare: (Value, Value) -> Int
) {
  var wrong: [String] = []
  for (one, key) in zip(values, keys) {
    for (other, otherKey) in zip(values, keys) {
      if compareBytes(key, otherKey) != compare(one, other) {
        wrong.append("\(one) \(key) beside \(other) \(otherKey)")
      }
    }
  }
  #expect(wrong.count == 0, "\(wrong.prefix(5))", sourceLocation: sourceLocation)
}

/// Hexadecimal digits, two for each byte.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
}

extension AttributeValue {
  /// The bytes of a value in a row.
  func bytes(as type: ScalarType) -> [UInt8] {
    var buffer = RowBuffer()
    append(as: .scalar(type), to: &buffer)
    return buffer.bytes
  }
}
