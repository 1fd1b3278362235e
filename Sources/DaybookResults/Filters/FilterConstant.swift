import DaybookStore
import DaybookEssentials

/// A constant of a filter, in a form that the filter language can write.
///
/// | given                   | stored as                                                          |
/// | ----------------------- | ------------------------------------------------------------------ |
/// | a number                | the first of Int64, UInt64, Decimal and Double that is equal to it |
/// | NaN and the infinities  | the strings `NaN`, `Infinity`, `-Infinity`                         |
/// | a date, UUID, data, URL | its string in a text journal                                       |
/// | a reference             | the number or the string of the identifier                         |
///
/// So a filter that is created in code equals the filter that is read from its text. The stored
/// form does not contain the type of the constant, such as a date. The type of the compared
/// attribute determines it again.
package struct FilterConstant: Hashable, Sendable {
  /// Null, a Bool, a number, a string, or a list of these.
  package let value: AttributeValue

  package static let null = FilterConstant(.null)

  package init(_ value: AttributeValue) {
    self.value = FilterConstant.stored(value)
  }

  /// Returns the stored form of a value.
  private static func stored(_ value: AttributeValue) -> AttributeValue {
    switch value {
    case .null, .bool, .int, .string: value
    case .uint, .float, .double, .decimal:
      ExactNumber(value).flatMap { stored($0) } ?? widened(value)
    case .date(let date): .string(DateText.text(of: date))
    case .uuid(let uuid): .string(UUIDText.text(of: uuid))
    case .data(let bytes): .string(Base64Text.text(of: bytes))
    case .url(let string): .string(string)
    case .reference(.int(let number)): .int(number)
    case .reference(.uint(let number)): stored(.uint(number))
    case .reference(.string(let string)): .string(string)
    case .reference(.uuid(let uuid)): .string(UUIDText.text(of: uuid))
    case .array(let values): .array(values.map { stored($0) })
    }
  }

  /// Returns the stored form of a number; nil if the number is equal to no Int64, UInt64 or
  /// Decimal.
  private static func stored(_ number: ExactNumber) -> AttributeValue? {
    switch number {
    case .notANumber: return .string("NaN")
    case .infinite(let isNegative): return .string(isNegative ? "-Infinity" : "Infinity")
    case .finite: break
    }
    guard let (isNegative, digits, tens) = number.decimalParts else { return nil }
    if tens >= 0, tens < 20 {
      let (magnitude, overflowed) = (0..<tens).reduce((digits, false)) { product, _ in
        let (tenfold, overflowed) = product.0.multipliedReportingOverflow(by: 10)
        return (tenfold, product.1 || overflowed)
      }
      if !overflowed {
        if !isNegative, let number = Int64(exactly: magnitude) { return .int(number) }
        if !isNegative, let number = UInt64(exactly: magnitude) { return .uint(number) }
        if isNegative, magnitude <= UInt128(Int64.min.magnitude) {
          return .int(Int64(truncatingIfNeeded: 0 &- magnitude))
        }
      }
    }
    let decimal = try? DecimalText.decimal("\(isNegative ? "-" : "")\(digits)e\(tens)")
    return decimal.map { .decimal($0) }
  }

  /// Returns a number that no decimal equals, as a Double.
  private static func widened(_ value: AttributeValue) -> AttributeValue {
    if case .float(let number) = value { .double(Double(number)) } else { value }
  }

  /// Creates the number that a text of digits represents: the exact number if a decimal can
  /// represent it, otherwise the nearest Double.
  package init(number literal: String) throws(TextError) {
    do {
      self.init(.decimal(try DecimalText.decimal(literal)))
    } catch {
      guard error.reason != .form else { throw error }
      self.init(.double(try NumberText.double(literal)))
    }
  }

  /// Returns the constant for a number that a program compares with an attribute. A Double or a
  /// Float becomes the decimal of its shortest digits: 0.1 instead of 0.1000000000000000055…. When
  /// the filter is compiled, the decimal is converted to the nearest number of the attribute's
  /// type, which is the original number.
  package static func short(_ value: AttributeValue) -> FilterConstant {
    let digits: String? =
      switch value {
      case .float(let number) where number.isFinite: NumberText.text(of: number)
      case .double(let number) where number.isFinite: NumberText.text(of: number)
      default: nil
      }
    if let digits, let constant = try? FilterConstant(number: digits) { return constant }
    if case .array(let values) = value {
      return FilterConstant(.array(values.map { FilterConstant.short($0).value }))
    }
    return FilterConstant(value)
  }

  /// A Boolean value that indicates whether the constant is a list.
  package var isList: Bool { if case .array = value { true } else { false } }
}

extension FilterConstant: CustomStringConvertible {
  /// The constant in the syntax of the language.
  package var description: String { FilterConstant.literal(of: value) }

  /// Returns a value in the syntax of the language.
  private static func literal(of value: AttributeValue) -> String {
    switch value {
    case .null: "nil"
    case .bool(let bool): bool ? "true" : "false"
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .decimal(let number): DecimalText.text(of: number)
    case .double(let number): literal(of: number)
    case .string(let string): quoted(string)
    case .array(let values): "{\(values.map { literal(of: $0) }.joined(separator: ", "))}"
    case .float, .date, .uuid, .data, .url, .reference:
      preconditionFailure("\(value) must be stored as a string or number")
    }
  }

  /// Returns the digits of a Double that no decimal is equal to. If a parser would read the
  /// shortest digits as a decimal, which is a different number, all digits of the Double are
  /// written.
  private static func literal(of number: Double) -> String {
    let short = NumberText.text(of: number)
    if (try? DecimalText.decimal(short)) == nil { return short }
    guard case .finite(_, let digits, let twos, _) = ExactNumber(number) else { return short }
    var magnitude = BigMagnitude(digits, twos: max(0, twos), tens: 0)
    for _ in 0..<max(0, -twos) { magnitude.multiply(by: 5) }
    let decimalDigits = magnitude.text
    let exponent = decimalDigits.count - 1 + min(0, twos)
    let rest = decimalDigits.dropFirst()
    return (number < 0 ? "-" : "")
      + "\(decimalDigits.prefix(1)).\(rest.isEmpty ? "0" : rest)e\(exponent)"
  }

  /// Returns a string in quotation marks, with escapes where necessary.
  ///
  /// - Parameter mark: The quotation mark.
  package static func quoted(_ string: String, with mark: Unicode.Scalar = "\"") -> String {
    var quoted = String.UnicodeScalarView([mark])
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\\", mark:
        quoted.append("\\")
        quoted.append(scalar)
      case "\n": quoted.append(contentsOf: "\\n".unicodeScalars)
      case "\t": quoted.append(contentsOf: "\\t".unicodeScalars)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        quoted.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
      default: quoted.append(scalar)
      }
    }
    quoted.append(mark)
    return String(quoted)
  }
}
