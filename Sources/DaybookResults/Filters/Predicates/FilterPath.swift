import DaybookStore
import DaybookEssentials

/// A property of a record, or of one that it refers to, of which a filter asks something.
///
/// ```swift
/// Filter.at(\Bank.details, at: \.closeDate) > moment
/// Filter.at(\Bank.name).begins(with: "First", options: .ignoringCase)
/// Filter.any(of: \Bank.owners, at: \.name) == "Ada" && Filter.count(of: \Bank.tags) > 2
/// ```
///
/// A property of the record itself may stand alone: `\Bank.state == "CA"`. What is no attribute of
/// its record's schema is found out when a request is made, as with a misspelt name in a text.
public struct FilterPath<Value>: Hashable, Sendable {
  package let names: [String]
  package let quantifier: FilterQuantifier?
  package let isCount: Bool
  /// The entity of the record that the first name is a property of.
  package let root: String

  init(
    _ names: [String], quantifier: FilterQuantifier? = nil, isCount: Bool = false,
    of root: String
  ) {
    self.names = names
    self.quantifier = quantifier
    self.isCount = isCount
    self.root = root
  }

  package var operand: FilterOperand {
    var operand = FilterOperand(isCount ? .count(names) : .path(names))
    operand.place.root = root
    return operand
  }

  package func compared(
    _ relation: FilterRelation, to other: FilterOperand, options: TextOptions = []
  ) -> Filter {
    Filter(
      FilterComparison(
        operand, relation: relation, right: other, options: options, quantifier: quantifier))
  }

  package func compared(
    _ relation: FilterRelation, to value: AttributeValue, options: TextOptions = []
  ) -> Filter {
    compared(relation, to: FilterOperand(.constant(.short(value))), options: options)
  }
}

/// A type of attributes that hold several values: arrays, and optionals of these.
public protocol AttributeList {
  /// What each value is.
  associatedtype Member
}

extension Array: AttributeList where Element: ElementRepresentable {
  /// The element.
  public typealias Member = Element
}

extension Optional: AttributeList where Wrapped: AttributeList {
  /// The element.
  public typealias Member = Wrapped.Member
}

extension RecordSchema {
  /// The name by which filters know a property: that of its attribute, `id`, or what it is called
  /// in Swift, which no attribute is called.
  package func filterName(of keyPath: PartialKeyPath<R>) -> String {
    if let name = attribute(at: keyPath) { return name }
    if isIdentifier(keyPath) { return "id" }
    // Computed properties are described by where they are in memory, which is another in each
    // process.
    let text = "\(keyPath)"
    return text.firstRange(of: "<computed").map { "\(text[..<$0.lowerBound])<computed>" } ?? text
  }

  /// Whether a property is what identifies the record.
  ///
  /// The key path to the `id` of any record is not equal to that of a known record's, so it is
  /// found by what it reads.
  private func isIdentifier(_ keyPath: PartialKeyPath<R>) -> Bool {
    guard let keyPath = keyPath as? KeyPath<R, R.ID> else { return false }
    let identifiers: [RecordIdentifier] =
      switch R.ID.identifierKind {
      case .int: [.int(-128), .int(-1), .int(0), .int(1), .int(127)]
      case .uint: [.uint(0), .uint(1), .uint(200), .uint(255)]
      case .string: [RecordIdentifier(""), RecordIdentifier("a"), RecordIdentifier(" B\u{e9} ")]
      case .uuid:
        [.uuid(UUID(uuid: UUID.zeros)), .uuid(UUID())]
      }
    var record = R()
    return identifiers.compactMap { R.ID($0) }.allSatisfy { id in
      record.id = id
      return record[keyPath: keyPath] == id
    }
  }
}

extension UUID {
  fileprivate static let zeros: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

extension Filter {
  /// A property of the record.
  public static func at<R: Record, Value>(_ keyPath: KeyPath<R, Value>) -> FilterPath<Value> {
    FilterPath([R.schema.filterName(of: keyPath)], of: R.schema.entity)
  }

  /// A property of the record that the record refers to.
  public static func at<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    at(reference).at(keyPath)
  }

  /// Any of the values of a property that has several.
  public static func any<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, quantifier: .any, of: R.schema.entity)
  }

  /// A property of any of the records that the record refers to.
  public static func any<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, at keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    any(of: references).at(keyPath)
  }

  /// All of the values of a property that has several.
  public static func all<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, quantifier: .all, of: R.schema.entity)
  }

  /// A property of all of the records that the record refers to.
  public static func all<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, at keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    all(of: references).at(keyPath)
  }

  /// None of the values of a property that has several.
  public static func none<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, quantifier: FilterQuantifier.none, of: R.schema.entity)
  }

  /// A property of none of the records that the record refers to.
  public static func none<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, at keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    none(of: references).at(keyPath)
  }

  /// How many values a property has.
  public static func count<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<Int> {
    FilterPath(at(keyPath).names, isCount: true, of: R.schema.entity)
  }
}

