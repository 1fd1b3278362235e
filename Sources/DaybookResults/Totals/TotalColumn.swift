import DaybookEssentials
import DaybookStore

/// The value of one row that totals read, in the form in which totals add and compare it.
enum TotalCell: Sendable {
  case none
  /// A number, a date or a Boolean value, as an integer of 64 bits. The integers have the order of
  /// the values. The numbers 0.0 and -0.0 have different integers, so the minimum does not depend
  /// on the order of the rows. All NaNs have the same integer, which is greater than that of
  /// infinity.
  case word(UInt64)
  case decimal(PackedDecimal)
  /// A value of any size, and the bytes that sort it.
  indirect case value(AttributeValue, key: [UInt8])

  /// Returns whether a value precedes a second value in the order of sort keys.
  @inline(__always)
  static func isOrdered(_ one: TotalCell, before other: TotalCell) -> Bool {
    switch (one, other) {
    case (.word(let one), .word(let other)): one < other
    case (.decimal(let one), .decimal(let other)): PackedDecimal.isOrdered(one, before: other)
    case (.value(_, let one), .value(_, let other)): one.lexicographicallyPrecedes(other)
    default: false
    }
  }

  /// Returns whether two cells of one column contain the same value.
  func isSame(as other: TotalCell) -> Bool {
    switch (self, other) {
    case (.none, .none): true
    case (.word(let one), .word(let other)): one == other
    case (.decimal(let one), .decimal(let other)): one == other
    case (.value(let one, _), .value(let other, _)): one == other
    default: false
    }
  }
}

/// The reason that a measure cannot be computed.
package struct TotalProblem: Error, Hashable, CustomStringConvertible {
  /// A sentence that follows the name of the measure and a colon.
  package let description: String
}

/// The location and the type of the values that totals read from rows.
//
// A class, so that a copy of a column copies one reference.
private final class TotalSource: Sendable {
  let path: ValuePath
  let type: AttributeType
  private let scalar: ScalarType
  private let read: @Sendable (RowLocation, FrozenState, inout TotalCell) -> Void

  init(_ path: ValuePath, of scalar: ScalarType, in catalog: Catalog) {
    self.path = path
    self.scalar = scalar
    let type: AttributeType =
      if case .reference(let target) = path.end { .reference(target) } else { .scalar(scalar) }
    self.type = type
    let order = OrderKeyPart(scalar, isOptional: false)
    // A reference to a record that does not exist is no value.
    read = RequestedValue.value(path, ReferenceTarget(path, in: catalog)).reader { bytes, cell in
      guard let bytes = copy bytes else { return }
      cell = TotalCell(bytes, type: type, scalar: scalar, order: order)
    }
  }

  var hasNumbers: Bool {
    if case .reference = type { return false }
    return switch scalar {
    case .decimal, .string, .uuid, .data, .url: false
    default: true
    }
  }

  /// Returns the cell of a row.
  func cell(of row: RowLocation, in state: FrozenState) -> TotalCell {
    var cell = TotalCell.none
    read(row, state, &cell)
    return cell
  }
}

extension TotalCell {
  /// Creates the cell of a value that has the encoding of rows.
  @inline(__always)
  fileprivate init(
    _ bytes: RawSpan, type: AttributeType, scalar: ScalarType, order: OrderKeyPart
  ) {
    self = .none
    if let width = scalar.byteCount, bytes.byteCount != width { return }
    if case .reference = type {
      self = .ordered(bytes, type: type, order: order)
      return
    }
    switch scalar {
    case .float:
      let number = Float(bitPattern: bytes.number(at: 0, as: UInt32.self) ?? 0)
      self = .word(OrderWord.exact((number.isNaN ? Float.nan : number).bitPattern))
    case .double, .date:
      let number = Double(bitPattern: bytes.word(at: 0))
      self = .word(OrderWord.exact((number.isNaN ? Double.nan : number).bitPattern))
    case .decimal: if let decimal = PackedDecimal(row: bytes) { self = .decimal(decimal) }
    case .string, .uuid, .data, .url: self = .ordered(bytes, type: type, order: order)
    default: self = .word(OrderWord.word(of: scalar, bytes: bytes))
    }
  }

