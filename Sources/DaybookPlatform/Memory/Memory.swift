import DaybookCLibrary

/// Operations on raw memory for which the C library is faster than a loop, and pages of the
/// operating system.
@usableFromInline
package enum Memory {
  // MARK: Bytes

  /// Compares two byte ranges of the same length.
  ///
  /// - Returns: A negative number if the first range is ordered before the second, 0 if they are
  ///   equal, and a positive number otherwise.
  @inlinable @inline(__always)
  package static func compare(
    _ bytes: UnsafeRawPointer, with other: UnsafeRawPointer, byteCount: Int
  ) -> Int {
    Int(memcmp(bytes, other, byteCount))
  }

  /// Returns the address of the first byte with a value, or nil if no byte has it.
  @inlinable @inline(__always)
  package static func firstAddress(
    of byte: UInt8, in bytes: UnsafeRawPointer, byteCount: Int
  ) -> UnsafeRawPointer? {
    memchr(bytes, Int32(byte), byteCount).map { UnsafeRawPointer($0) }
  }

  /// Sets every byte to a value.
  @inlinable @inline(__always)
  package static func fill(_ bytes: UnsafeMutableRawPointer, with byte: UInt8, byteCount: Int) {
    memset(bytes, Int32(byte), byteCount)
  }

  // MARK: Pages

  /// The size of a page of the operating system.
  package static var pageByteCount: Int { sysconf(Int32(_SC_PAGESIZE)) }

  /// Reserves memory that contains zeros, and uses physical memory only for pages that are
  /// accessed.
  ///
  /// - Returns: The address, or nil with the reason in ``Errno/last``.
  package static func reserve(byteCount: Int) -> UnsafeMutableRawPointer? {
    let memory = mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    return memory == MAP_FAILED ? nil : memory
  }

  /// Unmaps memory that ``reserve(byteCount:)`` returned, or memory of a mapped file.
  package static func release(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    munmap(memory, byteCount)
  }
}
