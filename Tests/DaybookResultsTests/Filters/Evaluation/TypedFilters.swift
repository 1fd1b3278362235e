import DaybookResults
import DaybookStore
import FoundationEssentials

/// Filters that an entity can be asked, drawn at random with values that its records have.
struct TypedFilters {
  private var random: RandomFilters
  private let world: FilterWorld

  init(seed: UInt64, _ world: FilterWorld) {
    random = RandomFilters(seed: seed)
    self.world = world
  }

  mutating func filter(depth: Int) -> Filter {
    switch depth == 0 ? 9 : random.number(10) {
    case 0: return !filter(depth: depth - 1)
    case 1, 2: return .all(of: (0...random.number(3)).map { _ in filter(depth: depth - 1) })
    case 3, 4: return .any(of: (0...random.number(3)).map { _ in filter(depth: depth - 1) })
    default: return Filter(comparison())
    }
  }

  private static let numbers = [
    "tiny", "short", "middle", "long", "natural", "byte", "single", "precise", "exact", "id",
    "place.height", "place.owner.long", "friend.exact", "friend.id", "friend", "friend.friend",
    "friend.friend.single", "castle.height", "castle.owner.single", "place.keeper.long",
    "double", "double.long", "double.castle.height", "friend.double.friend",
  ]
  private static let texts = [
    "name", "note", "link", "place", "place.id", "place.name", "friend.name", "friend.place.name",
    "friend.note", "castle", "castle.name", "castle.owner.name", "double.note",
    "place.owner.castle",
  ]
  private static let severalNumbers = [
    "numbers", "prices", "friends", "friends.long", "friends.precise", "friends.friend",
    "places.height", "place.owner.numbers", "friend.friends.middle", "followers", "followers.long",
    "fans.precise", "estates.height", "castle.things", "place.things.long", "castle.owner.numbers",
    "followers.castle.height", "places.owner.castle.height", "friends.double.long",
  ]
  private static let severalTexts = [
    "words", "places", "places.name", "friends.name", "friends.place.name", "place.tags",
    "friend.words", "estates", "estates.name", "followers.name", "place.visitors.note",
    "fans.place.name", "followers.castle.name", "castle.tags", "double.words", "friend.estates",
  ]
  private static let counts = [
    "numbers", "words", "friends", "places", "place.tags",
    "followers", "fans", "estates", "place.things", "castle.visitors", "castle.tags",
    "friend.followers",
  ]

  private mutating func comparison() -> FilterComparison {
    let quantifier =
      random.number(3) == 0 ? random.one(of: FilterQuantifier.allCases) : nil
    let isSeveral = quantifier != nil
    switch random.number(isSeveral ? 4 : 10) {
    case 0, 1:
      let left = random.one(of: isSeveral ? TypedFilters.severalTexts : TypedFilters.texts)
      return texts(left, quantifier)
    case 2, 3:
      let left = random.one(of: isSeveral ? TypedFilters.severalNumbers : TypedFilters.numbers)
      return numbers(operand(left), quantifier)
    case 4: return numbers(FilterOperand(.count(names(random.one(of: TypedFilters.counts)))), nil)
    case 5: return others(random.one(of: ["flag", "flagOrNot", "friend.flag"]), bool: true)
    case 6:
      return others(random.one(of: ["moment", "mark", "bytes", "friend.moment"]), bool: false)
    case 7:
      let left = random.one(of: TypedFilters.counts)
      let relation: FilterRelation = random.number(2) == 0 ? .equal : .notEqual
      return FilterComparison(
        operand(left), relation: relation, right: FilterOperand(.constant(.null)))
    case 8:
      let (relation, left): (FilterRelation, String) = (
        .contains, random.one(of: TypedFilters.severalTexts)
      )
      return FilterComparison(
        operand(left), relation: relation, right: constant(.string(text())), options: options())
    default:
      return FilterComparison(
        constant(.string(text())), relation: .isIn,
        right: operand(random.one(of: TypedFilters.severalTexts)), options: options())
    }
  }

  private func names(_ path: String) -> [String] { path.split(separator: ".").map { String($0) } }
  private func operand(_ path: String) -> FilterOperand { FilterOperand(.path(names(path))) }
  private func constant(_ value: AttributeValue) -> FilterOperand {
    FilterOperand(.constant(FilterConstant(value)))
  }

