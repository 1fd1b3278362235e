import Glibc

extension Memory {
  /// The smallest number of bytes for which one system call is faster than a page fault for each page.
  private static let populatedByteCountMin = 256 << 10

  /// Allocates all pages of fresh memory with one system call.
  ///
  /// This is for memory that is about to be written completely. It avoids a page fault for each page.
  static func populate(_ memory: UnsafeMutableRawBufferPointer) {
    guard memory.count >= populatedByteCountMin, let start = memory.baseAddress else { return }
    let first = start.alignedUp(toMultipleOf: pageByteCount)
    let end = (start + memory.count).alignedDown(toMultipleOf: pageByteCount)
    // A kernel that does not know this advice allocates the pages one by one.
    if end > first { madvise(first, end - first, MADV_POPULATE_WRITE) }
  }

  /// Asks for huge pages in reserved memory. A system without them continues with small ones.
  package static func preferHugePages(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    _ = madvise(memory, byteCount, MADV_HUGEPAGE)
  }
}
