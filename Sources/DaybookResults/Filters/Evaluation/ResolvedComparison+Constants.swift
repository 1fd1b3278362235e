import DaybookStore
import DaybookEssentials

/// Comparisons with a constant on the right side. The constant is read as a value of the type on
/// the left side.
extension ResolvedComparison {
  /// A constant in the form that values of the type on the left side are compared with.
  private enum Expected {
    /// A number. A date and a Boolean value are also represented by a number, which gives their
    /// ordered key.
    case number(ExactNumber)
    case decimal(PackedDecimal)
    case text(String)
    case bytes([UInt8])
  }

  /// Returns the test that compares values of a type with a constant.
  func test(
    of type: ScalarType, with constant: FilterConstant
  ) throws(FilterError) -> ValueTest {
    let relation = syntax.relation
    if case .array(let members) = constant.value {
      var expected: [Expected] = []
      for member in members where !member.isNull {
        expected.append(try read(FilterConstant(member), as: type))
      }
      let hasNil = expected.count < members.count
      if relation == .between { return hasNil ? .never : between(expected, type: type) }
      return isOneOf(expected, type: type, hasNil: hasNil)
    }
    if constant == .null {
      switch relation {
      case .equal: return ValueTest(.constant(false), ifNil: true)
      case .notEqual: return ValueTest(.constant(true))
      default: return .never
      }
    }
    let expected = try read(constant, as: type)
    guard case .text(let string) = expected else {
      return compares(relation, to: expected, type: type)
    }
    if relation == .matches {
      do {
        let pattern = try MatchPattern(string, options: syntax.options)
        return ValueTest(.text(TextTest(.matches(pattern), options: syntax.options)))
      } catch {
        throw FilterError(
          .pattern(FilterToken.phrase(string), column: error.column, problem: error.sentence),
          at: syntax.right.position)
      }
    }
    guard let test = TextTest(relation, to: string, options: syntax.options) else { return .never }
    return ValueTest(.text(test), ifNil: relation == .notEqual)
  }

  // MARK: Reading

  /// Returns a constant as a value of a type. Throws an error if the constant is of a different
  /// kind, or if its string does not have the form of the type.
  private func read(
    _ constant: FilterConstant, as type: ScalarType
  ) throws(FilterError) -> Expected {
    func unreadable(_ string: String, error: TextError) -> FilterError {
      FilterError(
        .unreadable(FilterToken.phrase(string), type: type.name, problem: error.sentence),
        at: syntax.right.position)
    }
    switch (FilterKind(type), constant.value) {
    case (.text, .string(let string)): return .text(string)
    case (.bool, .bool(let bool)):
      return .number(ExactNumber(.int(bool ? 1 : 0)) ?? .notANumber)
    case (.date, .string(let string)):
      do {
        return .number(ExactNumber(try DateText.date(string).timeIntervalSinceReferenceDate))
      } catch { throw unreadable(string, error: error) }
    case (.uuid, .string(let string)):
      do {
        return .bytes(AttributeValue.uuid(try UUIDText.uuid(string)).rowBytes)
      } catch { throw unreadable(string, error: error) }
    case (.data, .string(let string)):
      do { return .bytes(try Base64Text.bytes(string)) } catch {
        throw unreadable(string, error: error)
      }
    case (.number, .string(let string)):
      if let special = ResolvedComparison.special(string) {
        return number(.double(special), as: type)
      }
      guard type == .decimal else { break }
      do { return .decimal(PackedDecimal(try DecimalText.decimal(string))) } catch {
        throw unreadable(string, error: error)
      }
    case (.number, let value) where ExactNumber(value) != nil: return number(value, as: type)
    default: break
    }
    throw FilterError(
      .mismatch(left: leftPhrase, right: constant.phrase), at: syntax.right.position)
  }

  /// Returns the number that one of the strings `NaN`, `Infinity` and `-Infinity` represents; nil
  /// for all other strings.
  private static func special(_ string: String) -> Double? {
    switch string {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: nil
    }
  }

