import DaybookStore
import DaybookTesting

extension SplitMix64 {
  /// Returns a number from 0 up to, not including, the bound.
  package mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension RecordIdentifier: ExpressibleByStringLiteral {
  /// Creates the identifier that is a text.
  public init(stringLiteral text: String) { self.init(text) }
}
