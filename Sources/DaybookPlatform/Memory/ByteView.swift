/// Some read-only bytes and whatever keeps them in memory.
///
/// The one type through which journal bytes are read: it hides the pointer and checks every bound.
/// Copying it copies a reference, not bytes, and the bytes never change under it.
public struct ByteView: Sendable {
  @usableFromInline let owner: (any AnyObject & Sendable)?
  // Points into memory that `owner` keeps and nobody writes.
  @usableFromInline package nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// No bytes.
  public init() {
    owner = nil
    bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  @inlinable
  package init(owner: any AnyObject & Sendable, bytes: UnsafeRawBufferPointer) {
    self.owner = owner
    self.bytes = bytes
  }

  /// A copy of some bytes.
  public init(_ array: [UInt8]) {
    self = Mapping(copying: array.span.bytes).view(0..<array.count)
  }

  /// How many bytes there are.
  @inlinable public var count: Int { bytes.count }

  /// The byte at an index.
  @inlinable
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < bytes.count, "byte \(index) of \(bytes.count)")
    return bytes[index]
  }

  /// The bytes of a range, sharing memory with these.
  @inlinable
  public subscript(range: Range<Int>) -> ByteView {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count, "bytes \(range) of \(bytes.count)")
    guard let owner else { return self }
    return ByteView(owner: owner, bytes: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  /// An integer stored little-endian at an offset, of any alignment.
  @inlinable
  package func load<Number: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, as type: Number.Type
  ) -> Number {
    precondition(
      offset >= 0 && offset <= bytes.count - MemoryLayout<Number>.size,
      "\(Number.self) at byte \(offset) of \(bytes.count)")
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Hands the bytes out as a span.
  @inlinable
  public func withSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The owner must outlive the span, which the optimizer cannot see.
    try withExtendedLifetime(owner) { () throws(Failure) -> Result in try body(bytes.bytes) }
  }

  /// A copy of the bytes.
  public func copy() -> [UInt8] { [UInt8](bytes) }
}

extension ByteView: Equatable {
  /// Whether both hold the same bytes, wherever they are kept.
  public static func == (one: ByteView, other: ByteView) -> Bool {
    guard one.count == other.count else { return false }
    guard let start = one.bytes.baseAddress, let otherStart = other.bytes.baseAddress else {
      return true
    }
    return Memory.compare(start, with: otherStart, byteCount: one.count) == 0
  }
}
