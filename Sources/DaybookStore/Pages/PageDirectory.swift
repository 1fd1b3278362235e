import DaybookPlatform

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
/// The first chunk of its own stands alone; all others come in *stretches* of two, each of which is 2 MiB that begin
/// where the system can have one of its huge pages. For a fork it is asked to: memory in huge pages costs a seventh of
/// what it costs in small ones to get, and a fork gets what it needs while somebody waits, and gives it back soon. All
/// others stay, and would keep what they do not need of the last.
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
  private let wantsHugePages: Bool

  /// A directory without chunks.
  init(wantsHugePages: Bool = false) {
    mappedPageCount = 0
    self.wantsHugePages = wantsHugePages
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
    wantsHugePages = false
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
  func setBirth(of index: UInt32, to epoch: UInt64) {
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
    let (first, count) = stretch(of: chunk)
    if chunk > first, let before = chunks[chunk - 1], let birthsBefore = births[chunk - 1] {
      chunks[chunk] = before + Self.chunkPageCount * Self.pageByteCount
      births[chunk] = birthsBefore + Self.chunkPageCount
      return
    }
    let pagesByteCount = count * Self.chunkPageCount * Self.pageByteCount
    let memory = Self.reserve(
      Self.byteCount(ofChunks: count), alignedTo: count > 1 ? pagesByteCount : 1)
    // A system that has none goes on with small pages.
    if wantsHugePages, count > 1 { Memory.preferHugePages(memory, byteCount: pagesByteCount) }
    births[chunk] = (memory + pagesByteCount)
      .bindMemory(to: UInt64.self, capacity: count * Self.chunkPageCount)
    chunks[chunk] = memory
  }

  /// The first chunk of the stretch in which a chunk of its own lies, and how many it has.
  private func stretch(of chunk: Int) -> (first: Int, count: Int) {
    let place = chunk - mappedChunkCount
    precondition(place >= 0, "chunk \(chunk) stands in a file, as the first \(mappedChunkCount) do")
    return place == 0 ? (chunk, 1) : (chunk - (place - 1) % 2, 2)
  }

  /// Makes the first pages such as are not in use, whatever they hold.
  func clearBirths(pageCount: Int) {
    guard let births = births[0] else { return }
    Memory.fill(births, with: 0, byteCount: pageCount * MemoryLayout<UInt64>.stride)
  }

  /// Gives all memory back that was reserved here.
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

  /// How much memory was reserved for pages and their births, those of a file not counted.
  func reservedByteCount(chunkCount: Int) -> Int {
    guard chunkCount > mappedChunkCount else { return 0 }
    let (first, count) = stretch(of: chunkCount - 1)
    return Self.byteCount(ofChunks: first + count - mappedChunkCount)
  }

  /// The pages of some chunks and their births.
  private static func byteCount(ofChunks count: Int) -> Int {
    count * chunkPageCount * (pageByteCount + MemoryLayout<UInt64>.stride)
  }

  private static let chunksByteCount =
    chunkCountMax * MemoryLayout<UnsafeMutableRawPointer?>.stride
  private static let birthsByteCount = chunkCountMax * MemoryLayout<Births?>.stride

  /// Zeros from the system, which cost memory only where they are touched.
  ///
  /// - Parameter alignment: What the address is a multiple of, if it is more than a page of the system's.
  private static func reserve(
    _ byteCount: Int, alignedTo alignment: Int = 1
  ) -> UnsafeMutableRawPointer {
    let spareByteCount = alignment > 1 ? alignment : 0
    guard let memory = Memory.reserve(byteCount: byteCount + spareByteCount) else {
      fatalError("no memory for \(byteCount) bytes of pages: errno \(Errno.last)")
    }
    guard spareByteCount > 0 else { return memory }
    // What is in excess before and behind goes back, in whole pages of the system's.
    let start = memory.alignedUp(toMultipleOf: alignment)
    if start > memory { Memory.release(memory, byteCount: start - memory) }
    let end = (start + byteCount).alignedUp(toMultipleOf: Memory.pageByteCount)
    let rest = memory + byteCount + spareByteCount - end
    if rest > 0 { Memory.release(end, byteCount: rest) }
    return start
  }
}
