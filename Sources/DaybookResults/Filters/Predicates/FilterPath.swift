import DaybookStore
import DaybookEssentials

/// A path to a property of a record or of a referenced record, for a filter, a sort key or a
/// section.
///
/// ```swift
/// Filter.at(\Bank.details, at: \.closeDate) > moment
/// Filter.at(\Bank.name).begins(with: "First", options: .ignoringCase)
/// Filter.any(of: \Bank.owners, at: \.name) == "Ada" && Filter.count(of: \Bank.tags) > 2
/// ```
///
/// A property of the record itself can be used without a path: `\Bank.state == "CA"`. If a property
/// is neither `id` nor an attribute, the execution of the request throws an error. A misspelled
/// name in the filter language causes the same error.
public struct FilterPath<Value>: Hashable, Sendable {
  package let names: [String]
  package let quantifier: FilterQuantifier?
  package let isCount: Bool
  /// The entity whose records have the property `names[0]`.
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

  /// The names for a sort key or a section.
  var keyNames: [String] { isCount ? names + ["@count"] : names }

  package var operand: FilterOperand {
    var operand = FilterOperand(isCount ? .count(names) : .path(names))
    operand.position.root = root
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

/// A type of attribute that contains several values: an array, or an optional array.
public protocol AttributeList {
  /// The type of each value.
  associatedtype Member
}

extension Array: AttributeList where Element: ElementRepresentable {
  /// The type of the elements.
  public typealias Member = Element
}

extension Optional: AttributeList where Wrapped: AttributeList {
  /// The type of the elements.
  public typealias Member = Wrapped.Member
}

extension RecordSchema {
  /// Returns the name that filters use for a property: the name of its attribute, or `id`. For any
  /// other property, the name is the description of its key path, without the address of a computed
  /// property. An attribute never has such a name.
  package func filterName(of keyPath: PartialKeyPath<R>) -> String {
    if let name = attribute(at: keyPath) { return name }
    if isIdentifier(keyPath) { return "id" }
    // The description of a computed property contains its address in memory, which differs between
    // processes.
    let printed = "\(keyPath)"
    return printed.firstRange(of: "<computed").map {
      "\(printed[..<$0.lowerBound])<computed>"
    } ?? printed
  }
}

extension Filter {
  /// Returns a path to a property of the record.
  public static func at<R: Record, Value>(_ keyPath: KeyPath<R, Value>) -> FilterPath<Value> {
    FilterPath([R.schema.filterName(of: keyPath)], of: R.schema.entity)
  }

  /// Returns a path to a property of the record that the record refers to.
  public static func at<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    at(reference).at(keyPath)
  }

  /// Returns a path to the values of a property with several values. A comparison with the path is
  /// true if it is true for any of the values.
  public static func any<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, quantifier: .any, of: R.schema.entity)
  }

  /// Returns a path to a property of the records that the record refers to. A comparison with the
  /// path is true if it is true for any of these records.
  public static func any<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, at keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    any(of: references).at(keyPath)
  }

  /// Returns a path to the values of a property with several values. A comparison with the path is
  /// true if it is true for all values, or if there are no values.
  public static func all<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, quantifier: .all, of: R.schema.entity)
  }

  /// Returns a path to a property of the records that the record refers to. A comparison with the
  /// path is true if it is true for all these records, or if there are none.
  public static func all<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, at keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    all(of: references).at(keyPath)
  }

  /// Returns a path to the values of a property with several values. A comparison with the path is
  /// true if it is true for none of the values.
  public static func none<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<List.Member> {
    FilterPath(at(keyPath).names, quantifier: FilterQuantifier.none, of: R.schema.entity)
  }

  /// Returns a path to a property of the records that the record refers to. A comparison with the
  /// path is true if it is true for none of these records.
  public static func none<R: Record, Target: Record, Value>(
    of references: KeyPath<R, [Reference<Target>]>, at keyPath: KeyPath<Target, Value>
  ) -> FilterPath<Value> {
    none(of: references).at(keyPath)
  }

  /// Returns a path to the number of values of a property.
  public static func count<R: Record, List: AttributeList>(
    of keyPath: KeyPath<R, List>
  ) -> FilterPath<Int> {
    FilterPath(at(keyPath).names, isCount: true, of: R.schema.entity)
  }
}

