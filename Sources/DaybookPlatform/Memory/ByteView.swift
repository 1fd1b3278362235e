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

/// A file's bytes, seen in memory without being read.
///
/// The memory is unmapped when the last reference goes, so whoever holds a ``ByteView`` of it can
/// read it for as long as it likes, also when the journal has mapped more of the file since.
public final class Mapping: Sendable {
  // Written by `init` alone. The memory is never written through it; a journal writes only beyond
  // what it has let anyone read.
  @usableFromInline nonisolated(unsafe) let start: UnsafeRawPointer?
  private let unmaps: Bool

  /// How many bytes may be addressed. Those beyond the file's end must not be read.
  public let byteCount: Int

  /// Takes over memory that `mmap` gave.
  package init(mapped start: UnsafeRawPointer, byteCount: Int) {
    self.start = start
    self.byteCount = byteCount
    self.unmaps = true
  }

  /// A copy of some bytes, for disks that live in memory.
  public init(copying bytes: RawSpan) {
    byteCount = bytes.byteCount
    unmaps = false
    guard byteCount > 0 else {
      start = nil
      return
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.byteCount, alignment: 8)
    bytes.withUnsafeBytes { source in
      if let address = source.baseAddress {
        memory.copyMemory(from: address, byteCount: source.count)
      }
    }
    start = UnsafeRawPointer(memory)
  }

  deinit {
    guard let start else { return }
    if unmaps {
      Memory.release(UnsafeMutableRawPointer(mutating: start), byteCount: byteCount)
    } else {
      UnsafeMutableRawPointer(mutating: start).deallocate()
    }
  }

  /// The bytes of a range, kept alive by what is returned.
  @inlinable
  package func view(_ range: Range<Int>) -> ByteView {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= byteCount,
      "bytes \(range) of a mapping of \(byteCount)")
    guard let start else { return ByteView() }
    return ByteView(
      owner: self,
      bytes: UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
  }
}
