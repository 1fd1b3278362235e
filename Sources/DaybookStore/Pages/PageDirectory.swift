import Glibc

/// Where the pages of a space lie, and when each was born.
///
/// ```
///   index  ┌── chunk: 16 bits ──┬── page: 10 bits ──┐
///              │                      │
///   chunks ────▼─▶ 1 MiB of memory ───▼─▶ 1024 bytes
///   births ────▼─▶ 1024 epochs ───────▼─▶ the epoch of its birth, or zero if it is not in use
/// ```
///
/// The first chunks may be those of a file, which have no births: to edit a page of them is to copy it.
///
/// Neither table ever moves and no chunk is given back while the space lives, so that readers find
/// pages without a lock while the writer adds chunks: an entry they need was there before they were
/// told the number. Births are the writer's, and whoever holds the lock of the lists.
@usableFromInline
struct PageDirectory: Sendable {
  @usableFromInline typealias Births = UnsafeMutablePointer<UInt64>

  // The memory that the pointers lead to is shared by the rules above.
  @usableFromInline nonisolated(unsafe) let chunks: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  @usableFromInline nonisolated(unsafe) let births: UnsafeMutablePointer<Births?>

  /// How many bytes a page has.
  @inlinable static var pageByteCount: Int { 1024 }
  /// How many pages a chunk has.
  @inlinable static var chunkPageCount: Int { 1024 }
  /// How many pages of a file there can be at most: as many again are left for what is edited.
  static var mappedPageCountMax: Int { chunkCountMax * chunkPageCount / 2 }
  /// How many chunks there can be.
  @inlinable static var chunkCountMax: Int { 65_536 }

  /// How many of the first pages stand in a file and are never stored into.
  @usableFromInline let mappedPageCount: UInt32

  /// A directory without chunks.
  init() {
    mappedPageCount = 0
    chunks = Self.reserve(Self.chunksByteCount)
      .bindMemory(to: UnsafeMutableRawPointer?.self, capacity: Self.chunkCountMax)
    births = Self.reserve(Self.birthsByteCount)
      .bindMemory(to: Births?.self, capacity: Self.chunkCountMax)
  }

  /// A directory whose first chunks are pages in a file, which whoever has the directory keeps mapped.
  init(mapped pages: UnsafeRawBufferPointer) {
    let pageCount = pages.count / Self.pageByteCount
    precondition(
      pages.count > 0 && pages.count % Self.pageByteCount == 0
        && pageCount <= Self.mappedPageCountMax,
      "\(pages.count) bytes are no pages that numbers can name")
    // Pages of its own begin with a chunk of their own.
    let chunkCount = (pageCount + Self.chunkPageCount - 1) / Self.chunkPageCount
    mappedPageCount = UInt32(chunkCount * Self.chunkPageCount)
    chunks = Self.reserve(Self.chunksByteCount)
      .bindMemory(to: UnsafeMutableRawPointer?.self, capacity: Self.chunkCountMax)
    births = Self.reserve(Self.birthsByteCount)
      .bindMemory(to: Births?.self, capacity: Self.chunkCountMax)
    for chunk in 0..<chunkCount {
      // Never written through: no page of the file is editable.
      chunks[chunk] = UnsafeMutableRawPointer(
        mutating: pages.baseAddress.map { $0 + chunk * Self.chunkPageCount * Self.pageByteCount })
    }
  }

  /// How many chunks stand in a file.
  var mappedChunkCount: Int { Int(mappedPageCount) / Self.chunkPageCount }

  /// A directory that stays without chunks, for the numbers that a space does not have.
  static let empty = PageDirectory()

  // MARK: Finding

  /// Where the page with an index lies.
  @inlinable @inline(__always)
  func address(_ index: UInt32) -> UnsafeMutableRawPointer {
    let chunk = Int(index >> 10)
    precondition(chunk < Self.chunkCountMax, "page \(index), where no page can be")
    guard let start = chunks[chunk] else {
      preconditionFailure("page \(index) of a chunk that is not there")
    }
    return start + Int(index & 1023) << 10
  }

  /// When the page with an index was born; zero if it is not in use.
  @inlinable @inline(__always)
  func birth(_ index: UInt32) -> UInt64 {
    let chunk = Int(index >> 10)
    guard chunk < Self.chunkCountMax, let births = births[chunk] else { return 0 }
    return births[Int(index & 1023)]
  }

  /// Notes when a page was born, or with zero that it is no longer in use.
  func setBirth(_ index: UInt32, _ epoch: UInt64) {
    guard let births = births[Int(index >> 10)] else {
      preconditionFailure("the birth of page \(index), whose chunk is not there")
    }
    births[Int(index & 1023)] = epoch
  }

  // MARK: Chunks

  /// Adds a chunk of zeros behind those that are there.
  func addChunk(_ chunk: Int) {
    precondition(
      chunk < Self.chunkCountMax,
      "the space is full: \(chunk) chunks of 1024 pages are all that numbers can name")
    precondition(chunks[chunk] == nil, "chunk \(chunk) is there already")
    let memory = Self.reserve(Self.chunkByteCount)
    let births = memory + Self.chunkPageCount * Self.pageByteCount
    self.births[chunk] = births.bindMemory(to: UInt64.self, capacity: Self.chunkPageCount)
    chunks[chunk] = memory
  }

  /// Makes the first pages such as are not in use, whatever they hold.
  func clearBirths(pageCount: Int) {
    guard let births = births[0] else { return }
    memset(births, 0, pageCount * MemoryLayout<UInt64>.stride)
  }

  /// Gives all memory back that was reserved here.
  func release(chunkCount: Int) {
    for chunk in mappedChunkCount..<chunkCount {
      if let memory = chunks[chunk] { munmap(memory, Self.chunkByteCount) }
    }
    munmap(chunks, Self.chunksByteCount)
    munmap(births, Self.birthsByteCount)
  }

  /// The pages of a chunk and their births.
  static let chunkByteCount =
    chunkPageCount * (pageByteCount + MemoryLayout<UInt64>.stride)
  private static let chunksByteCount =
    chunkCountMax * MemoryLayout<UnsafeMutableRawPointer?>.stride
  private static let birthsByteCount = chunkCountMax * MemoryLayout<Births?>.stride

  /// Zeros from the system, which cost memory only where they are touched.
  private static func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let memory = mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let memory, memory != MAP_FAILED else {
      fatalError("no memory for \(byteCount) bytes of pages: errno \(errno)")
    }
    return memory
  }
}
