import DaybookPlatform

/// The live pins of a space, the dead pages that they keep, and the free pages. A page is *dead*
/// when the writer does not use it any more.
///
/// The lifetime of a page lasts from the epoch of its birth to the epoch of its death. A pin *sees*
/// a page if the pin's epoch is within this lifetime. The pins form a list from the oldest to the
/// newest. Each dead page is in the list `garbage` of the newest pin that sees it. When a pin is
/// released, each page in its list moves to the next older pin, if that pin sees the page;
/// otherwise the page becomes free. Therefore a dead page is free exactly when no live pin sees it.
///
/// ```
///   epochs   1     2     3     4     5   now
///   pins     A           B           C
///   page p   ├───────────────────┤            kept by B; after B is released, by A; then free
///   page q               ├───────┤            kept by B; then free
/// ```
///
/// The lock of the space guards the lists.
struct PageLists {
  /// A pin, or a vacant position for one. The indexes `older` and `newer` link the live pins.
  private struct Pin {
    var epoch: UInt64
    /// The number of references to the pin.
    var holderCount: Int
    var older: Int?
    var newer: Int?
    /// The indexes of the dead pages that this pin sees and no newer pin sees.
    var garbage: [UInt32] = []
  }

  /// The pins. Released pins leave vacant positions, which are listed in `vacant`.
  private var pins: [Pin] = []
  /// The vacant positions in `pins`.
  private var vacant: [Int] = []
  /// The position of the newest live pin; nil if there is no live pin.
  private var newest: Int?

  /// The indexes of the free pages.
  private var free: [UInt32] = []
  /// The number of dead pages that pins keep.
  private(set) var garbageCount = 0
  /// The first index that was never allocated. Index 0 is reserved for `PageNumber.none`.
  private(set) var unusedIndex: UInt32 = 1
  /// The end of the indexes whose pages may contain nonzero bytes of an earlier space, which used
  /// the same memory.
  private var writtenIndex: UInt32 = 0
  /// The first index that can be allocated.
  private var firstIndex: UInt32 = 1

  var freeCount: Int { free.count }
  var inUseCount: Int { Int(unusedIndex - firstIndex) - free.count - garbageCount }
  /// The number of chunks, including those of a mapped file.
  private(set) var chunkCount = 0

  // MARK: Pins

  /// Adds a reference to the pin of an epoch, and returns the pin's position. Creates the pin if it
  /// does not exist. The epoch must not be older than the epoch of an existing pin.
  mutating func pin(_ epoch: UInt64) -> Int {
    if let newest, pins[newest].epoch == epoch {
      pins[newest].holderCount += 1
      return newest
    }
    precondition(
      newest.map { pins[$0].epoch < epoch } ?? true, "epoch \(epoch) was pinned after a newer one")
    let position: Int
    if let last = vacant.popLast() {
      position = last
      pins[position].epoch = epoch
      pins[position].holderCount = 1
      pins[position].older = newest
    } else {
      position = pins.count
      pins.append(Pin(epoch: epoch, holderCount: 1, older: newest, newer: nil))
    }
    if let newest { pins[newest].newer = position }
    newest = position
    return position
  }

  /// Releases one reference to a pin.
  ///
  /// - Complexity: O(1). For the last reference it is O(*n*) in the number of pages in the pin's
  ///   list.
  mutating func release(_ position: Int, in directory: PageDirectory) {
    precondition(pins[position].holderCount > 0, "a pin at \(position) was released too often")
    pins[position].holderCount -= 1
    guard pins[position].holderCount == 0 else { return }
    let older = pins[position].older
    let newer = pins[position].newer
    if let older { pins[older].newer = newer }
    if let newer { pins[newer].older = older } else { newest = older }
    pins[position].older = nil
    pins[position].newer = nil

    var garbage: [UInt32] = []
    swap(&garbage, &pins[position].garbage)
    if let older {
      let epoch = pins[older].epoch
      for index in garbage {
        if directory.birth(index) <= epoch {
          pins[older].garbage.append(index)
        } else {
          garbageCount -= 1
          setFree(index, in: directory)
        }
      }
    } else {
      garbageCount -= garbage.count
      for index in garbage { setFree(index, in: directory) }
    }
    // Most programs create a pin for every transaction. The memory of a small list is kept for the
    // next pin at this position.
    if garbage.capacity <= 1024 {
      garbage.removeAll(keepingCapacity: true)
      swap(&garbage, &pins[position].garbage)
    }
    vacant.append(position)
  }

  /// Returns whether a live pin sees a page that is not dead, given the page's birth.
  func sees(_ birth: UInt64) -> Bool {
    guard let newest else { return false }
    return pins[newest].epoch >= birth
  }

  // MARK: Pages

  /// Adds the first chunk.
  mutating func addFirstChunk(_ directory: PageDirectory) {
    precondition(chunkCount == 0, "\(chunkCount) chunks exist before the first")
    directory.addChunk(0)
    chunkCount = 1
  }

  /// Excludes a number of first chunks, which are mapped from a file, from allocation.
  mutating func start(after chunkCount: Int) {
    precondition(self.chunkCount == 0, "\(self.chunkCount) chunks exist before the first")
    self.chunkCount = chunkCount
    firstIndex = UInt32(chunkCount * PageDirectory.chunkPageCount)
    unusedIndex = firstIndex
  }

  /// Uses the existing first chunk of a directory that an earlier space has left.
  ///
  /// - Parameter writtenPageCount: The number of pages, from the first one on, that may contain
  ///   nonzero bytes.
  mutating func adoptFirstChunk(writtenPageCount: UInt32) {
    precondition(chunkCount == 0, "\(chunkCount) chunks exist before the first")
    chunkCount = 1
    writtenIndex = writtenPageCount
  }

  /// The number of pages, from the first one on, that may contain nonzero bytes.
  var writtenPageCount: UInt32 { max(writtenIndex, unusedIndex) }

  /// Allocates a page, and returns its index and whether it may contain nonzero bytes.
  mutating func allocate(in directory: PageDirectory) -> (index: UInt32, isUsed: Bool) {
    if let index = free.popLast() { return (index, true) }
    let index = unusedIndex
    let chunk = Int(index >> 10)
    if chunk == chunkCount {
      directory.addChunk(chunk)
      chunkCount += 1
    }
    unusedIndex += 1
    return (index, index < writtenIndex)
  }

  /// Ends the lifetime of a page. If a pin sees the page, the page is kept; otherwise it becomes
  /// free.
  mutating func retire(_ index: UInt32, in directory: PageDirectory) {
    if let newest, pins[newest].epoch >= directory.birth(index) {
      pins[newest].garbage.append(index)
      garbageCount += 1
    } else {
      setFree(index, in: directory)
    }
  }

  /// Adds a page to the free pages. Builds with `DAYBOOK_CHECKS` fill the page with 0xDB, so that
  /// tests detect a later read.
  private mutating func setFree(_ index: UInt32, in directory: PageDirectory) {
    directory.setBirth(of: index, to: 0)
    #if DAYBOOK_CHECKS
      Memory.fill(
        directory.address(index), with: 0xDB, byteCount: PageDirectory.pageByteCount)
    #endif
    free.append(index)
  }
}
