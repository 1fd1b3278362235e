import DaybookJournal
import Synchronization

/// Memory in numbered pages of 1024 bytes, of which old states can be kept at the cost of what has
/// changed since.
///
/// One writer edits, any number of readers read. The writer asks for a page to be ``editable(_:)``
/// before it stores into it, and gets the same page, or a copy under another number if a pin may
/// still see the old one; the number in whatever led to the page is edited likewise, up to a root
/// that the caller keeps. A ``PagePin`` freezes what can be reached from the roots of its moment.
///
/// Time in a space is counted in epochs, and each page knows the epoch of its birth. A pin ends the
/// epoch if anything was edited in it. A page born in the present epoch is seen by no pin, and is
/// edited in place. So is an older page when the pins that saw it are gone. All others are copied,
/// and the old page is kept for as long as a pin lies within its lifetime; see ``PageLists``.
///
/// A fork is a space over a pin of another space. It reads that space's pages under their numbers,
/// and whatever it edits is copied into pages of its own, so that it can be dropped as a whole. What is edited of a space that begins with pages of a file is copied as well.
//
// Shared state
//
// - The bytes of pages and the tables of the directory: written by the writer alone, and in pages
//   that no reader was told of. Readers are told of a root under the caller's lock.
// - `writer`: the writer's alone, and `pin` is an act of the writer.
// - `lists`: a lock of its own, as pins are released on any thread. Whoever holds it may also write
//   the births and bytes of pages that become free.
@usableFromInline
package final class PageSpace: Sendable {
  /// What only the writer knows.
  @usableFromInline
  struct Writer {
    /// The present epoch.
    @usableFromInline var epoch: UInt64 = 1
    /// Whether anything was edited in it.
    @usableFromInline var isEdited = false
  }

  /// The space's own pages.
  @usableFromInline let own: PageDirectory
  /// Where numbers without the top bit are found.
  @usableFromInline let lower: PageDirectory
  /// Where numbers with the top bit are found.
  @usableFromInline let upper: PageDirectory
  /// The top bit, if numbers of own pages have it.
  @usableFromInline let ownBit: UInt32
  // Not a property of its own: each access to one would be checked for exclusivity.
  @usableFromInline nonisolated(unsafe) let writer: UnsafeMutablePointer<Writer>

  let lists = Mutex(PageLists())
  /// Directories with one chunk, left by forks and waiting for the next.
  private let spares = Mutex<[Spare]>([])

  private struct Spare {
    var directory: PageDirectory
    /// How many of its pages may hold something other than zeros.
    var writtenPageCount: UInt32
  }

  /// What keeps the pages under a fork as they are.
  private let base: PagePin?
  /// What keeps the first pages in memory, if they stand in a file.
  private let mapped: ByteView?

  /// A space without pages.
  package init() {
    own = PageDirectory()
    lower = own
    upper = .empty
    ownBit = 0
    base = nil
    mapped = nil
    writer = .allocate(capacity: 1)
    writer.initialize(to: Writer())
    // None reads as zeros from the first chunk, so it has to be there.
    lists.withLock { lists in lists.addFirstChunk(own) }
  }

  /// A space that begins with pages of a file, numbered from zero, of which the first is all zeros.
  ///
  /// They cost no memory until they are read, and none of the process's own then. Nothing is stored into
  /// them: an edit copies, and what the writer no longer has is left where it is.
  ///
  /// - Complexity: O(*n*) in the MiB of the file
  package init(over pages: ByteView) {
    own = PageDirectory(mapped: pages.withSpan { bytes in bytes.withUnsafeBytes { $0 } })
    lower = own
    upper = .empty
    ownBit = 0
    base = nil
    mapped = pages
    writer = .allocate(capacity: 1)
    writer.initialize(to: Writer())
    lists.withLock { lists in lists.begin(behind: own.mappedChunkCount) }
  }

  /// How many pages of a file a space can begin with: 32 GiB of them.
  static var mappedPageCountMax: Int { PageDirectory.mappedPageCountMax }

  /// A fork: a space that begins as another one was when the pin was taken.
  ///
  /// - Complexity: O(1)
  package init(over base: PagePin) {
    precondition(base.space.base == nil, "a fork of a fork was asked for; forks have one level")
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

  /// Keeps the memory of a small fork for the next one: to map it and give it back would cost more
  /// than most of what is done in one.
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

  /// Whether it is a fork of another space.
  package var isFork: Bool { base != nil }

  // MARK: Pins

  /// Freezes everything that can be reached now, for as long as the pin lives.
  ///
  /// An act of the writer: nothing may be edited meanwhile.
  ///
  /// - Complexity: O(1). It costs no page; the first edit of each page after it costs a copy, for
  ///   as long as the pin lives.
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

  /// How many pages there are of which kind; without those of the space under a fork, or of a file.
  package var statistics: PageStatistics {
    lists.withLock { lists in
      PageStatistics(
        inUseCount: lists.inUseCount, garbageCount: lists.garbageCount,
        freeCount: lists.freeCount,
        reservedByteCount: own.reservedByteCount(chunkCount: lists.chunkCount))
    }
  }
}

/// How many pages of a space there are of which kind.
package struct PageStatistics: Hashable, Sendable {
  /// Those that the writer has.
  package var inUseCount: Int
  /// Those that the writer no longer has, but a pin may read.
  package var garbageCount: Int
  /// Those that wait to be used again.
  package var freeCount: Int
  /// How much memory was asked of the system. What was never touched is not really taken.
  package var reservedByteCount: Int

  package init(inUseCount: Int, garbageCount: Int, freeCount: Int, reservedByteCount: Int) {
    self.inUseCount = inUseCount
    self.garbageCount = garbageCount
    self.freeCount = freeCount
    self.reservedByteCount = reservedByteCount
  }
}

/// What keeps everything that could be reached in a space at a moment as it was.
///
/// Whoever copies a root together with the pin reads through that root, from any thread, what was
/// there when the pin was taken. The pin is given up when the last reference to it goes, on
/// whatever thread that happens, and keeps its space alive until then.
package final class PagePin: Sendable {
  /// The space whose pages it keeps.
  package let space: PageSpace
  private let place: Int

  init(_ space: PageSpace, place: Int) {
    self.space = space
    self.place = place
  }

  deinit { space.release(place) }
}

/// The name of a page in a space.
///
/// Zero names none, which reads as zeros. Numbers with the top bit set belong to a fork.
@usableFromInline
package struct PageNumber: Hashable, Sendable, BitwiseCopyable {
  /// The number as pages hold it.
  @usableFromInline package let rawValue: UInt32

  @inlinable
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No page.
  @inlinable package static var none: PageNumber { PageNumber(rawValue: 0) }

  /// Whether it names no page.
  @inlinable package var isNone: Bool { rawValue == 0 }

  /// The bit that numbers of a fork's own pages have.
  @inlinable static var forkBit: UInt32 { 1 << 31 }
}

extension PageNumber: CustomStringConvertible {
  /// The number, and whose it is.
  @usableFromInline package var description: String {
    rawValue & Self.forkBit == 0
      ? "page \(rawValue)" : "page \(rawValue ^ Self.forkBit) of the fork"
  }
}

/// What a page can hold at an offset: a value of 4, 8 or 16 bytes, in the machine's order.
@usableFromInline
package protocol PageElement: BitwiseCopyable, Equatable, Sendable {
  /// What a page that was never written holds.
  static var zero: Self { get }
}

extension UInt32: PageElement {}
extension UInt64: PageElement {}
extension Int: PageElement {}
extension Int64: PageElement {}
extension UInt: PageElement {}

/// Two words that lie side by side.
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
