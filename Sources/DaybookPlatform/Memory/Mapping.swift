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