extension FilterPath {
  /// A property of the record that this refers to.
  public func at<Target: Record, Next>(
    _ keyPath: KeyPath<Target, Next>
  ) -> FilterPath<Next> where Value == Reference<Target>? {
    FilterPath<Next>(
      names + [Target.schema.filterName(of: keyPath)], quantifier: quantifier, of: root)
  }

  /// A property of the record that this refers to.
  public func at<Target: Record, Next>(
    _ keyPath: KeyPath<Target, Next>
  ) -> FilterPath<Next> where Value == Reference<Target> {
    FilterPath<Next>(
      names + [Target.schema.filterName(of: keyPath)], quantifier: quantifier, of: root)
  }
}

extension FilterPath where Value: AttributeList {
  /// Any of the values.
  public var any: FilterPath<Value.Member> {
    FilterPath<Value.Member>(names, quantifier: .any, of: root)
  }

  /// All of the values.
  public var all: FilterPath<Value.Member> {
    FilterPath<Value.Member>(names, quantifier: .all, of: root)
  }

  /// None of the values.
  public var none: FilterPath<Value.Member> {
    FilterPath<Value.Member>(names, quantifier: FilterQuantifier.none, of: root)
  }

  /// How many values there are.
  public var count: FilterPath<Int> { FilterPath<Int>(names, isCount: true, of: root) }
}

// A property beside a value of its type. Each operator stands here for a property of the record
// itself, and below for a path.

/// True where a property has a value.
public func == <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.equal, to: value.attributeValue) }

/// True where a property does not have a value.
public func != <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.notEqual, to: value.attributeValue) }

/// True where a property is below a value.
public func < <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.less, to: value.attributeValue) }

/// True where a property is at most a value.
public func <= <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.lessOrEqual, to: value.attributeValue) }

/// True where a property is above a value.
public func > <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.greater, to: value.attributeValue) }

/// True where a property is at least a value.
public func >= <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.greaterOrEqual, to: value.attributeValue) }

extension FilterPath where Value: AttributeRepresentable {
  /// True where a path leads to a value; to none, for nil.
  public static func == (path: FilterPath, value: Value?) -> Filter {
    path.compared(.equal, to: value.attributeValue)
  }

  /// True where a path does not lead to a value; to some value, for nil.
  public static func != (path: FilterPath, value: Value?) -> Filter {
    path.compared(.notEqual, to: value.attributeValue)
  }

  /// True where a path leads to less than a value.
  public static func < (path: FilterPath, value: Value) -> Filter {
    path.compared(.less, to: value.attributeValue)
  }

  /// True where a path leads to a value at most.
  public static func <= (path: FilterPath, value: Value) -> Filter {
    path.compared(.lessOrEqual, to: value.attributeValue)
  }

  /// True where a path leads to more than a value.
  public static func > (path: FilterPath, value: Value) -> Filter {
    path.compared(.greater, to: value.attributeValue)
  }

  /// True where a path leads to a value at least.
  public static func >= (path: FilterPath, value: Value) -> Filter {
    path.compared(.greaterOrEqual, to: value.attributeValue)
  }

  /// True where a path leads to one of some values. Of texts, the options say what is not looked
  /// at.
  public func isOne(of values: [Value], options: TextOptions = []) -> Filter {
    compared(.isIn, to: .array(values.map(\.attributeValue)), options: options)
  }

  /// True where a path leads to a value from the one through the other.
  public func isBetween(_ least: Value, and most: Value) -> Filter {
    compared(.between, to: .array([least.attributeValue, most.attributeValue]))
  }
}

extension FilterPath {
  // Two paths.

  /// True where both paths lead to the same value, or both to none.
  public func isEqual<Other>(to other: FilterPath<Other>) -> Filter {
    compared(.equal, to: other.operand)
  }

  /// True where this path leads to less than the other does.
  public func isLess<Other>(than other: FilterPath<Other>) -> Filter {
    compared(.less, to: other.operand)
  }

  /// True where this path leads to more than the other does.
  public func isGreater<Other>(than other: FilterPath<Other>) -> Filter {
    compared(.greater, to: other.operand)
  }

  // Texts.

  /// True for a text, but for what the options do not look at.
  public func isEqual(to text: String, options: TextOptions) -> Filter {
    compared(.equal, to: .string(text), options: options)
  }

  /// True for texts that begin with a text.
  public func begins(with text: String, options: TextOptions = []) -> Filter {
    compared(.beginsWith, to: .string(text), options: options)
  }

  /// True for texts that end with a text.
  public func ends(with text: String, options: TextOptions = []) -> Filter {
    compared(.endsWith, to: .string(text), options: options)
  }

  /// True for texts that contain a text.
  public func contains(_ text: String, options: TextOptions = []) -> Filter {
    compared(.contains, to: .string(text), options: options)
  }

  /// True for texts that match a pattern in which `?` is any scalar and `*` any run of them.
  public func isLike(_ pattern: String, options: TextOptions = []) -> Filter {
    compared(.like, to: .string(pattern), options: options)
  }

  /// True for texts that match a regular expression as a whole.
  public func matches(_ pattern: String, options: TextOptions = []) -> Filter {
    compared(.matches, to: .string(pattern), options: options)
  }
}
