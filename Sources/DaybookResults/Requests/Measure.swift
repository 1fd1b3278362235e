import DaybookStore

/// A value that is computed from many records: their number, or the sum, the average, the minimum
/// or the maximum of one of their values.
///
/// ```swift
/// [.count, .sum(\.amount), .average(\.details, at: \.rating), .max(named: "closeDate")]
/// ```
///
/// Records without a value do not count. Sums and averages are exact, and are rounded once when
/// they are read. Minimum and maximum have the order of sort keys.
public struct Measure<R: FetchableRecord>: Hashable, Sendable {
  package let definition: MeasureDefinition

  package init(_ definition: MeasureDefinition) { self.definition = definition }

  fileprivate init(_ function: TotalFunction, _ attribute: FetchedAttribute<R>) {
    self.init(MeasureDefinition(function, of: attribute.names))
  }

  /// Creates a measure from the name of its function, which is `count`, `sum`, `avg`, `min` or
  /// `max`; nil for any other function, and if the path that the function needs is missing.
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
  public static func sum(named path: String) -> Measure { Measure(.sum, .attribute(named: path)) }

  /// Returns the average of an attribute. The path is written with dots.
  public static func average(named path: String) -> Measure {
    Measure(.average, .attribute(named: path))
  }

  /// Returns the smallest value of an attribute. The path is written with dots.
  public static func min(named path: String) -> Measure {
    Measure(.minimum, .attribute(named: path))
  }

  /// Returns the greatest value of an attribute. The path is written with dots.
  public static func max(named path: String) -> Measure {
    Measure(.maximum, .attribute(named: path))
  }

  /// Returns the number of different values of an attribute. The path is written with dots.
  ///
  /// It can be aggregated, but a live list cannot carry it.
  public static func distinct(named path: String) -> Measure {
    Measure(.distinct, .attribute(named: path))
  }
}

extension Measure where R: Record {
  /// Returns the sum of a property.
  public static func sum<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.sum, .attribute(keyPath))
  }

  /// Returns the average of a property.
  public static func average<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.average, .attribute(keyPath))
  }

  /// Returns the smallest value of a property.
  public static func min<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.minimum, .attribute(keyPath))
  }

  /// Returns the greatest value of a property.
  public static func max<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.maximum, .attribute(keyPath))
  }

  /// Returns the number of different values of a property. A live list cannot carry it.
  public static func distinct<Value>(_ keyPath: KeyPath<R, Value>) -> Measure {
    Measure(.distinct, .attribute(keyPath))
  }

  /// Returns the sum of a property of the records that the records refer to.
  public static func sum<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.sum, .attribute(reference, at: keyPath)) }

  /// Returns the average of a property of the records that the records refer to.
  public static func average<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.average, .attribute(reference, at: keyPath)) }

  /// Returns the smallest value of a property of the records that the records refer to.
  public static func min<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.minimum, .attribute(reference, at: keyPath)) }

  /// Returns the greatest value of a property of the records that the records refer to.
  public static func max<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.maximum, .attribute(reference, at: keyPath)) }

  /// Returns the number of different values of a property of the records that the records refer to.
  /// A live list cannot carry it.
  public static func distinct<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> Measure { Measure(.distinct, .attribute(reference, at: keyPath)) }
}
