/// A range of read-only bytes, and a reference to the object that keeps them in memory.
///
/// A journal returns its bytes as views. The public members check every bound. A copy of a view
/// copies the reference, not the bytes. The bytes never change while a view exists.
public struct ByteView: Sendable {
  @usableFromInline let owner: (any AnyObject & Sendable)?
  // Points into memory that `owner` keeps alive. No code writes to this memory.
  @usableFromInline package nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// Creates an empty view.
  public init() {
    owner = nil
    bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  @inlinable
  package init(owner: any AnyObject & Sendable, bytes: UnsafeRawBufferPointer) {
    self.owner = owner
    self.bytes = bytes
  }

  /// Creates a view of a copy of an array.
  public init(_ array: [UInt8]) {
    self = Mapping(copying: array.span.bytes).view(0..<array.count)
  }

  /// The number of bytes.
  @inlinable public var count: Int { bytes.count }

  /// The byte at an index.
  @inlinable
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < bytes.count, "byte \(index) of \(bytes.count)")
    return bytes[index]
  }

  /// A view of a range of the bytes, which shares their memory.
  @inlinable
  public subscript(range: Range<Int>) -> ByteView {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count, "bytes \(range) of \(bytes.count)")
    guard let owner else { return self }
    return ByteView(owner: owner, bytes: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  /// Returns the integer that is stored at an offset, in little-endian order and with any
  /// alignment.
  @inlinable
  package func load<Number: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, as type: Number.Type
  ) -> Number {
    precondition(
      offset >= 0 && offset <= bytes.count - MemoryLayout<Number>.size,
      "\(Number.self) at byte \(offset) of \(bytes.count)")
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Calls a closure with the bytes as a span.
  @inlinable
  public func withSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The owner must live longer than the span. Without this call, the optimizer could release the
    // owner earlier.
    try withExtendedLifetime(owner) { () throws(Failure) -> Result in try body(bytes.bytes) }
  }

  /// Returns a copy of the bytes.
  public func copy() -> [UInt8] { [UInt8](bytes) }
}

extension ByteView: Equatable {
  /// Returns whether two views contain equal bytes, even if they are in different memory.
  public static func == (one: ByteView, other: ByteView) -> Bool {
    guard one.count == other.count else { return false }
    guard let start = one.bytes.baseAddress, let otherStart = other.bytes.baseAddress else {
      return true
    }
    return Memory.compare(start, with: otherStart, byteCount: one.count) == 0
  }
}

/// The bytes of a file, mapped into memory. The system reads a page of the file when it is first
/// accessed.
///
/// The memory is unmapped when the last reference to the mapping is released. Each ``ByteView``
/// keeps a reference. So the bytes of a view stay readable, also after the journal has mapped a
/// larger part of the file.
public final class Mapping: Sendable {
  // Set by `init` alone, and never used for writing. The file under a mapping changes only after
  // the last visible transaction, where no reader reads. A recovery writes visible bytes again, but
  // with the same values.
  @usableFromInline nonisolated(unsafe) let start: UnsafeRawPointer?
  private let unmaps: Bool

  /// The number of bytes that can be addressed. Bytes after the end of the file must not be read.
  public let byteCount: Int

  /// Creates a mapping that owns memory returned by `mmap`.
  package init(mapped start: UnsafeRawPointer, byteCount: Int) {
    self.start = start
    self.byteCount = byteCount
    self.unmaps = true
  }

  /// Creates a mapping of a copy of some bytes, for disks that keep files in memory.
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

  /// Returns a view of a range of the bytes. The view keeps the mapping alive.
  @inlinable
  package func view(_ range: Range<Int>) -> ByteView {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= byteCount,
      "bytes \(range) are outside a mapping of \(byteCount) bytes")
    guard let start else { return ByteView() }
    return ByteView(
      owner: self,
      bytes: UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
  }
}
