import DaybookStore
import DaybookEssentials

/// A property of a record, or of one that it refers to, of which a filter asks something.
///
/// ```swift
/// Filter.at(\Bank.details, \.closeDate) > moment
/// Filter.at(\Bank.name).begins(with: "First", options: .ignoringCase)
/// Filter.any(of: \Bank.owners, \.name) == "Ada" && Filter.count(of: \Bank.tags) > 2
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
    _ names: [String], _ quantifier: FilterQuantifier? = nil, isCount: Bool = false, of root: String
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
    _ relation: FilterRelation, _ other: FilterOperand, _ options: TextOptions = []
  ) -> Filter {
    Filter(FilterComparison(operand, relation, other, options: options, quantifier: quantifier))
  }

  package func compared(
    _ relation: FilterRelation, _ value: AttributeValue, _ options: TextOptions = []
  ) -> Filter {
    compared(relation, FilterOperand(.constant(.short(value))), options)
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
    _ reference: KeyPath<R, Reference<Target>?>, _ keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    at(reference).at(keyPath)
  }

  /// Any of the values of a property that has several.
  public static func any<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, .any, of: R.schema.entity)
  }

  /// A property of any of the records that the record refers to.
  public static func any<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, _ keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    any(of: references).at(keyPath)
  }

  /// All of the values of a property that has several.
  public static func all<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, .all, of: R.schema.entity)
  }

  /// A property of all of the records that the record refers to.
  public static func all<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, _ keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    all(of: references).at(keyPath)
  }

  /// None of the values of a property that has several.
  public static func none<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, FilterQuantifier.none, of: R.schema.entity)
  }

  /// A property of none of the records that the record refers to.
  public static func none<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, _ keyPath: KeyPath<Target, Value>
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
    FilterPath<Next>(names + [Target.schema.filterName(of: keyPath)], quantifier, of: root)
  }

  /// A property of the record that this refers to.
  public func at<Target: Record, Next>(
    _ keyPath: KeyPath<Target, Next>
  ) -> FilterPath<Next> where Value == Reference<Target> {
    FilterPath<Next>(names + [Target.schema.filterName(of: keyPath)], quantifier, of: root)
  }
}

extension FilterPath where Value: AttributeList {
  /// Any of the values.
  public var any: FilterPath<Value.Member> { FilterPath<Value.Member>(names, .any, of: root) }

  /// All of the values.
  public var all: FilterPath<Value.Member> { FilterPath<Value.Member>(names, .all, of: root) }

  /// None of the values.
  public var none: FilterPath<Value.Member> {
    FilterPath<Value.Member>(names, FilterQuantifier.none, of: root)
  }

  /// How many values there are.
  public var count: FilterPath<Int> { FilterPath<Int>(names, isCount: true, of: root) }
}
