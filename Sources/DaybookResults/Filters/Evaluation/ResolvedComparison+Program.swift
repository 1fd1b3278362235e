/// The checks of a comparison, and its compilation. At least one of the two sides is a path.
extension ResolvedComparison {
  /// Checks the comparison and returns its program.
  mutating func program() throws(FilterError) -> FilterProgram {
    rewrite()
    try checkLists()
    if let program = nilProgram { return program }
    try checkQuantifier()
    try checkStrings()
    if let constant = right.constant { return try constantProgram(constant) }
    try checkKinds()
    return .compare(self)
  }

  /// Moves a path to the left side: `17 < age` becomes `age > 17`. Replaces a test whether an array
  /// contains a value with `ANY`: `tags CONTAINS "a"` and `"a" IN tags` become `ANY tags == "a"`.
  /// So fewer forms have to be compiled.
  private mutating func rewrite() {
    guard syntax.quantifier == nil else { return }
    switch syntax.relation {
    case .contains:
      guard case .members = left else { return }
      (syntax.quantifier, syntax.relation) = (.any, .equal)
    case .isIn:
      guard case .members = right else { return }
      exchangeSides()
      (syntax.quantifier, syntax.relation) = (.any, .equal)
    default:
      guard left.constant != nil, right.constant == nil, let exchanged = syntax.relation.exchanged
      else { return }
      syntax.relation = exchanged
      exchangeSides()
    }
  }

  /// Exchanges the left and the right side.
  private mutating func exchangeSides() {
    swap(&syntax.left, &syntax.right)
    swap(&left, &right)
  }

  // MARK: Checks

  var leftPhrase: String { left.phrase(for: syntax.left) }
  private var rightPhrase: String { right.phrase(for: syntax.right) }

  /// Checks that IN and BETWEEN have a list on the right side, and that no other side is a list.
  private func checkLists() throws(FilterError) {
    func rightIsNo(_ expected: String, found: String? = nil) -> FilterError {
      FilterError(
        .list(expected: expected, found: found ?? rightPhrase), at: syntax.right.position)
    }
    if left.constant?.isList ?? false {
      throw FilterError(.list(expected: "one value", found: leftPhrase), at: syntax.left.position)
    }
    var count: Int?
    if case .array(let values) = right.constant?.value { count = values.count }
    switch syntax.relation {
    case .isIn: if count == nil { throw rightIsNo("a list") }
    case .between:
      guard count == 2 else {
        throw rightIsNo("a list of two values", found: count.map { "a list of \($0)" })
      }
    default: if count != nil { throw rightIsNo("one value") }
    }
  }

  /// Checks that a path to several values is on the left side and has a quantifier.
  private func checkQuantifier() throws(FilterError) {
    if case .members = right {
      throw FilterError(.quantifierMissing("\(syntax.right)"), at: syntax.right.position)
    }
    switch (left, syntax.quantifier) {
    case (.members, nil):
      throw FilterError(.quantifierMissing("\(syntax.left)"), at: syntax.left.position)
    case (.members, _), (_, nil): break
    case (_, let quantifier?):
      throw FilterError(
        .notCollection(leftPhrase, operation: quantifier.rawValue), at: syntax.left.position)
    }
  }

  /// Checks that both operands of a test of strings are strings.
  private func checkStrings() throws(FilterError) {
    let isStringTest = syntax.relation.isStringTest
    guard isStringTest || !syntax.options.isEmpty else { return }
    let operation =
      isStringTest ? syntax.relation.rawValue : "\(syntax.relation.rawValue)\(syntax.options)"
    for (operand, resolved) in [(syntax.left, left), (syntax.right, right)] {
      guard let kind = resolved.kind, kind != .text else { continue }
      throw FilterError(
        .notString(resolved.phrase(for: operand), operation: operation), at: operand.position)
    }
    if syntax.relation == .like || syntax.relation == .matches, right.constant == nil {
      throw FilterError(.patternNotConstant(rightPhrase), at: syntax.right.position)
    }
  }

  /// Checks that both operands are of one kind.
  private func checkKinds() throws(FilterError) {
    guard let kind = right.kind, let leftKind = left.kind, kind != leftKind else { return }
    throw FilterError(.mismatch(left: leftPhrase, right: rightPhrase), at: syntax.right.position)
  }

  // MARK: Programs

  /// The program that tests whether an attribute of several values as a whole is nil; nil for other
  /// comparisons. All other comparisons test the values one by one.
  private var nilProgram: FilterProgram? {
    guard syntax.quantifier == nil, case .members(let path, _) = left,
      syntax.left.content == .path(path.severalNames), right.constant == .null,
      syntax.relation == .equal || syntax.relation == .notEqual
    else { return nil }
    let isEqual = syntax.relation == .equal
    return .test(.value(path.several, nil), nil, ValueTest(.constant(!isEqual), ifNil: isEqual))
  }

  /// Returns the program that compares the left side with a constant.
  private func constantProgram(_ constant: FilterConstant) throws(FilterError) -> FilterProgram {
    guard let type = left.type else { preconditionFailure("\(left) has no type") }
    let test = try test(of: type, with: constant)
    guard case .value(let path, nil) = left, let attribute = path.ownPath else {
      return .test(left, syntax.quantifier, test)
    }
    if attribute.isInRows, case .key(let type, let range, let isInside) = test.question {
      return .key(
        attribute, type: type, range: range, isInside: isInside, nilResult: test.nilResult)
    }
    return .own(AttributeTest(attribute, valuePath: path, test: test))
  }
}