  private mutating func options() -> TextOptions { TextOptions(rawValue: UInt8(random.number(4))) }

  private mutating func text() -> String {
    let some = FilterWorld.texts + ["p0", "p1", "https://a.b/c", "b", "e", "s", "https"]
    return random.one(of: some)
  }

  private mutating func texts(
    _ left: String, _ quantifier: FilterQuantifier?
  ) -> FilterComparison {
    let relation = random.one(of: FilterRelation.allCases)
    var options = relation.takesOptions ? options() : []
    let right: FilterOperand
    switch relation {
    case .isIn: right = list(random.number(4)) { .string($0.text()) }
    case .between: right = list(2) { .string($0.text()) }
    case .like:
      right = constant(
        .string(random.one(of: ["*", "a*", "*a", "?", "??", "*b*b*", "x\\*y", "A?b*", "*é"])))
    case .matches:
      // The engine that they are held against has another notion of case.
      options = []
      right = constant(
        .string(
          random.one(of: [
            "a*", "[a-z]+", "(ab)*", ".", ".*", "[^a]*", "A|B|CA", "x\\*y", "\\w*",
            "(?:a|b)?b{1,2}a*?",
          ])))
    default:
      let isPath = random.number(4) == 0
      right =
        isPath
        ? operand(random.one(of: TypedFilters.texts))
        : constant(random.number(8) == 0 ? .null : .string(text()))
    }
    return FilterComparison(
      operand(left), relation: relation, right: right, options: options, quantifier: quantifier)
  }

  private mutating func list(
    _ count: Int, _ value: (inout TypedFilters) -> AttributeValue
  ) -> FilterOperand {
    constant(.array((0..<count).map { _ in random.number(6) == 0 ? .null : value(&self) }))
  }

  private mutating func number() -> AttributeValue {
    let values: [AttributeValue] = [
      .int(0), .int(5), .int(-5), .int(1), .int(.max), .int(.min), .uint(1 << 63), .uint(.max),
      .double(0.1), .double(0.5), .double(5.5), .double(0x1p53 + 2), .double(-0.0), .double(.nan),
      .double(.infinity), .double(-.infinity), .double(1e300), .float(0.1), .double(0x1p63),
      .decimal(Decimal(1) / 10), .decimal(Decimal(5) / 10), .decimal(.nan), .int(16_777_217),
      .int(1 << 53 + 1), .decimal(.greatestFiniteMagnitude), .int(300), .int(7), .int(2),
    ]
    return random.one(of: values)
  }

  private static let comparing: [FilterRelation] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between,
  ]

  private mutating func numbers(
    _ left: FilterOperand, _ quantifier: FilterQuantifier?
  ) -> FilterComparison {
    let relation = random.one(of: TypedFilters.comparing)
    let right: FilterOperand
    switch relation {
    case .isIn: right = list(random.number(5)) { $0.number() }
    case .between: right = list(2) { $0.number() }
    default:
      switch random.number(8) {
      case 0: right = constant(.null)
      case 1, 2: right = operand(random.one(of: TypedFilters.numbers))
      default: right = constant(number())
      }
    }
    if quantifier == nil, relation != .isIn, relation != .between, random.number(3) == 0 {
      return FilterComparison(right, relation: relation, right: left)
    }
    return FilterComparison(left, relation: relation, right: right, quantifier: quantifier)
  }

  private mutating func others(_ left: String, bool isBool: Bool) -> FilterComparison {
    let relation = random.one(of: TypedFilters.comparing)
    let name = names(left).last ?? ""
    let found = world.things[random.number(world.things.count)]
    let definition = world.snapshot.entities.first { $0.name == "Thing" }
    let place = definition?.index(of: name) ?? 0
    func value(_ filters: inout TypedFilters) -> AttributeValue {
      isBool ? .bool(filters.random.number(2) == 0) : found.values[place]
    }
    let right: FilterOperand
    switch relation {
    case .isIn: right = list(random.number(4), value)
    case .between: right = list(2, value)
    default: right = constant(value(&self))
    }
    return FilterComparison(operand(left), relation: relation, right: right)
  }
}
