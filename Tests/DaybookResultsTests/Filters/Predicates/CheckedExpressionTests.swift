import FoundationEssentials
import Testing

@testable import DaybookResults

@Suite struct `Integer arithmetic in a predicate` {
  struct Row: Codable, Sendable {
    var a = 5
    var b: Int? = 3
    var byte: UInt8 = 200
    var list = [1, 2, 3]
    var halves = [0.5, 1.5]
    var maybe: [Int?] = [nil, 1]
    var texts = ["x", "xyx"]
    var text = "axb"
  }

  typealias Nodes = PredicateExpressions

  /// With every part of a predicate that has others in it, around a computed number.
  private static let predicates: [Predicate<Row>] = {
    let (one, five, nine) = (1, 5, 9)
    let names = [0: "zero", 1: "one"]
    let start = [1]
    let (half, least) = (1.0, -20)
    return [
      #Predicate { $0.a + one > five },
      #Predicate { $0.a * nine - five < nine },
      #Predicate { nine / ($0.a - nine) < 0 },
      #Predicate { nine % ($0.a - nine) == 0 },
      #Predicate { -$0.a - five < nine },
      #Predicate { $0.byte + 50 > 60 },
      #Predicate { $0.a + one > five && $0.text == "axb" },
      #Predicate { $0.text == "b" || $0.a + one > five },
      #Predicate { !($0.a + one > five) },
      #Predicate { ($0.a - one > five) == ($0.a > one) },
      #Predicate { $0.a + one != five },
      #Predicate { ($0.a - one > five ? $0.a + one : one) > five },
      #Predicate { $0.halves[$0.a - five] / 0.5 > half },
      #Predicate { $0.halves[$0.a - five] + 0.5 > half },
      #Predicate { -$0.halves[$0.a - five] > half },
      #Predicate { ($0.b ?? ($0.a + one)) > five },
      #Predicate { $0.maybe[$0.a - five] == nil },
      #Predicate { row in row.b.flatMap { $0 + row.a } == nine },
      #Predicate { row in row.maybe[row.a - five].flatMap { $0 } == nil },
      #Predicate { ($0.a - one..<nine).contains(five) },
      #Predicate { (least...$0.a + 30).contains($0.a * five) },
      #Predicate { $0.list.contains($0.a - one) },
      #Predicate { $0.list[0..<($0.a - five)].starts(with: start) },
      #Predicate { $0.text.contains($0.texts[$0.a - five]) },
      #Predicate { $0.texts[$0.a - five].contains(/yx/) },
      #Predicate { $0.list[0..<($0.a - five)].count == one },
      #Predicate { names[$0.a - five] == nil },
      #Predicate { names[$0.a - five, default: "none"] == "none" },
      #Predicate { $0.list[0..<($0.a - five)].min() == one },
      #Predicate { $0.list[0..<($0.a - five)].max() == one },
      #Predicate { row in row.list.contains { $0 + row.a > nine } },
      #Predicate { row in row.list.allSatisfy { $0 + row.a > five } },
      #Predicate { row in row.list.filter { $0 - row.a > five }.isEmpty },
      Predicate { row in
        Nodes.build_Comparison(
          lhs: Nodes.build_ForcedUnwrap(
            Nodes.build_subscript(
              Nodes.build_KeyPath(root: row, keyPath: \.maybe), sum(row, -five))),
          rhs: Nodes.build_Arg(0), op: .greaterThan)
      },
      Predicate { row in
        Nodes.build_Equal(
          lhs: Nodes.ConditionalCast<_, Int>(sum(row, one)), rhs: Nodes.build_Arg(Int?(6)))
      },
      Predicate { row in
        Nodes.build_Equal(lhs: Nodes.ForceCast<_, Int>(sum(row, one)), rhs: Nodes.build_Arg(6))
      },
      Predicate { row in
        Nodes.build_Equal(
          lhs: Nodes.TypeCheck<_, Int>(sum(row, one)),
          rhs: Nodes.build_Comparison(
            lhs: Nodes.build_KeyPath(root: row, keyPath: \.a), rhs: Nodes.build_Arg(five),
            op: .greaterThan))
      },
    ]
  }()

