import DaybookJournal
import Synchronization

/// Memory in numbered pages of 1024 bytes, with snapshots that cost only the pages that change
/// after them.
///
/// One writer edits, and any number of readers read. Before the writer stores into a page, it calls
/// ``editable(_:)``. The result is the same page, or a copy under a new number if a pin may still
/// read the old page. The writer stores a new number in the parent page, which it makes editable in
/// the same way, up to a root that the caller keeps. A ``PagePin`` freezes everything that can be
/// reached from the roots of its moment.
///
/// A space counts time in epochs, and records the epoch in which each page was born. A pin ends the
/// current epoch if anything was edited in it. No pin sees a page that was born in the current
/// epoch, so this page is edited in place. An older page is also edited in place if the pins that
/// saw it were released. All other pages are copied, and the old page is kept while a pin is within
/// its lifetime; see ``PageLists``.
///
/// A fork is a space over a pin of another space. It reads that space's pages under their numbers.
/// Pages that it edits are copied into its own pages, so that the fork can be dropped as a whole. A
/// space that starts with pages of a file also copies each of these pages before an edit.
//
// Shared state
//
// - The bytes of pages and the tables of the directory: only the writer writes them, and only in
//   pages
//   that no reader can reach. Readers receive a root under the caller's lock.
// - `writer`: only the writer accesses it. Only the writer may call `pin`.
// - `lists`: it has its own lock, because pins are released on any thread. The holder of the lock
//   may also
//   write the births and bytes of pages that become free.
@usableFromInline
package final class PageSpace: Sendable {
  /// The state that only the writer accesses.
  @usableFromInline
  struct Writer {
    /// The current epoch.
    @usableFromInline var epoch: UInt64 = 1
    /// A Boolean value that indicates whether anything was edited in the current epoch.
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
  // A pointer, because each access to a stored property would be checked for exclusivity.
  @usableFromInline nonisolated(unsafe) let writer: UnsafeMutablePointer<Writer>

  let lists = Mutex(PageLists())
  /// Directories with one chunk that deallocated forks left for later forks.
  private let spares = Mutex<[Spare]>([])

  private struct Spare {
    var directory: PageDirectory
    /// The number of its pages that may contain nonzero bytes.
    var writtenPageCount: UInt32
  }

  /// The pin that keeps the pages under a fork unchanged.
  private let base: PagePin?
  /// The owner of the mapped memory, if the first pages are in a file.
  private let mapped: ByteView?

  /// Creates a space without pages.
  package init() {
    own = PageDirectory()
    lower = own
    upper = .empty
    ownBit = 0
    base = nil
    mapped = nil
    writer = .allocate(capacity: 1)
    writer.initialize(to: Writer())
    // Page none reads as zeros from the first chunk, so that chunk must exist.
    lists.withLock { lists in lists.addFirstChunk(own) }
  }

  /// Creates a space that starts with pages of a file. They are numbered from zero, and the first
  /// page must contain zeros only.
  ///
  /// The pages take no memory until they are read, and then no private memory of the process. They
  /// are never stored into: an edit copies the page, and pages that the writer frees stay in the
  /// file.
  ///
  /// - Complexity: O(*n*) in the MiB of the file.
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

  /// The largest number of pages of a file that a space can start with. They have 32 GiB.
  static var mappedPageCountMax: Int { PageDirectory.mappedPageCountMax }

  /// Creates a fork: a space that starts with the contents of another space at the moment of a pin.
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

  /// Keeps the memory of a small fork for the next fork, and returns whether it did. Mapping and
  /// unmapping the memory would cost more than most of the work in a fork.
  private func giveOwnAway() -> Bool {
    guard let base else { return false }
    let (pageCount, writtenPageCount, chunkCount) = lists.withLock {
      ($0.unusedIndex, $0.writtenPageCount, $0.chunkCount)
    }
    guard chunkCount == 1, pageCount <= 256 else { return false }
    return base.space.spares.withLock { spares in
      guard spares.count < 8 else { return false }
      own.clearBirths(pageCount: Int(pageCount))
      spares.append(Spare(directory: own, writtenPageCount: writtenPageCount))
      return true
    }
  }

  /// A Boolean value that indicates whether the space is a fork of another space.
  package var isFork: Bool { base != nil }

  // MARK: Pins

  /// Freezes everything that can be reached from the current roots, during the life of the pin.
  ///
  /// Only the writer may call this, and nothing may be edited during the call.
  ///
  /// - Complexity: O(1). The call copies no page. During the life of the pin, the first edit of
  ///   each page copies it.
  package func pin() -> PagePin {
    if writer.pointee.isEdited {
      writer.pointee.epoch += 1
      writer.pointee.isEdited = false
    }
    let epoch = writer.pointee.epoch - 1
    return PagePin(self, place: lists.withLock { lists in lists.pin(epoch) })
  }

  func release(_ place: Int) {
    lists.withLock { lists in lists.release(place, in: own) }
  }

  // MARK: Counting

  /// The numbers of pages by their use, without the pages of the space under a fork or of a file.
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

/// A pin that keeps everything unchanged that could be reached in a space at a moment.
///
/// A reader that has a copy of a root and the pin reads the contents of that moment through the
/// root, on any thread. The pin is released with its last reference, on any thread, and keeps its
/// space alive until then.
package final class PagePin: Sendable {
  /// The space of the pinned pages.
  package let space: PageSpace
  private let place: Int

  init(_ space: PageSpace, place: Int) {
    self.space = space
    self.place = place
  }

  deinit { space.release(place) }
}

/// The number of a page in a space.
///
/// Zero is none, which reads as zeros. Numbers with the top bit belong to a fork.
@usableFromInline
package struct PageNumber: Hashable, Sendable, BitwiseCopyable {
  /// The number in the form that pages contain.
  @usableFromInline package let rawValue: UInt32

  @inlinable
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No page.
  @inlinable package static var none: PageNumber { PageNumber(rawValue: 0) }

  /// A Boolean value that indicates whether this is no page.
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

/// A value that a page can contain at an offset: it has 4, 8 or 16 bytes in the machine's byte
/// order.
@usableFromInline
package protocol PageElement: BitwiseCopyable, Equatable, Sendable {
  /// The value at an offset that was never written.
  static var zero: Self { get }
}

extension UInt32: PageElement {}
extension UInt64: PageElement {}
extension Int: PageElement {}
extension Int64: PageElement {}
extension UInt: PageElement {}

/// Two adjacent words.
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