  /// Returns a number in the form that values of a type are compared with. If the values are floats
  /// or doubles, a decimal constant such as 0.1 means the nearest number of that type, as in a
  /// program.
  private func number(_ value: AttributeValue, as type: ScalarType) -> Expected {
    let exact = ExactNumber(value) ?? .notANumber
    switch (type, value) {
    case (.decimal, .int(let number)): return .decimal(PackedDecimal(Decimal(number)))
    case (.decimal, .uint(let number)): return .decimal(PackedDecimal(Decimal(number)))
    case (.decimal, .decimal(let number)): return .decimal(PackedDecimal(number))
    case (.decimal, .double(let number)) where number.isNaN: return .decimal(.nan)
    case (.float, .decimal(let number)):
      let nearest = Float(DecimalText.text(of: number)) ?? .nan
      return .number(nearest.isFinite ? ExactNumber(Double(nearest)) : exact)
    case (.double, .decimal(let number)):
      let nearest = Double(DecimalText.text(of: number)) ?? .nan
      return .number(nearest.isFinite ? ExactNumber(nearest) : exact)
    default: return .number(exact)
    }
  }

  // MARK: Tests

  /// Returns the test that a value of a type has a relation to a constant.
  private func compares(
    _ relation: FilterRelation, to expected: Expected, type: ScalarType
  ) -> ValueTest {
    let nilResult = relation == .notEqual
    switch expected {
    case .number(let number) where OrderedKey.has(type):
      guard let range = OrderedKey.range(of: type, relation, to: number) else {
        return ValueTest(.constant(nilResult), ifNil: nilResult)
      }
      return ValueTest(.key(type, range, isInside: !nilResult), ifNil: nilResult)
    case .number(let number): return ValueTest(.exact(relation, number), ifNil: nilResult)
    case .decimal(let number): return ValueTest(.decimal(relation, number), ifNil: nilResult)
    case .bytes(let bytes): return ValueTest(.bytes(relation, bytes), ifNil: nilResult)
    case .text(let string):
      let bytes = FoldedText.bytes(of: string, options: [])
      return ValueTest(.text(TextTest(.compares(relation, bytes))), ifNil: nilResult)
    }
  }

  /// Returns the test that a value of a type is between two constants.
  private func between(_ bounds: [Expected], type: ScalarType) -> ValueTest {
    let least = compares(.greaterOrEqual, to: bounds[0], type: type)
    let most = compares(.lessOrEqual, to: bounds[1], type: type)
    if case .key(_, let from, _) = least.question, case .key(_, let upTo, _) = most.question {
      guard from.overlaps(upTo) else { return .never }
      return ValueTest(.key(type, from.clamped(to: upTo), isInside: true))
    }
    return ValueTest(.all([least, most]))
  }

  /// Returns the test that a value of a type is one of several constants, or nil if the constants
  /// include nil.
  private func isOneOf(_ members: [Expected], type: ScalarType, hasNil: Bool) -> ValueTest {
    if members.isEmpty { return ValueTest(.constant(false), ifNil: hasNil) }
    let options = syntax.options
    var strings: Set<[UInt8]> = []
    var keys: [UInt64] = []
    var tests: [ValueTest] = []
    for member in members {
      if case .text(let string) = member {
        strings.insert(FoldedText.bytes(of: string, options: options))
        continue
      }
      let test = compares(.equal, to: member, type: type)
      guard OrderedKey.has(type) else {
        tests.append(test)
        continue
      }
      guard case .key(_, let range, _) = test.question else { continue }
      // The range contains one key, the two keys of the zeros, or the keys above infinity, which
      // mean NaN. Values that are NaN have only the greatest of these keys. So the two bounds are
      // all keys that occur.
      keys += [range.lowerBound, range.upperBound]
    }
    if !strings.isEmpty {
      return ValueTest(.text(TextTest(.isOneOf(strings), options: options)), ifNil: hasNil)
    }
    if OrderedKey.has(type) { return ValueTest(.keyIsOneOf(type, keys.sorted()), ifNil: hasNil) }
    return ValueTest(.any(tests), ifNil: hasNil)
  }
}