  private static func sum(
    _ row: Nodes.Variable<Row>, _ other: Int
  ) -> Nodes.Arithmetic<Nodes.KeyPath<Nodes.Variable<Row>, Int>, Nodes.Value<Int>> {
    Nodes.build_Arithmetic(
      lhs: Nodes.build_KeyPath(root: row, keyPath: \.a), rhs: Nodes.build_Arg(other), op: .add)
  }

  private func checkedForm(_ predicate: Predicate<Row>) -> CheckedExpression<Bool>? {
    func form(_ expression: some StandardPredicateExpression<Bool>) -> CheckedExpression<Bool>? {
      CheckedExpression.form(of: expression)
    }
    return form(predicate.expression)
  }

  @Test(arguments: predicates.indices)
  func `checked arithmetic agrees with Foundation and throws where that traps`(place: Int) throws {
    let predicate = Self.predicates[place]
    let checked = try #require(checkedForm(predicate), "\(predicate)")
    var answers: Set<Bool?> = []
    for a in [-20, 0, 1, 4, 5, 6, 7, 8, 20] {
      for row in [Row(a: a), Row(a: a, b: nil, byte: 4)] {
        let answer = try? checked.evaluate(PredicateBindings((predicate.variable, row)))
        #expect(answer == (try? predicate.evaluate(row)), "\(a), \(predicate)")
        answers.insert(answer)
      }
    }
    #expect(answers.count > 1, "\(predicate)")
    // Some of these leave their type, unless another error comes first.
    let outside = [
      Row(a: .min, b: nil), Row(a: .max, b: nil), Row(a: .max), Row(byte: 255),
    ].filter {
      (try? checked.evaluate(PredicateBindings((predicate.variable, $0)))) == nil
    }
    #expect(!outside.isEmpty, "\(predicate)")
  }

  @Test func `the error of checked arithmetic names the operands`() {
    func problem(_ predicate: Predicate<Row>, _ row: Row) -> String {
      do {
        let answer = try checkedForm(predicate)?.evaluate(
          PredicateBindings((predicate.variable, row)))
        return "\(String(describing: answer))"
      } catch { return "\(error)" }
    }
    let (two, zero) = (2, 0)
    #expect(
      problem(#Predicate { $0.a + two > two }, Row(a: .max))
        == "9223372036854775807 + 2 is out of range for Int")
    #expect(
      problem(#Predicate { $0.a - two > two }, Row(a: .min))
        == "-9223372036854775808 - 2 is out of range for Int")
    #expect(
      problem(#Predicate { $0.a * two > two }, Row(a: .max))
        == "9223372036854775807 * 2 is out of range for Int")
    #expect(
      problem(#Predicate { -$0.a > two }, Row(a: .min))
        == "0 - -9223372036854775808 is out of range for Int")
    #expect(problem(#Predicate { $0.a / zero > two }, Row()) == "5 / 0 divides by zero")
    #expect(problem(#Predicate { $0.a % zero > two }, Row()) == "5 % 0 divides by zero")
    #expect(
      problem(#Predicate { $0.byte + 56 > 2 }, Row()) == "200 + 56 is out of range for UInt8")
    #expect(
      problem(#Predicate { ($0.a..<two).contains(two) }, Row()) == "5..<2 is not a valid range")
    #expect(
      problem(#Predicate { ($0.a...two).contains(two) }, Row()) == "5...2 is not a valid range")
  }

  @Test func `a predicate without integer arithmetic has no checked form`() {
    let one = 1
    #expect(checkedForm(#Predicate { $0.a > one && $0.list.contains { $0 > one } }) == nil)
    #expect(checkedForm(#Predicate { $0.halves[1] / 0.5 + 1 > 2 }) == nil)
  }
}
