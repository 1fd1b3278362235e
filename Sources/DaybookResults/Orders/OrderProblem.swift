import DaybookStore

/// Why rows cannot be put in an order.
package struct OrderProblem: Error, Hashable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// The value is not one, but several.
    case several
    /// What is to be compared as a text is none.
    case notText(TextComparator)
  }

  package let reason: Reason
  /// How the text journal calls the type of the value.
  package let typeName: String

  package init(_ reason: Reason, typeName: String) {
    self.reason = reason
    self.typeName = typeName
  }

  /// A sentence, to be put behind what it is about.
  package var description: String {
    switch reason {
    case .several: "rows are sorted by one value each, and a value of type \(typeName) is several."
    case .notText(let comparator):
      "strings are compared \(comparator.adverb), and a value of type \(typeName) is none."
    }
  }
}

extension TextComparator {
  fileprivate var adverb: String {
    switch self {
    case .plain: "as they are"
    case .caseInsensitive: "without case"
    case .caseAndDiacriticInsensitive: "without case and accents"
    case .natural: "with their numbers by value"
    }
  }
}
