import DaybookStore
import DaybookEssentials

/// Constants, read as values of the type beside them.
extension FilterResolver {
  /// A constant as it is compared with values of some type.
  private enum Wanted {
    /// Numbers, and what else has an ordered key.
    case number(ExactNumber)
    case decimal(PackedDecimal)
    case text(String)
    case bytes([UInt8])
  }

  /// What a comparison asks of each value of a type.
  func test(
    _ type: ScalarType, _ comparison: FilterComparison, _ constant: FilterConstant,
    _ left: String
  ) throws(FilterError) -> ValueTest {
    let place = comparison.right.place
    let relation = comparison.relation
    if case .array(let members) = constant.value {
      var wanted: [Wanted] = []
      for member in members where !member.isNull {
        wanted.append(try read(FilterConstant(member), type, left, place))
      }
      let hasNil = wanted.count < members.count
      if relation == .between { return hasNil ? .never : between(type, wanted) }
      return isOneOf(type, wanted, comparison.options, hasNil: hasNil)
    }
    if constant == .null {
      switch relation {
      case .equal: return ValueTest(.constant(false), ifNil: true)
      case .notEqual: return ValueTest(.constant(true))
      default: return .never
      }
    }
    guard case .text(let text) = try read(constant, type, left, place) else {
      return compares(type, relation, try read(constant, type, left, place))
    }
    if relation == .matches {
      do {
        let pattern = try MatchPattern(text, comparison.options)
        return ValueTest(
          .text(TextTest(options: comparison.options, question: .matches(pattern))))
      } catch {
        throw FilterError(
          .pattern(FilterToken.phrase(text), column: error.column, problem: error.sentence), place)
      }
    }
    guard let test = TextTest(relation, text, comparison.options) else { return .never }
    return ValueTest(.text(test), ifNil: relation == .notEqual)
  }

  // MARK: Reading

  private func read(
    _ constant: FilterConstant, _ type: ScalarType, _ left: String, _ place: FilterPlace
  ) throws(FilterError) -> Wanted {
    func unreadable(_ text: String, _ error: TextError) -> FilterError {
      FilterError(
        .unreadable(FilterToken.phrase(text), type: type.name, problem: error.sentence), place)
    }
    switch (FilterKind(type), constant.value) {
    case (.text, .string(let text)): return .text(text)
    case (.bool, .bool(let bool)):
      return .number(ExactNumber(.int(bool ? 1 : 0)) ?? .notANumber)
    case (.date, .string(let text)):
      do {
        return .number(ExactNumber(try DateText.date(text).timeIntervalSinceReferenceDate))
      } catch { throw unreadable(text, error) }
    case (.uuid, .string(let text)):
      do {
        return .bytes(AttributeValue.uuid(try UUIDText.uuid(text)).rowBytes)
      } catch { throw unreadable(text, error) }
    case (.data, .string(let text)):
      do { return .bytes(try Base64Text.bytes(text)) } catch { throw unreadable(text, error) }
    case (.number, .string(let text)):
      if let special = FilterResolver.special(text) { return number(.double(special), type) }
      guard type == .decimal else { break }
      do { return .decimal(PackedDecimal(try DecimalText.decimal(text))) } catch {
        throw unreadable(text, error)
      }
    case (.number, let value) where ExactNumber(value) != nil: return number(value, type)
    default: break
    }
    throw FilterError(.mismatch(left: left, right: FilterResolver.phrase(constant)), place)
  }

  /// The texts that stand for what no digits say.
  private static func special(_ text: String) -> Double? {
    switch text {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: nil
    }
  }

  /// A number beside a type. Digits with a fraction are those of the nearest number of a binary
  /// type, as they are where such a number is written.
  private func number(_ value: AttributeValue, _ type: ScalarType) -> Wanted {
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

  // MARK: Questions

  private func compares(
    _ type: ScalarType, _ relation: FilterRelation, _ wanted: Wanted
  ) -> ValueTest {
    let nilAnswer = relation == .notEqual
    switch wanted {
    case .number(let number) where OrderedKey.has(type):
      guard let range = OrderedKey.range(type, relation, number) else {
        return ValueTest(.constant(nilAnswer), ifNil: nilAnswer)
      }
      return ValueTest(.key(type, range, isInside: !nilAnswer), ifNil: nilAnswer)
    case .number(let number): return ValueTest(.exact(relation, number), ifNil: nilAnswer)
    case .decimal(let number): return ValueTest(.decimal(relation, number), ifNil: nilAnswer)
    case .bytes(let bytes): return ValueTest(.bytes(relation, bytes), ifNil: nilAnswer)
    case .text(let text):
      let bytes = FoldedText.comparable(text, [])
      return ValueTest(
        .text(TextTest(options: [], question: .compares(relation, bytes))), ifNil: nilAnswer)
    }
  }

  private func between(_ type: ScalarType, _ bounds: [Wanted]) -> ValueTest {
    let least = compares(type, .greaterOrEqual, bounds[0])
    let most = compares(type, .lessOrEqual, bounds[1])
    if case .key(_, let from?, _) = least.question, case .key(_, let upTo?, _) = most.question {
      guard from.overlaps(upTo) else { return .never }
      return ValueTest(.key(type, from.clamped(to: upTo), isInside: true))
    }
    return ValueTest(.all([least, most]))
  }

  private func isOneOf(
    _ type: ScalarType, _ members: [Wanted], _ options: TextOptions, hasNil: Bool
  ) -> ValueTest {
    if members.isEmpty { return ValueTest(.constant(false), ifNil: hasNil) }
    var texts: Set<[UInt8]> = []
    var keys: [UInt64] = []
    var tests: [ValueTest] = []
    for member in members {
      if case .text(let text) = member {
        texts.insert(FoldedText.comparable(text, options))
        continue
      }
      let test = compares(type, .equal, member)
      guard OrderedKey.has(type) else {
        tests.append(test)
        continue
      }
      guard case .key(_, let range?, _) = test.question else { continue }
      // One key, those of two zeros, or all beyond infinity, of which only the last is used.
      keys += [range.lowerBound, range.upperBound]
    }
    if !texts.isEmpty {
      return ValueTest(
        .text(TextTest(options: options, question: .isOneOf(texts))), ifNil: hasNil)
    }
    if OrderedKey.has(type) { return ValueTest(.keyIsOneOf(type, keys.sorted()), ifNil: hasNil) }
    return ValueTest(.any(tests), ifNil: hasNil)
  }
}

extension ValueTest {
  /// False for every value and for none.
  static let never = ValueTest(.constant(false))
}
