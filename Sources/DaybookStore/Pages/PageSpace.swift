import DaybookJournal
import Synchronization

/// Memory in numbered pages of 1024 bytes, which versions of a data structure share.
///
/// A space has one writer and any number of readers. A *root* is a value outside of the pages that
/// contains the number of a first page, such as a ``PageArray``. A ``PagePin`` freezes everything
/// that can be reached from the roots at the moment of the pin. A reader needs a copy of a root and
/// a pin.
///
/// Before the writer stores into a page, it calls ``editable(_:)``. The result is the same page, or
/// the number of a copy if a pin may still read the page. The writer then stores the new number in
/// the parent page, which it makes editable in the same way, up to the root.
///
/// A space counts time in epochs. For each page, it records the epoch of the allocation: the birth
/// of the page. A pin ends the current epoch, if the writer has edited pages in this epoch. For an
/// edit there are three cases:
///
/// - The page was born in the current epoch. No pin sees it, so the writer edits it in place.
/// - The page is older, but all pins that saw it were released. The writer edits it in place too.
/// - A pin sees the page. The writer edits a copy, and ``PageLists`` keeps the old page until no
///   pin sees it.
///
/// A fork is a space over a pin of a second space. The fork reads the pages of the second space
/// under their numbers. When the fork edits such a page, it copies the page into its own pages.
/// Dropping the fork releases all its own pages at once. A space can also start with the pages of a
/// mapped file, and copies each of these pages before an edit too.
//
// Shared state
//
// - The bytes of pages and the tables of the directory: only the writer writes them, and only in
//   pages that no reader can reach. A reader receives a root under the lock of its caller.
// - `writer`: only the writer accesses it. Only the writer may call `pin`.
// - `lists`: guarded by its mutex, because any thread can release a pin. The thread that holds the
//   mutex may also write the births and the bytes of pages that become free.
// - `spares` and `commonSpares`: guarded by their mutexes, because any thread can release a space.
@usableFromInline
package final class PageSpace: Sendable {
  /// The part of a space's state that only the writer accesses.
  @usableFromInline
  struct Writer {
    /// The current epoch.
    @usableFromInline var epoch: UInt64 = 1
    /// A Boolean value that indicates whether the writer has edited pages in the current epoch.
    @usableFromInline var isEdited = false
  }

  /// The pages that this space allocates.
  @usableFromInline let own: PageDirectory
  /// The directory of page numbers without the top bit.
  @usableFromInline let lower: PageDirectory
  /// The directory of page numbers with the top bit.
  @usableFromInline let upper: PageDirectory
  /// The top bit if the numbers of own pages have it; otherwise zero.
  @usableFromInline let ownBit: UInt32
  // The state is behind a pointer, because Swift would check each access to a stored property of a
  // class for exclusivity.
  @usableFromInline nonisolated(unsafe) let writer: UnsafeMutablePointer<Writer>

  let lists = Mutex(PageLists())
  /// The memory of deallocated forks, which later forks of this space use again. Each has one
  /// chunk.
  private let spares = Mutex<[Spare]>([])
  /// The memory of deallocated small spaces that are no forks, which later spaces use again. Each
  /// has one chunk.
  private static let commonSpares = Mutex<[Spare]>([])

  /// The memory of a deallocated space.
  private struct Spare {
    var directory: PageDirectory
    /// The number of pages, from the first one on, that may contain nonzero bytes.
    var writtenPageCount: UInt32
  }

  /// The pin of the space under this fork, which keeps that space's pages unchanged; nil if this
  /// space is not a fork.
  private let base: PagePin?
  /// The mapped file that contains the first pages; nil if the space does not start with a file.
  private let mapped: ByteView?

  /// Creates a space without pages.
  package init() {
    let spare = PageSpace.commonSpares.withLock { $0.popLast() }
    own = spare?.directory ?? PageDirectory()
    lower = own
    upper = .empty
    ownBit = 0
    base = nil
    mapped = nil
    writer = .allocate(capacity: 1)
    writer.initialize(to: Writer())
    // `PageNumber.none` reads as zeros, from index 0 of the first chunk. Therefore the first chunk
    // must exist.
    lists.withLock { lists in
      if let spare {
        lists.adoptFirstChunk(writtenPageCount: spare.writtenPageCount)
      } else {
        lists.addFirstChunk(own)
      }
    }
  }

  /// Creates a space that starts with the pages of a file. The pages are numbered from zero, and
  /// the first page must contain zeros only.
  ///
  /// A page of the file takes no memory until it is read, and never takes private memory of the
  /// process. The writer never stores into such a page: an edit copies the page, and freeing the
  /// page changes nothing.
  ///
  /// - Complexity: O(*n*) in the size of the file in MiB
  package init(over pages: ByteView) {
    own = PageDirectory(mapped: pages.withSpan { bytes in bytes.withUnsafeBytes { $0 } })
    lower = own
    upper = .empty
    ownBit = 0
    base = nil
    mapped = pages
    writer = .allocate(capacity: 1)
    writer.initialize(to: Writer())
    lists.withLock { lists in lists.start(after: own.mappedChunkCount) }
  }

  /// The largest number of pages of a file that a space can start with: 32 GiB of pages.
  static var mappedPageCountMax: Int { PageDirectory.mappedPageCountMax }

  /// Creates a fork: a space that starts with the contents that the pinned space had at the moment
  /// of the pin.
  ///
  /// - Complexity: O(1)
  package init(over base: PagePin) {
    precondition(base.space.base == nil, "a fork cannot be forked again")
    let spare = base.space.spares.withLock { $0.popLast() }
    own = spare?.directory ?? PageDirectory(wantsHugePages: true)
    lower = base.space.own
    upper = own
    ownBit = PageNumber.forkBit
    self.base = base
    mapped = nil
    writer = .allocate(capacity: 1)
    writer.initialize(to: Writer())
    if let spare {
      lists.withLock { $0.adoptFirstChunk(writtenPageCount: spare.writtenPageCount) }
    }
  }

  deinit {
    if !giveOwnAway() { own.release(chunkCount: lists.withLock { $0.chunkCount }) }
    for spare in spares.withLock({ $0 }) { spare.directory.release(chunkCount: 1) }
    writer.deallocate()
  }

  /// Passes the memory of a small space to a later one: that of a fork to its base space, for a
  /// later fork. Returns false if the space is too large or contains a file, or if there is enough
  /// memory already. Most forks edit few pages, and the results of most fetches have few rows, so
  /// mapping and unmapping memory would cost more than these edits.
  private func giveOwnAway() -> Bool {
    guard mapped == nil else { return false }
    let (pageCount, writtenPageCount, chunkCount) = lists.withLock {
      ($0.unusedIndex, $0.writtenPageCount, $0.chunkCount)
    }
    guard chunkCount == 1, pageCount <= 256 else { return false }
    func keep(_ spares: inout [Spare]) -> Bool {
      guard spares.count < 8 else { return false }
      own.clearBirths(pageCount: Int(pageCount))
      spares.append(Spare(directory: own, writtenPageCount: writtenPageCount))
      return true
    }
    guard let base else { return PageSpace.commonSpares.withLock { keep(&$0) } }
    return base.space.spares.withLock { keep(&$0) }
  }

  /// A Boolean value that indicates whether the space is a fork.
  package var isFork: Bool { base != nil }

  // MARK: Pins

  /// Returns a pin that freezes everything that can be reached from the roots at this moment.
  ///
  /// Only the writer may call this method, and the writer must not edit pages during the call.
  ///
  /// - Complexity: O(1). The call copies no page. While the pin exists, the first edit of each page
  ///   copies the page.
  package func pin() -> PagePin {
    if writer.pointee.isEdited {
      writer.pointee.epoch += 1
      writer.pointee.isEdited = false
    }
    let epoch = writer.pointee.epoch - 1
    return PagePin(self, position: lists.withLock { lists in lists.pin(epoch) })
  }

  func release(_ position: Int) {
    lists.withLock { lists in lists.release(position, in: own) }
  }

  // MARK: Counting

  /// The numbers of pages by their use. They do not include the pages of a file, or the pages of
  /// the space under a fork.
  package var statistics: PageStatistics {
    lists.withLock { lists in
      PageStatistics(
        inUseCount: lists.inUseCount, garbageCount: lists.garbageCount,
        freeCount: lists.freeCount,
        reservedByteCount: own.reservedByteCount(chunkCount: lists.chunkCount))
    }
  }
}

