import DaybookStore
@testable import DaybookSimulation
import FoundationEssentials

/// Values of each type: the ends of its range, their neighbors, and many others.
enum ValueCrowds {
  static func values(_ type: ScalarType, seed: UInt64) -> [AttributeValue] {
    var generator = SplitMix64(seed: seed)
    switch type {
    case .bool: return [.bool(false), .bool(true)]
    case .int8: return integers(Int8.self, &generator)
    case .int16: return integers(Int16.self, &generator)
    case .int32: return integers(Int32.self, &generator)
    case .int64: return integers(Int64.self, &generator)
    case .uint8: return integers(UInt8.self, &generator)
    case .uint16: return integers(UInt16.self, &generator)
    case .uint32: return integers(UInt32.self, &generator)
    case .uint64: return integers(UInt64.self, &generator)
    case .float: return floats(&generator).map { .float($0) }
    case .double: return doubles(&generator).map { .double($0) }
    case .date:
      return doubles(&generator).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal: return decimals(&generator).map { .decimal($0) }
    case .string: return HostileTexts.texts(60, seed: seed).map { .string($0) }
    case .url: return HostileTexts.texts(60, seed: seed).map { .url($0) }
    case .uuid:
      return (0..<30).map { round in
        var bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        if round % 3 > 0 { for place in 0..<8 { bytes[place] = 0 } }
        if round % 3 > 1 { for place in 8..<15 { bytes[place] = 0xFF } }
        return AttributeValue(.scalar(.uuid), bytes: bytes.span.bytes) ?? .null
      }
    case .data:
      return [.data([])]
        + (0..<80).map { round in
          .data(
            (0..<generator.below(round % 7 == 0 ? 40 : 4)).map { _ in
              [0, 0, 1, 0xFE, 0xFF][generator.below(5)]
            })
        }
    }
  }

  private static func integers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type, _ generator: inout SplitMix64
  ) -> [AttributeValue] {
    var numbers: [Number] = [.min, .min + 1, .max, .max - 1, 0, 1, 2, 100]
    if Number.isSigned { numbers += [0 &- 1, 0 &- 2] }
    numbers += (0..<40).map { _ in
      Number(truncatingIfNeeded: generator.next()) >> Number(generator.below(Number.bitWidth))
    }
    return numbers.map {
      Number.isSigned ? .int(Int64(truncatingIfNeeded: $0)) : .uint(UInt64(truncatingIfNeeded: $0))
    }
  }

  private static func doubles(_ generator: inout SplitMix64) -> [Double] {
    [
      0.0, -0.0, 1, -1, .nan, -.nan, Double(bitPattern: 0x7FF0_0000_0000_0001), .infinity,
      -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
      -.leastNonzeroMagnitude, .leastNormalMagnitude, -.leastNormalMagnitude, 0.1, 0.5, 1e15, -1e15,
      5e11, -63_114_076_800,
    ] + (0..<40).map { _ in Double(bitPattern: generator.next()) }
      + (0..<20).map { _ in Double(Int64(bitPattern: generator.next()) >> 40) / 16 }
  }

  private static func floats(_ generator: inout SplitMix64) -> [Float] {
    [
      0.0, -0.0, 1, -1, .nan, -.nan, Float(bitPattern: 0x7F80_0001), .infinity, -.infinity,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
      -.leastNonzeroMagnitude, .leastNormalMagnitude, -.leastNormalMagnitude,
    ] + (0..<60).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())) }
  }

  private static func decimals(_ generator: inout SplitMix64) -> [Decimal] {
    let texts = [
      "0", "1", "-1", "0.1", "-0.1", "0.10", "1.0", "10", "100", "1e2", "99.99", "1e127", "-1e127",
      "1e-128", "-1e-128", "340282366920938463463374607431768211455",
      "-340282366920938463463374607431768211455", "340282366920938463463374607431768211455e127",
      "-340282366920938463463374607431768211455e127", "12345678901234567890.5",
      "99999999999999999999999999999999999999", "1e38", "1e165", "NaN",
    ]
    return texts.compactMap { try? DecimalText.decimal($0) }
      + (0..<50).map { round in
        Decimal(
          sign: generator.below(2) == 0 ? .plus : .minus,
          exponent: round % 5 == 0 ? generator.below(200) - 100 : generator.below(6) - 4,
          significand: Decimal(generator.next() >> UInt64(generator.below(64))))
      }
  }
}