  private static func ordered(
    _ bytes: RawSpan, type: AttributeType, order: OrderKeyPart
  ) -> TotalCell {
    guard let value = AttributeValue(type, bytes: bytes) else { return .none }
    var key = RowBuffer()
    order.append(bytes, to: &key)
    return .value(value, key: Array(key.room[..<key.count]))
  }
}

/// An attribute that totals read from each row, and whether a measure needs its sum, or its minimum
/// or maximum.
struct TotalColumn: Sendable {
  /// The kind of the numbers that are added.
  enum Arithmetic: Sendable {
    case integer
    case floating
    case decimal
  }

  private let source: TotalSource
  /// The type of the values; for references, that of the identifiers.
  let scalar: ScalarType
  /// Nil if the values are not numbers.
  let arithmetic: Arithmetic?
  /// Boolean values that indicate whether a measure needs the sum, and whether a measure needs the
  /// minimum or the maximum.
  private(set) var (isSummed, isOrdered) = (false, false)

  init(_ path: ValuePath, in catalog: Catalog) throws(TotalProblem) {
    guard let scalar = path.end.scalarType else {
      throw TotalProblem(
        description: "a total needs a single value; the type \(path.end.typeName) has several.")
    }
    source = TotalSource(path, of: scalar, in: catalog)
    self.scalar = scalar
    if case .reference = path.end {
      arithmetic = nil
      return
    }
    arithmetic =
      switch scalar {
      case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .integer
      case .float, .double: .floating
      case .decimal: .decimal
      case .bool, .string, .date, .uuid, .data, .url: nil
      }
  }

  var path: ValuePath { source.path }

  /// A Boolean value that indicates whether each cell of the column is none or a word.
  var hasNumbers: Bool { source.hasNumbers }

  /// Adds the needs of a measure.
  mutating func serve(_ function: TotalFunction) throws(TotalProblem) {
    switch function {
    case .count, .distinct: break
    case .minimum, .maximum: isOrdered = true
    case .sum, .average:
      guard arithmetic != nil else {
        let noun = function == .sum ? "a sum" : "an average"
        throw TotalProblem(
          description: "\(noun) needs numbers; the type is \(path.end.typeName).")
      }
      isSummed = true
    }
  }

  // MARK: Values

  /// Returns the cell of a row. A reference to a record that does not exist is no value.
  func cell(of row: RowLocation, in state: FrozenState) -> TotalCell {
    source.cell(of: row, in: state)
  }

  /// Returns the value in a cell.
  func value(_ cell: TotalCell) -> TotalValue {
    switch cell {
    case .none: .null
    case .decimal(let number): .value(.decimal(number.decimal))
    case .value(let value, _): .value(value)
    case .word(let word): .value(value(word))
    }
  }

  private func value(_ word: UInt64) -> AttributeValue {
    switch scalar {
    case .bool: .bool(word != 0)
    case .float: .float(Float(bitPattern: OrderWord.bits(ofExact: word)))
    case .double: .double(double(word))
    case .date: .date(Date(timeIntervalSinceReferenceDate: double(word)))
    case .uint8, .uint16, .uint32, .uint64: .uint(word)
    default: .int(Int64(integer(word)))
    }
  }

  @inline(__always)
  private func double(_ word: UInt64) -> Double {
    Double(bitPattern: OrderWord.bits(ofExact: word))
  }

  @inline(__always)
  private func integer(_ word: UInt64) -> Int128 { Int128(word) - wordOfZero }

  /// The word of the integer 0.
  private var wordOfZero: Int128 {
    switch scalar {
    case .int64: 1 << 63
    case .int8: 1 << 7
    case .int16: 1 << 15
    case .int32: 1 << 31
    default: 0
    }
  }

  /// Returns the sum of integers, from the sum and the number of their words; 0 if the column is
  /// not summed.
  @inline(__always)
  func sum(ofWords sum: UInt128, count: Int) -> FixedSum {
    FixedSum(integer: isSummed ? Int128(sum) - Int128(count) * wordOfZero : 0)
  }

  /// Adds a number to a sum.
  @inline(__always)
  func add(_ cell: TotalCell, to sum: inout ExactSum) {
    switch cell {
    case .word(let word):
      switch scalar {
      case .double: sum.add(double(word))
      case .float: sum.add(Double(Float(bitPattern: OrderWord.bits(ofExact: word))))
      default: sum.add(integer(word))
      }
    case .decimal(let number): sum.add(number)
    case .none, .value: break
    }
  }
}
