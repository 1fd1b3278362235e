/// An error for a result that a test did not expect.
package struct Surprise: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
