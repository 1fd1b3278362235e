import DaybookResults
import DaybookSimulation
import DaybookStore
import FoundationEssentials

/// Filters of any form, whether or not an entity has such attributes.
struct RandomFilters {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func number(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  mutating func one<Value>(of values: [Value]) -> Value { values[number(values.count)] }

  mutating func filter(depth: Int) -> Filter {
    switch depth == 0 ? 9 : number(10) {
    case 0: return number(2) == 0 ? .always : .never
    case 1, 2: return !filter(depth: depth - 1)
    case 3, 4: return .all(of: (0...number(3)).map { _ in filter(depth: depth - 1) })
    case 5, 6: return .any(of: (0...number(3)).map { _ in filter(depth: depth - 1) })
    default: return Filter(comparison())
    }
  }

  private mutating func comparison() -> FilterComparison {
    let relation = one(of: FilterRelation.allCases)
    let options = relation.takesOptions ? TextOptions(rawValue: UInt8(number(4))) : []
    let takesList = relation == .isIn || relation == .between
    let quantifier = number(3) == 0 ? one(of: FilterQuantifier.allCases) : nil
    let list = FilterOperand(
      .constant(FilterConstant(.array((0..<number(4)).map { _ in value() }))))
    return FilterComparison(
      operand(), relation: relation, right: takesList ? list : operand(), options: options,
      quantifier: quantifier)
  }

  private mutating func operand() -> FilterOperand {
    let words = [
      "a", "b_2", "in", "Any", "nil", "created at", "a.b", "größe", "\"\\", "id", "@count",
    ]
    let names = (0...number(3)).map { _ in number(2) == 0 ? name() : one(of: words) }
    return switch number(4) {
    case 0: FilterOperand(.count(names))
    case 1: FilterOperand(.constant(FilterConstant(value())))
    default: FilterOperand(.path(names))
    }
  }

  /// Returns a name that an attribute can have.
  mutating func name() -> String {
    let scalars = Array("aB1_ .,:='\"`\\#@%()[]{}<>!&|\n\t\u{1}é\u{301}😀".unicodeScalars)
    var name = String.UnicodeScalarView()
    for _ in 0...number(6) { name.append(one(of: scalars)) }
    return String(name)
  }

  /// Returns a value of any type that a filter can contain.
  mutating func value() -> AttributeValue {
    let bits = generator.next()
    let text = String((0..<number(8)).map { _ in one(of: Array("ab'\"\\\n\té\u{301}😀\u{1}漢 ")) })
    let double = Double(bitPattern: bits)
    let decimal = Decimal(Int64(bitPattern: bits)) / Decimal([1, 10, 1000, 7][number(4)])
    switch number(16) {
    case 0: return .null
    case 1: return .bool(bits & 1 == 0)
    case 2: return .int(Int64(bitPattern: bits))
    case 3: return .uint(bits)
    case 4: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 5: return .double(double)
    case 6: return .double(Double(Int64(bitPattern: bits)) / 1000)
    case 7: return .decimal(decimal)
    case 8: return .date(Date(timeIntervalSinceReferenceDate: Double(bits % 1_000_000_000) / 7))
    case 9: return .data([UInt8](text.utf8))
    case 10: return .url("https://example.org/\(bits)")
    case 11: return .reference(.uint(bits))
    case 12: return .int(Int64(number(10)))
    case 13:
      return .double(
        [0.1, -0.0, 1e22, 1e23, .leastNonzeroMagnitude, .nan, .infinity, 0x1p-30][number(8)])
    default: return .string(text)
    }
  }
}
