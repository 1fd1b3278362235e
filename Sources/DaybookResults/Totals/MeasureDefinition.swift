/// The function of a measure.
package enum TotalFunction: String, Hashable, Sendable, CaseIterable {
  /// The number of rows.
  case count
  case sum
  case average = "avg"
  case minimum = "min"
  case maximum = "max"
  /// The number of different values.
  case distinct
}

/// A function and the attribute that it is applied to.
package struct MeasureDefinition: Hashable, Sendable {
  package let function: TotalFunction
  /// The names of the attributes on the path; empty for the number of rows.
  package let names: [String]

  package init(_ function: TotalFunction, of names: [String] = []) {
    self.function = function
    self.names = names
  }

  /// The function, and the path after a colon: `count`, `sum:details.amount`.
  package var name: String {
    names.isEmpty ? function.rawValue : "\(function.rawValue):\(names.joined(separator: "."))"
  }
}
