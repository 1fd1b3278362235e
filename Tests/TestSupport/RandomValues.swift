import DaybookStore
import DaybookTesting

extension SplitMix64 {
  /// Returns a random number from 0 up to, but not including, a bound.
  package mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension RecordIdentifier: ExpressibleByStringLiteral {
  /// Creates a string identifier.
  public init(stringLiteral text: String) { self.init(text) }
}
