import FoundationEssentials

/// Random predicates of any form. Filters can express some of the conditions and not others, and
/// some conditions throw for some records.
indirect enum RandomPredicate {
  case leaf(Int)
  case not(RandomPredicate)
  case both(RandomPredicate, RandomPredicate)
  case either(RandomPredicate, RandomPredicate)
  case isSame(RandomPredicate, Bool)

  typealias Nodes = PredicateExpressions
  typealias Condition = any StandardPredicateExpression<Bool>

  init(depth: Int, _ random: inout RandomFilters) {
    func part() -> RandomPredicate { RandomPredicate(depth: depth - 1, &random) }
    switch depth == 0 ? 9 : random.number(10) {
    case 0, 1: self = .not(part())
    case 2, 3, 4: self = .both(part(), part())
    case 5, 6, 7: self = .either(part(), part())
    case 8: self = .isSame(part(), random.number(2) == 0)
    default: self = .leaf(random.number(RandomPredicate.leaves.count))
    }
  }

  /// The whole as one predicate.
  var predicate: Predicate<Thing> { Predicate { condition($0) } }

  /// Returns the result for a record; nil if a condition that throws leaves it open.
  func answer(_ thing: Thing) -> Bool? {
    switch self {
    case .leaf(let place):
      // Swift would trap for these.
      if place == 9, thing.long == .max { return nil }
      if place == 10, thing.tiny == 0 { return nil }
      return try? Predicate<Thing> { RandomPredicate.leaves[place]($0) }.evaluate(thing)
    case .not(let part): return part.answer(thing).map { !$0 }
    case .both(let one, let other):
      let answers = [one.answer(thing), other.answer(thing)]
      return answers.contains(false) ? false : answers.contains(nil) ? nil : true
    case .either(let one, let other):
      let answers = [one.answer(thing), other.answer(thing)]
      return answers.contains(true) ? true : answers.contains(nil) ? nil : false
    case .isSame(let part, let bool): return part.answer(thing).map { $0 == bool }
    }
  }

  private func condition(_ thing: Nodes.Variable<Thing>) -> Condition {
    func not(_ part: some StandardPredicateExpression<Bool>) -> Condition {
      Nodes.build_Negation(part)
    }
    func both(
      _ one: some StandardPredicateExpression<Bool>, _ other: some StandardPredicateExpression<Bool>
    ) -> Condition { Nodes.build_Conjunction(lhs: one, rhs: other) }
    func either(
      _ one: some StandardPredicateExpression<Bool>, _ other: some StandardPredicateExpression<Bool>
    ) -> Condition { Nodes.build_Disjunction(lhs: one, rhs: other) }
    func isSame(_ part: some StandardPredicateExpression<Bool>, _ bool: Bool) -> Condition {
      Nodes.build_Equal(lhs: part, rhs: Nodes.build_Arg(bool))
    }
    return switch self {
    case .leaf(let place): RandomPredicate.leaves[place](thing)
    case .not(let part): not(part.condition(thing))
    case .both(let one, let other): both(one.condition(thing), other.condition(thing))
    case .either(let one, let other): either(one.condition(thing), other.condition(thing))
    case .isSame(let part, let bool): isSame(part.condition(thing), bool)
    }
  }

  private static func path<Value>(
    _ thing: Nodes.Variable<Thing>, _ keyPath: any KeyPath<Thing, Value> & Sendable
  ) -> Nodes.KeyPath<Nodes.Variable<Thing>, Value> {
    Nodes.build_KeyPath(root: thing, keyPath: keyPath)
  }

  private static let leaves: [@Sendable (Nodes.Variable<Thing>) -> Condition] = [
    // 0 to 4: filters have something for these.
    { path($0, \.flag) },
    { Nodes.build_Comparison(lhs: path($0, \.short), rhs: Nodes.build_Arg(1), op: .greaterThan) },
    { Nodes.build_Equal(lhs: path($0, \.tiny), rhs: Nodes.build_NilLiteral()) },
    { Nodes.build_NotEqual(lhs: path($0, \.name), rhs: Nodes.build_Arg("CA")) },
    { Nodes.build_contains(path($0, \.numbers), Nodes.build_Arg(Int32(5))) },
    // 5 to 7: nothing for these.
    { Nodes.build_Comparison(lhs: path($0, \.size), rhs: Nodes.build_Arg(3), op: .lessThan) },
    {
      Nodes.build_Equal(
        lhs: Nodes.build_KeyPath(root: path($0, \.name), keyPath: \.count),
        rhs: Nodes.build_Arg(2))
    },
    {
      Nodes.build_Comparison(
        lhs: Nodes.build_NilCoalesce(lhs: path($0, \.tiny), rhs: Nodes.build_Arg(Int8(5))),
        rhs: Nodes.build_Arg(Int8(0)), op: .greaterThan)
    },
    // 8 to 11: these throw for some records.
    {
      Nodes.build_Equal(
        lhs: Nodes.build_subscript(path($0, \.numbers), Nodes.build_Arg(1)),
        rhs: Nodes.build_Arg(Int32(5)))
    },
    {
      Nodes.build_Comparison(
        lhs: Nodes.build_Arithmetic(
          lhs: path($0, \.long), rhs: Nodes.build_Arg(Int64(1)), op: .add),
        rhs: Nodes.build_Arg(Int64(5)), op: .greaterThan)
    },
    {
      Nodes.build_Equal(
        lhs: Nodes.build_Division(
          lhs: Nodes.build_Arg(Int8(5)), rhs: Nodes.build_ForcedUnwrap(path($0, \.tiny))),
        rhs: Nodes.build_Arg(Int8(5)))
    },
    {
      Nodes.build_Comparison(
        lhs: Nodes.build_KeyPath(
          root: Nodes.build_ForcedUnwrap(path($0, \.note)), keyPath: \.count),
        rhs: Nodes.build_Arg(1), op: .greaterThan)
    },
  ]
}