extension Filter {
  /// Returns a filter that is true for strings that contain all words of a search.
  ///
  /// ```swift
  /// Filter.matches(\Book.title, words: "fus ball")
  /// ```
  ///
  /// Case and accents are ignored. Each word of the search must be the start of a word of the
  /// string, in any order, so `fus ball` finds `Ballspiele: Fußball`. A word is a longest run of
  /// letters, numbers and marks. A search without words matches every string. The filter is false
  /// for nil.
  ///
  /// In the filter language, the filter is written as `title MATCHESWORDS "fus ball"`.
  public static func matches<R: Record, Value>(
    _ keyPath: KeyPath<R, Value>, words: String
  ) -> Filter {
    at(keyPath).matches(words: words)
  }

  /// Returns a filter that is true if a string of the record that the record refers to contains all
  /// words of a search.
  public static func matches<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>, words: String
  ) -> Filter {
    at(reference, at: keyPath).matches(words: words)
  }
}

extension FilterPath {
  /// Returns a path to a property of the record that this path refers to.
  public func at<Target: Record, Next>(
    _ keyPath: KeyPath<Target, Next>
  ) -> FilterPath<Next> where Value == Reference<Target>? {
    FilterPath<Next>(
      names + [Target.schema.filterName(of: keyPath)], quantifier: quantifier, of: root)
  }

  /// Returns a path to a property of the records that this path refers to.
  public func at<Target: Record, Next>(
    _ keyPath: KeyPath<Target, Next>
  ) -> FilterPath<Next> where Value == Reference<Target> {
    FilterPath<Next>(
      names + [Target.schema.filterName(of: keyPath)], quantifier: quantifier, of: root)
  }
}

extension FilterPath where Value: AttributeList {
  /// A path to the values. A comparison with the path is true if it is true for any of the values.
  public var any: FilterPath<Value.Member> {
    FilterPath<Value.Member>(names, quantifier: .any, of: root)
  }

  /// A path to the values. A comparison with the path is true if it is true for all values, or if
  /// there are no values.
  public var all: FilterPath<Value.Member> {
    FilterPath<Value.Member>(names, quantifier: .all, of: root)
  }

  /// A path to the values. A comparison with the path is true if it is true for none of the values.
  public var none: FilterPath<Value.Member> {
    FilterPath<Value.Member>(names, quantifier: FilterQuantifier.none, of: root)
  }

  /// A path to the number of values.
  public var count: FilterPath<Int> { FilterPath<Int>(names, isCount: true, of: root) }
}

// Comparisons of a property with a value of its type. Each operator is declared for a property of
// the record itself, and below for a path.

/// Returns a filter that is true for records with a property that equals a value.
public func == <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.equal, to: value.attributeValue) }

/// Returns a filter that is true for records with a property that does not equal a value.
public func != <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.notEqual, to: value.attributeValue) }

/// Returns a filter that is true for records with a property that is less than a value.
public func < <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.less, to: value.attributeValue) }

/// Returns a filter that is true for records with a property that is less than or equal to a value.
public func <= <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.lessOrEqual, to: value.attributeValue) }

/// Returns a filter that is true for records with a property that is greater than a value.
public func > <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.greater, to: value.attributeValue) }

/// Returns a filter that is true for records with a property that is greater than or equal to a
/// value.
public func >= <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.greaterOrEqual, to: value.attributeValue) }

extension FilterPath where Value: AttributeRepresentable {
  /// Returns a filter that is true if the value at the end of the path equals a value. For nil, the
  /// filter is true if there is no value at the end of the path.
  public static func == (path: FilterPath, value: Value?) -> Filter {
    path.compared(.equal, to: value.attributeValue)
  }

