#if canImport(Glibc) && !DAYBOOK_PORTABLE
  import DaybookCLibrary

  extension CurrentProcess {
    /// The argument of `dlsym` that means all loaded libraries.
    ///
    /// It is the value of `RTLD_DEFAULT`, a macro that Swift does not import.
    static var allLibraries: UnsafeMutableRawPointer? { nil }

    /// The path of the program that this process runs.
    package static var programPath: String { "/proc/self/exe" }

    /// The resident memory that belongs to no file.
    package static var anonymousByteCount: Int { memoryByteCount("RssAnon:") }

    /// The resident memory, mapped files included.
    package static var residentByteCount: Int { memoryByteCount("VmRSS:") }

    /// The largest ``residentByteCount`` after the last ``resetPeakResidentByteCount()``.
    package static var peakResidentByteCount: Int { memoryByteCount("VmHWM:") }

    /// Sets the peak to the current value. If the system refuses, ``peakResidentByteCount`` remains
    /// the peak of the whole run.
    package static func resetPeakResidentByteCount() {
      let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      _ = write(descriptor, "5", 1)
      close(descriptor)
    }

    /// Returns freed memory to the system, so that it is not counted as resident.
    package static func releaseFreeMemory() {
      // Swift's module of the C library does not contain the function.
      typealias Trim = @convention(c) (Int) -> Int32
      guard let symbol = symbol(named: "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// Returns a value of `/proc/self/status`, which has lines such as `VmRSS:     5120 kB`.
    private static func memoryByteCount(_ name: String) -> Int {
      guard let status = ProcFiles.text(of: "/proc/self/status") else { return 0 }
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
      return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first).flatMap { Int($0) }
        .map { $0 * 1024 } ?? 0
    }
  }

  extension Memory {
    /// The smallest number of bytes for which one system call is cheaper than a page fault for each
    /// page.
    private static let populatedByteCountMin = 256 << 10

    /// Allocates all pages of fresh memory with one system call.
    ///
    /// The method is for memory that is about to be written completely. The call avoids a page
    /// fault for each page.
    static func populate(_ memory: UnsafeMutableRawBufferPointer) {
      guard memory.count >= populatedByteCountMin, let start = memory.baseAddress else { return }
      let first = start.alignedUp(toMultipleOf: pageByteCount)
      let end = (start + memory.count).alignedDown(toMultipleOf: pageByteCount)
      // A kernel that does not support this advice allocates the pages one by one.
      if end > first { madvise(first, end - first, MADV_POPULATE_WRITE) }
    }

    /// Requests huge pages for reserved memory. A system without them continues to use small pages.
    package static func preferHugePages(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
      _ = madvise(memory, byteCount, MADV_HUGEPAGE)
    }
  }
#endif
