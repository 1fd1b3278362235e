/// The name of a page in a space.
///
/// Zero names none, which reads as zeros. Numbers with the top bit set belong to a fork.
@usableFromInline
package struct PageNumber: Hashable, Sendable, BitwiseCopyable {
  /// The number as pages hold it.
  @usableFromInline package let rawValue: UInt32

  @inlinable
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No page.
  @inlinable package static var none: PageNumber { PageNumber(rawValue: 0) }

  /// Whether it names no page.
  @inlinable package var isNone: Bool { rawValue == 0 }

  /// The bit that numbers of a fork's own pages have.
  @inlinable static var forkBit: UInt32 { 1 << 31 }
}

extension PageNumber: CustomStringConvertible {
  /// The number, and whose it is.
  @usableFromInline package var description: String {
    rawValue & Self.forkBit == 0
      ? "page \(rawValue)" : "page \(rawValue ^ Self.forkBit) of the fork"
  }
}

/// What a page can hold at an offset: a value of 4, 8 or 16 bytes, in the machine's order.
@usableFromInline
package protocol PageElement: BitwiseCopyable, Equatable, Sendable {
  /// What a page that was never written holds.
  static var zero: Self { get }
}

extension UInt32: PageElement {}
extension UInt64: PageElement {}
extension Int: PageElement {}
extension Int64: PageElement {}
extension UInt: PageElement {}

/// Two words that lie side by side.
@usableFromInline
package struct PagePair: PageElement, Hashable {
  @usableFromInline package var first: UInt64
  @usableFromInline package var second: UInt64

  @inlinable
  package init(_ first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }

  @inlinable package static var zero: PagePair { PagePair(0, second: 0) }
}