/// The numbers of pages of a space, by their use.
package struct PageStatistics: Hashable, Sendable {
  /// The number of pages that the writer uses.
  package var inUseCount: Int
  /// The number of pages that the writer has freed, but that a pin may still read.
  package var garbageCount: Int
  /// The number of pages that can be allocated again.
  package var freeCount: Int
  /// The number of bytes requested from the system. Pages that were never touched take no memory.
  package var reservedByteCount: Int

  package init(inUseCount: Int, garbageCount: Int, freeCount: Int, reservedByteCount: Int) {
    self.inUseCount = inUseCount
    self.garbageCount = garbageCount
    self.freeCount = freeCount
    self.reservedByteCount = reservedByteCount
  }
}

/// A snapshot of a page space: it keeps everything unchanged that could be reached from the roots
/// at the moment of the pin.
///
/// A reader that has the pin and a copy of a root from that moment can read the contents on any
/// thread. The pin keeps its space alive, and is released with its last reference, on any thread.
package final class PagePin: Sendable {
  /// The space of the pinned pages.
  package let space: PageSpace
  private let position: Int

  init(_ space: PageSpace, position: Int) {
    self.space = space
    self.position = position
  }

  deinit { space.release(position) }
}

/// The number of a page in a space.
///
/// The number 0 means no page, and its bytes read as zeros. A number with the top bit set is a page
/// that a fork has allocated.
@usableFromInline
package struct PageNumber: Hashable, Sendable, BitwiseCopyable {
  /// The number, as pages contain it.
  @usableFromInline package let rawValue: UInt32

  @inlinable
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No page.
  @inlinable package static var none: PageNumber { PageNumber(rawValue: 0) }

  /// A Boolean value that indicates whether the number is ``none``.
  @inlinable package var isNone: Bool { rawValue == 0 }

  /// The bit that is set in the numbers of a fork's own pages.
  @inlinable static var forkBit: UInt32 { 1 << 31 }
}

extension PageNumber: CustomStringConvertible {
  /// The number, and whether the page belongs to a fork.
  @usableFromInline package var description: String {
    rawValue & Self.forkBit == 0
      ? "page \(rawValue)" : "page \(rawValue ^ Self.forkBit) of the fork"
  }
}

/// A type of values that pages can contain, with 1, 4, 8 or 16 bytes in the machine's byte order.
@usableFromInline
package protocol PageElement: BitwiseCopyable, Equatable, Sendable {
  /// The value at an offset of a new page, before the first store to this offset.
  static var zero: Self { get }
}

extension UInt8: PageElement {}
extension UInt32: PageElement {}
extension UInt64: PageElement {}
extension Int: PageElement {}
extension Int64: PageElement {}
extension UInt: PageElement {}

/// A pair of 64-bit integers that a page contains at adjacent offsets.
@usableFromInline
package struct PagePair: PageElement, Hashable {
  @usableFromInline package var first: UInt64
  @usableFromInline package var second: UInt64

  @inlinable
  package init(_ first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }

  @inlinable package static var zero: PagePair { PagePair(0, second: 0) }
}