  /// Returns a filter that is true if the value at the end of the path does not equal a value. For
  /// nil, the filter is true if there is a value at the end of the path.
  public static func != (path: FilterPath, value: Value?) -> Filter {
    path.compared(.notEqual, to: value.attributeValue)
  }

  /// Returns a filter that is true if the value at the end of the path is less than a value.
  public static func < (path: FilterPath, value: Value) -> Filter {
    path.compared(.less, to: value.attributeValue)
  }

  /// Returns a filter that is true if the value at the end of the path is less than or equal to a
  /// value.
  public static func <= (path: FilterPath, value: Value) -> Filter {
    path.compared(.lessOrEqual, to: value.attributeValue)
  }

  /// Returns a filter that is true if the value at the end of the path is greater than a value.
  public static func > (path: FilterPath, value: Value) -> Filter {
    path.compared(.greater, to: value.attributeValue)
  }

  /// Returns a filter that is true if the value at the end of the path is greater than or equal to
  /// a value.
  public static func >= (path: FilterPath, value: Value) -> Filter {
    path.compared(.greaterOrEqual, to: value.attributeValue)
  }

  /// Returns a filter that is true if the value at the end of the path is one of the given values.
  /// The options are the differences between strings to ignore.
  public func isOne(of values: [Value], options: TextOptions = []) -> Filter {
    compared(.isIn, to: .array(values.map(\.attributeValue)), options: options)
  }

  /// Returns a filter that is true if the value at the end of the path is from `least` through
  /// `most`.
  public func isBetween(_ least: Value, and most: Value) -> Filter {
    compared(.between, to: .array([least.attributeValue, most.attributeValue]))
  }
}

extension FilterPath {
  // Comparisons of two paths.

  /// Returns a filter that is true if the values at the ends of both paths are equal, or if neither
  /// path has a value.
  public func isEqual<Other>(to other: FilterPath<Other>) -> Filter {
    compared(.equal, to: other.operand)
  }

  /// Returns a filter that is true if the value of this path is less than the value of the other
  /// path.
  public func isLess<Other>(than other: FilterPath<Other>) -> Filter {
    compared(.less, to: other.operand)
  }

  /// Returns a filter that is true if the value of this path is greater than the value of the other
  /// path.
  public func isGreater<Other>(than other: FilterPath<Other>) -> Filter {
    compared(.greater, to: other.operand)
  }

  // Tests of strings.

  /// Returns a filter that is true for strings that equal a string, without the differences that
  /// the options ignore.
  public func isEqual(to string: String, options: TextOptions) -> Filter {
    compared(.equal, to: .string(string), options: options)
  }

  /// Returns a filter that is true for strings that start with a string.
  public func begins(with string: String, options: TextOptions = []) -> Filter {
    compared(.beginsWith, to: .string(string), options: options)
  }

  /// Returns a filter that is true for strings that end with a string.
  public func ends(with string: String, options: TextOptions = []) -> Filter {
    compared(.endsWith, to: .string(string), options: options)
  }

  /// Returns a filter that is true for strings that contain a string.
  public func contains(_ string: String, options: TextOptions = []) -> Filter {
    compared(.contains, to: .string(string), options: options)
  }

  /// Returns a filter that is true for strings that match a pattern as a whole: `?` matches one
  /// scalar, `*` any number of scalars.
  public func isLike(_ pattern: String, options: TextOptions = []) -> Filter {
    compared(.like, to: .string(pattern), options: options)
  }

  /// Returns a filter that is true for strings that match a regular expression as a whole.
  public func matches(_ pattern: String, options: TextOptions = []) -> Filter {
    compared(.matches, to: .string(pattern), options: options)
  }

  /// Returns a filter that is true for strings that contain all words of a search, by the rules of
  /// `Filter.matches`.
  public func matches(words: String) -> Filter {
    compared(.matchesWords, to: .string(words))
  }
}
