import DaybookPlatform

/// The addresses of a space's pages, and the birth of each page: the epoch of its allocation. A
/// page's index is its number without the fork's bit.
///
/// ```
///   index  ┌── chunk: 16 bits ──┬── page: 10 bits ──┐
///              │                      │
///   chunks ────▼─▶ 1 MiB of memory ───▼─▶ 1024 bytes
///   births ────▼─▶ 1024 epochs ───────▼─▶ the epoch of its birth, or zero if it is not in use
/// ```
///
/// The first chunks may be in a mapped file. Their pages have no births, so the writer always
/// copies such a page before an edit.
///
/// The directory reserves its first chunk alone, and all later chunks in *stretches* of two. A
/// stretch has 2 MiB of pages, aligned so that the system can use one huge page for them. Only
/// forks request huge pages. A fork allocates while a caller waits, and the system provides a huge
/// page much faster than many small pages. A fork also releases its memory soon. Other spaces exist
/// for a long time, and would keep the unused rest of their last huge page.
///
/// The two tables never move, and no chunk is released while the space exists. Therefore readers
/// find pages without a lock while the writer adds chunks: the writer stores the address of a chunk
/// before a reader can receive the number of a page in it. Only the writer, and the thread that
/// holds the lock of ``PageLists``, access births.
@usableFromInline
struct PageDirectory: Sendable {
  @usableFromInline typealias Births = UnsafeMutablePointer<UInt64>

  // `nonisolated(unsafe)` is correct because all threads follow the rules above.
  @usableFromInline nonisolated(unsafe) let chunks: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  @usableFromInline nonisolated(unsafe) let births: UnsafeMutablePointer<Births?>

  /// The number of bytes in a page.
  @inlinable static var pageByteCount: Int { 1024 }
  /// The number of pages in a chunk.
  @inlinable static var chunkPageCount: Int { 1024 }
  /// The largest number of mapped pages. It is half of all numbers, so that every mapped page can
  /// be copied.
  static var mappedPageCountMax: Int { chunkCountMax * chunkPageCount / 2 }
  /// The largest number of chunks.
  @inlinable static var chunkCountMax: Int { 65_536 }

  /// The number of page indexes for the mapped file, rounded up to whole chunks. The writer never
  /// stores into these pages.
  @usableFromInline let mappedPageCount: UInt32
  private let wantsHugePages: Bool

  /// Creates a directory without chunks.
  init(wantsHugePages: Bool = false) {
    mappedPageCount = 0
    self.wantsHugePages = wantsHugePages
    chunks = Self.reserve(Self.chunksByteCount)
      .bindMemory(to: UnsafeMutableRawPointer?.self, capacity: Self.chunkCountMax)
    births = Self.reserve(Self.birthsByteCount)
      .bindMemory(to: Births?.self, capacity: Self.chunkCountMax)
  }

  /// Creates a directory that starts with pages of a mapped file. The owner of the directory must
  /// keep the file mapped.
  init(mapped pages: UnsafeRawBufferPointer) {
    let pageCount = pages.count / Self.pageByteCount
    precondition(
      pages.count > 0 && pages.count % Self.pageByteCount == 0
        && pageCount <= Self.mappedPageCountMax,
      "\(pages.count) bytes are not a valid number of pages")
    // The pages that the space allocates start in a new chunk.
    let chunkCount = (pageCount + Self.chunkPageCount - 1) / Self.chunkPageCount
    mappedPageCount = UInt32(chunkCount * Self.chunkPageCount)
    wantsHugePages = false
    chunks = Self.reserve(Self.chunksByteCount)
      .bindMemory(to: UnsafeMutableRawPointer?.self, capacity: Self.chunkCountMax)
    births = Self.reserve(Self.birthsByteCount)
      .bindMemory(to: Births?.self, capacity: Self.chunkCountMax)
    for chunk in 0..<chunkCount {
      // The space never writes through this pointer, because no page of the file is editable.
      chunks[chunk] = UnsafeMutableRawPointer(
        mutating: pages.baseAddress.map { $0 + chunk * Self.chunkPageCount * Self.pageByteCount })
    }
  }

  /// The number of chunks in the mapped file.
  var mappedChunkCount: Int { Int(mappedPageCount) / Self.chunkPageCount }

  /// A directory without chunks. A space that is not a fork uses it for page numbers with the
  /// fork's bit, which do not occur there.
  static let empty = PageDirectory()

  // MARK: Lookup

  /// Returns the address of the page with an index.
  @inlinable @inline(__always)
  func address(_ index: UInt32) -> UnsafeMutableRawPointer {
    let chunk = Int(index >> 10)
    precondition(chunk < Self.chunkCountMax, "page \(index) is out of range")
    guard let start = chunks[chunk] else {
      preconditionFailure("the chunk of page \(index) does not exist")
    }
    return start + Int(index & 1023) << 10
  }

