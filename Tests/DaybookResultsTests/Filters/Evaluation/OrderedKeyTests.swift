import DaybookEssentials
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `Ordered keys` {
  /// Returns numbers of all types: some at the limits of types, some near others, and some drawn.
  private func numbers(_ random: inout SplitMix64) -> [AttributeValue] {
    let doubles: [Double] = [
      0, -0.0, 1, -1, 1.5, 0.1, .leastNonzeroMagnitude, .leastNormalMagnitude,
      .greatestFiniteMagnitude, .infinity, -.infinity, .nan, 0x1p53, 0x1p53 + 2, 0x1p63, 0x1p64,
      -0x1p63, 127, 128, -128, -129, 255, 256,
    ]
    let integers: [Int64] = [0, 1, -1, 127, 128, .max, .min, 1 << 53, 1 << 53 + 1, -1 << 53 - 1]
    var values: [AttributeValue] = doubles.map { .double($0) }
    values += integers.map { .int($0) }
    values += [.uint(.max), .uint(1 << 63), .float(0.1), .float(-2.5), .float(.nan)]
    values += [.decimal(Decimal(1) / 10), .decimal(-3), .decimal(Decimal(5) / 2)]
    for _ in 0..<20 {
      let word = random.next()
      values += [
        .double(Double(bitPattern: word)), .int(Int64(bitPattern: word) >> Int64(word % 64)),
        .uint(word >> (word % 64)), .double(Double(random.below(1000)) / 8 - 60),
      ]
    }
    return values
  }

  /// Returns the first key of a type that is not below a number, and its neighbors.
  private func keys(_ type: ScalarType, near value: AttributeValue) -> [UInt64] {
    guard let number = ExactNumber(value),
      let range = OrderedKey.range(of: type, .greaterOrEqual, to: number)
    else { return [.max] }
    let key = range.lowerBound
    return [key &- 2, key &- 1, key, key &+ 1, key &+ 2]
  }

  private func number(_ type: ScalarType, bytes: [UInt8]) -> ExactNumber? {
    AttributeValue(type == .date ? .scalar(.double) : .scalar(type), bytes: bytes.span.bytes)
      .flatMap { ExactNumber($0) }
  }

  @Test(arguments: 0..<UInt64(FaultRow.count(4, full: 200, least: 2)))
  func `a range of keys contains the values that have the relation`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let types: [ScalarType] = [
      .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .date,
    ]
    let numbers = numbers(&random)
    for type in types {
      for constant in numbers {
        guard let wanted = ExactNumber(constant) else { continue }
        for key in keys(type, near: constant) + keys(type, near: numbers[0]) {
          // Not every key is that of a value of the type.
          let bytes = OrderedKey.rowBytes(type, nearest: key)
          guard let value = number(type, bytes: bytes),
            let valueKey = OrderedKey.key(type, bytes: bytes.span.bytes)
          else { continue }
          let order = ExactNumber.compare(value, to: wanted)
          for (relation, holds) in [
            (FilterRelation.less, order < 0), (.lessOrEqual, order <= 0), (.equal, order == 0),
            (.greaterOrEqual, order >= 0), (.greater, order > 0),
          ] {
            let range = OrderedKey.range(of: type, relation, to: wanted)
            #expect(
              (range?.contains(valueKey) ?? false) == holds,
              "\(type) \(value) \(relation.rawValue) \(constant)")
          }
        }
      }
    }
  }
}
