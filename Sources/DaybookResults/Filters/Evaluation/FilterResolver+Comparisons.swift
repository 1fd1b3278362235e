import DaybookStore

/// Comparisons, once the names of both sides have been found.
extension FilterResolver {
  mutating func check(_ given: FilterComparison) throws(FilterError) -> FilterCheck {
    var comparison = given
    var left = try side(comparison.left)
    var right = try side(comparison.right)
    rewrite(&comparison, &left, &right)
    try checkLists(comparison, left, right)
    if comparison.quantifier == nil, let check = try nilCheck(comparison, left, right) {
      return check
    }
    try checkSeveral(comparison, left, right)
    try checkTexts(comparison, left, right)
    if let constant = right.constant, left.constant == nil {
      return try constantCheck(comparison, left, constant)
    }
    return try pairCheck(comparison, left, right)
  }

  /// Says the same with a path on the left, and containing as ANY, so that there are fewer forms.
  private func rewrite(
    _ comparison: inout FilterComparison, _ left: inout Side, _ right: inout Side
  ) {
    func exchange() {
      swap(&comparison.left, &comparison.right)
      swap(&left, &right)
    }
    guard comparison.quantifier == nil else { return }
    switch comparison.relation {
    case .contains:
      guard case .several = left else { return }
      (comparison.quantifier, comparison.relation) = (.any, .equal)
    case .isIn:
      guard case .several = right else { return }
      exchange()
      (comparison.quantifier, comparison.relation) = (.any, .equal)
    default:
      guard left.constant != nil, right.constant == nil,
        let exchanged = comparison.relation.exchanged
      else { return }
      comparison.relation = exchanged
      exchange()
    }
  }

  /// A list stands behind IN and BETWEEN, and nowhere else.
  private func checkLists(
    _ comparison: FilterComparison, _ left: Side, _ right: Side
  ) throws(FilterError) {
    func fail(_ expected: String, _ operand: FilterOperand, _ side: Side) -> FilterError {
      FilterError(.list(expected: expected, found: phrase(operand, side)), operand.place)
    }
    if left.constant?.isList ?? false { throw fail("one value", comparison.left, left) }
    var count: Int?
    if case .array(let values) = right.constant?.value { count = values.count }
    switch comparison.relation {
    case .isIn:
      guard count != nil else { throw fail("a list", comparison.right, right) }
    case .between:
      guard count == 2 else {
        let found = count.map { "a list of \($0)" } ?? phrase(comparison.right, right)
        throw FilterError(
          .list(expected: "a list of two values", found: found), comparison.right.place)
      }
    default:
      if count != nil { throw fail("one value", comparison.right, right) }
    }
  }

  /// Whether an attribute of several values has none at all: the one question that is asked of it
  /// as a whole.
  private func nilCheck(
    _ comparison: FilterComparison, _ left: Side, _ right: Side
  ) throws(FilterError) -> FilterCheck? {
    guard case .several(let path) = left,
      comparison.left.content == .path(path.several.names), right.constant == .null,
      comparison.relation == .equal || comparison.relation == .notEqual
    else { return nil }
    let isEqual = comparison.relation == .equal
    return .value(ValueCheck(path.several, ValueTest(.constant(!isEqual), ifNil: isEqual), nil))
  }

  /// Several values stand on the left of ANY, ALL and NONE, and nowhere else.
  private func checkSeveral(
    _ comparison: FilterComparison, _ left: Side, _ right: Side
  ) throws(FilterError) {
    if case .several = right {
      throw FilterError(.several("\(comparison.right)"), comparison.right.place)
    }
    switch (left, comparison.quantifier) {
    case (.several, nil): throw FilterError(.several("\(comparison.left)"), comparison.left.place)
    case (.several, _), (_, nil): break
    case (_, let quantifier?):
      throw FilterError(
        .notSeveral(phrase(comparison.left, left), asked: quantifier.rawValue),
        comparison.left.place)
    }
  }

  /// What is asked of texts is asked of texts.
  private func checkTexts(
    _ comparison: FilterComparison, _ left: Side, _ right: Side
  ) throws(FilterError) {
    let isTextTest = comparison.relation.isTextTest
    guard isTextTest || !comparison.options.isEmpty else { return }
    let asked =
      isTextTest
      ? comparison.relation.rawValue : "\(comparison.relation.rawValue)\(comparison.options)"
    for (operand, side) in [(comparison.left, left), (comparison.right, right)] {
      guard let kind = side.kind, kind != .text else { continue }
      throw FilterError(.noText(phrase(operand, side), asked: asked), operand.place)
    }
    if comparison.relation == .like || comparison.relation == .matches, right.constant == nil {
      throw FilterError(
        .patternNoConstant(phrase(comparison.right, right)), comparison.right.place)
    }
  }

  // MARK: With a constant

  private func constantCheck(
    _ comparison: FilterComparison, _ left: Side, _ constant: FilterConstant
  ) throws(FilterError) -> FilterCheck {
    guard let type = left.type else { preconditionFailure("\(left) has no type") }
    let test = try test(type, comparison, constant, phrase(comparison.left, left))
    switch left {
    case .constant: preconditionFailure("\(comparison) has two constants")
    case .count(let path): return .count(CountCheck(path, test))
    case .several(let path):
      let target = path.members.flatMap { ReferenceTarget($0.path, in: catalog) }
      return .members(MembersCheck(path, comparison.quantifier ?? .any, test, target))
    case .value(let path):
      let target = ReferenceTarget(path, in: catalog)
      guard path.steps.isEmpty, target == nil, let attribute = path.path else {
        return .value(ValueCheck(path, test, target))
      }
      if attribute.isInRows, case .key(let type, let range?, let isInside) = test.question {
        return .key(
          KeyCheck(attribute, type, range, isInside: isInside, nilAnswer: test.nilAnswer))
      }
      if let check = EqualTextCheck(attribute, test, path) { return .equalText(check) }
      return .own(OwnCheck(attribute, test, path))
    }
  }

  // MARK: With each other

  private func pairCheck(
    _ comparison: FilterComparison, _ left: Side, _ right: Side
  ) throws(FilterError) -> FilterCheck {
    var found = [(right.kind, phrase(comparison.right, right))]
    if case .array(let members) = right.constant?.value {
      found = members.map { FilterConstant($0) }.map { (FilterKind($0), FilterResolver.phrase($0)) }
    }
    for (kind, phrase) in found {
      guard let kind, let leftKind = left.kind, kind != leftKind else { continue }
      throw FilterError(
        .mismatch(left: self.phrase(comparison.left, left), right: phrase), comparison.right.place)
    }
    guard let constant = left.constant, let other = right.constant else {
      return .pair(
        PairCheck(
          pairSide(comparison, left), comparison.relation, comparison.options,
          pairSide(comparison, right)))
    }
    if comparison.relation == .matches, case .string(let text) = constant.value {
      let test = try test(.string, comparison, other, "")
      return .constant(Array(text.utf8).withUnsafeBytes { test.answer($0.bytes) })
    }
    return .constant(
      comparison.relation.answer(constant.value, comparison.options, other.value))
  }

  private func pairSide(_ comparison: FilterComparison, _ side: Side) -> PairCheck.Side {
    switch side {
    case .constant(let constant): return .constant(constant.value)
    case .value(let path): return .value(path, ReferenceTarget(path, in: catalog))
    case .count(let path): return .count(path)
    case .several(let path):
      let target = path.members.flatMap { ReferenceTarget($0.path, in: catalog) }
      return .members(path, comparison.quantifier ?? .any, target)
    }
  }
}