  /// Returns the birth of the page with an index; 0 if the page is not in use.
  @inlinable @inline(__always)
  func birth(_ index: UInt32) -> UInt64 {
    let chunk = Int(index >> 10)
    guard chunk < Self.chunkCountMax, let births = births[chunk] else { return 0 }
    return births[Int(index & 1023)]
  }

  /// Sets the birth of a page; 0 marks the page as not in use.
  func setBirth(of index: UInt32, to epoch: UInt64) {
    guard let births = births[Int(index >> 10)] else {
      preconditionFailure("the chunk of page \(index) does not exist")
    }
    births[Int(index & 1023)] = epoch
  }

  // MARK: Chunks

  /// Adds a chunk of zeros after the existing chunks.
  func addChunk(_ chunk: Int) {
    precondition(
      chunk < Self.chunkCountMax,
      "the page space is full: it has \(chunk) chunks of 1024 pages")
    precondition(chunks[chunk] == nil, "chunk \(chunk) already exists")
    let (first, count) = stretch(of: chunk)
    if chunk > first, let before = chunks[chunk - 1], let birthsBefore = births[chunk - 1] {
      chunks[chunk] = before + Self.chunkPageCount * Self.pageByteCount
      births[chunk] = birthsBefore + Self.chunkPageCount
      return
    }
    let pagesByteCount = count * Self.chunkPageCount * Self.pageByteCount
    let memory = Self.reserve(
      Self.byteCount(ofChunks: count), alignedTo: count > 1 ? pagesByteCount : 1)
    // A system without huge pages ignores the request and uses small pages.
    if wantsHugePages, count > 1 { Memory.preferHugePages(memory, byteCount: pagesByteCount) }
    births[chunk] = (memory + pagesByteCount)
      .bindMemory(to: UInt64.self, capacity: count * Self.chunkPageCount)
    chunks[chunk] = memory
  }

  /// Returns the first chunk of the stretch that contains a chunk, and the number of chunks in the
  /// stretch. The chunk must not be in the mapped file.
  private func stretch(of chunk: Int) -> (first: Int, count: Int) {
    let index = chunk - mappedChunkCount
    precondition(
      index >= 0,
      "chunk \(chunk) is one of the first \(mappedChunkCount), which are mapped from a file")
    return index == 0 ? (chunk, 1) : (chunk - (index - 1) % 2, 2)
  }

  /// Marks the first pages as not in use. Their bytes are not changed.
  func clearBirths(pageCount: Int) {
    guard let births = births[0] else { return }
    Memory.fill(births, with: 0, byteCount: pageCount * MemoryLayout<UInt64>.stride)
  }

  /// Releases all memory that the directory has reserved. The space must not be used after that.
  func release(chunkCount: Int) {
    for chunk in mappedChunkCount..<chunkCount {
      let (first, count) = stretch(of: chunk)
      if chunk == first, let memory = chunks[chunk] {
        Memory.release(memory, byteCount: Self.byteCount(ofChunks: count))
      }
    }
    Memory.release(chunks, byteCount: Self.chunksByteCount)
    Memory.release(births, byteCount: Self.birthsByteCount)
  }

  /// Returns the number of bytes that are reserved for pages and their births. It does not include
  /// mapped pages.
  func reservedByteCount(chunkCount: Int) -> Int {
    guard chunkCount > mappedChunkCount else { return 0 }
    let (first, count) = stretch(of: chunkCount - 1)
    return Self.byteCount(ofChunks: first + count - mappedChunkCount)
  }

  /// Returns the number of bytes of a number of chunks: their pages and the births of these pages.
  private static func byteCount(ofChunks count: Int) -> Int {
    count * chunkPageCount * (pageByteCount + MemoryLayout<UInt64>.stride)
  }

  private static let chunksByteCount =
    chunkCountMax * MemoryLayout<UnsafeMutableRawPointer?>.stride
  private static let birthsByteCount = chunkCountMax * MemoryLayout<Births?>.stride

  /// Reserves memory of zeros from the system. The memory counts as used only where the space
  /// touches it.
  ///
  /// - Parameter alignment: The alignment of the address, if it is larger than a page of the
  ///   system.
  private static func reserve(
    _ byteCount: Int, alignedTo alignment: Int = 1
  ) -> UnsafeMutableRawPointer {
    let spareByteCount = alignment > 1 ? alignment : 0
    guard let memory = Memory.reserve(byteCount: byteCount + spareByteCount) else {
      fatalError("cannot allocate \(byteCount) bytes of pages: errno \(Errno.last)")
    }
    guard spareByteCount > 0 else { return memory }
    // The excess before and after the aligned range is released, in whole pages of the system.
    let start = memory.alignedUp(toMultipleOf: alignment)
    if start > memory { Memory.release(memory, byteCount: start - memory) }
    let end = (start + byteCount).alignedUp(toMultipleOf: Memory.pageByteCount)
    let rest = memory + byteCount + spareByteCount - end
    if rest > 0 { Memory.release(end, byteCount: rest) }
    return start
  }
}
