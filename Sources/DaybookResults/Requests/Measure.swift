import DaybookStore

/// A function over many records. It is their number, or the sum, average, minimum, maximum or
/// number of different values of one attribute.
///
/// ```swift
/// [.count, .sum(\.amount), .average(\.details, at: \.rating), .max(named: "closeDate")]
/// ```
///
/// All measures except ``count`` ignore records without a value of the attribute. Sums are computed
/// without rounding. A sum of floating-point numbers and each average are rounded once, when a
/// program reads them. Minimum and maximum have the order of sort keys.
public struct Measure<R: FetchableRecord>: Hashable, Sendable {
  package let definition: MeasureDefinition

  package init(_ definition: MeasureDefinition) { self.definition = definition }

  fileprivate init(_ function: TotalFunction, of attribute: FetchedAttribute<R>) {
    self.init(MeasureDefinition(function, of: attribute.names))
  }

  /// Creates a measure from the name of its function, which is `count`, `sum`, `avg`, `min` or
  /// `max`. Returns nil for any other function. `count` must have an empty path, and the others
  /// must have a path.
  @_spi(Tools)
  public init?(_ function: String, of names: [String]) {
    guard let function = TotalFunction(rawValue: function), function != .distinct,
      (function == .count) == names.isEmpty
    else { return nil }
    self.init(MeasureDefinition(function, of: names))
  }

  /// The name: `count`, or a function and an attribute, as in `sum:amount` and
  /// `avg:details.rating`.
  public var name: String { definition.name }

  /// The number of records.
  public static var count: Measure { Measure(MeasureDefinition(.count)) }

  /// Returns the sum of an attribute. The path is written with dots.
  public static func sum(named path: String) -> Measure {
    Measure(.sum, of: .attribute(named: path))
  }

  /// Returns the average of an attribute. The path is written with dots.
  public static func average(named path: String) -> Measure {
    Measure(.average, of: .attribute(named: path))
  }

  /// Returns the smallest value of an attribute. The path is written with dots.
  public static func min(named path: String) -> Measure {
    Measure(.minimum, of: .attribute(named: path))
  }

  /// Returns the greatest value of an attribute. The path is written with dots.
  public static func max(named path: String) -> Measure {
    Measure(.maximum, of: .attribute(named: path))
  }

  /// Returns the number of different values of an attribute. The path is written with dots.
  ///
  /// The method `aggregate` accepts this measure. The totals of a fetch request do not.
  public static func distinct(named path: String) -> Measure {
    Measure(.distinct, of: .attribute(named: path))
  }
}

extension Measure where R: Record {
  /// Returns the sum of a property.
  public static func sum<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.sum, of: .attribute(keyPath))
  }

  /// Returns the average of a property.
  public static func average<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.average, of: .attribute(keyPath))
  }

  /// Returns the smallest value of a property.
  public static func min<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.minimum, of: .attribute(keyPath))
  }

  /// Returns the greatest value of a property.
  public static func max<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.maximum, of: .attribute(keyPath))
  }

  /// Returns the number of different values of a property. A live list cannot carry it.
  public static func distinct<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.distinct, of: .attribute(keyPath))
  }

  /// Follows a reference of each record, and returns the sum of a property of the targets.
  public static func sum<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.sum, of: .attribute(reference, at: keyPath)) }

  /// Follows a reference of each record, and returns the average of a property of the targets.
  public static func average<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.average, of: .attribute(reference, at: keyPath)) }

  /// Follows a reference of each record, and returns the smallest value of a property of the
  /// targets.
  public static func min<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.minimum, of: .attribute(reference, at: keyPath)) }

  /// Follows a reference of each record, and returns the greatest value of a property of the
  /// targets.
  public static func max<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.maximum, of: .attribute(reference, at: keyPath)) }

  /// Follows a reference of each record, and returns the number of different values of a property
  /// of the targets. A live list cannot carry it.
  public static func distinct<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.distinct, of: .attribute(reference, at: keyPath)) }
}
