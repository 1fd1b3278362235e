import DaybookPlatform

/// The live pins of a space, the dead pages that they keep, and the free pages.
///
/// The lifetime of a page is from the epoch of its birth to the epoch of its death. The pins are a
/// list from the oldest to the newest. Each dead page is in the list of the newest pin that sees
/// it. When a pin is released, each of its pages moves to the next older pin if that pin sees the
/// page, and becomes free otherwise. So a page is free exactly when no live pin is within its
/// lifetime.
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
  private struct Pin {
    var epoch: UInt64
    /// The number of references to the pin.
    var holderCount: Int
    var older: Int?
    var newer: Int?
    /// The indexes of the dead pages for which this is the newest pin that sees them.
    var garbage: [UInt32] = []
  }

  /// The pins, including vacant positions.
  private var pins: [Pin] = []
  private var vacant: [Int] = []
  private var newest: Int?

  private var free: [UInt32] = []
  private(set) var garbageCount = 0
  /// The first index that was never used. Index zero is reserved for none.
  private(set) var unusedIndex: UInt32 = 1
  /// The end of the indexes whose pages may contain nonzero bytes although the lists never
  /// allocated them.
  private var writtenIndex: UInt32 = 0
  /// The first index that can be allocated.
  private var firstIndex: UInt32 = 1

  var freeCount: Int { free.count }
  var inUseCount: Int { Int(unusedIndex - firstIndex) - free.count - garbageCount }
  private(set) var chunkCount = 0

  // MARK: Pins

  /// Pins an epoch, which must not be older than the epoch of any other pin.
  mutating func pin(_ epoch: UInt64) -> Int {
    if let newest, pins[newest].epoch == epoch {
      pins[newest].holderCount += 1
      return newest
    }
    precondition(
      newest.map { pins[$0].epoch < epoch } ?? true, "epoch \(epoch) was pinned after a newer one")
    let place: Int
    if let last = vacant.popLast() {
      place = last
      pins[place].epoch = epoch
      pins[place].holderCount = 1
      pins[place].older = newest
    } else {
      place = pins.count
      pins.append(Pin(epoch: epoch, holderCount: 1, older: newest, newer: nil))
    }
    if let newest { pins[newest].newer = place }
    newest = place
    return place
  }

  /// Releases one reference to a pin.
  ///
  /// - Complexity: O(1); for the last reference, O(dead pages kept by the pin).
  mutating func release(_ place: Int, in directory: PageDirectory) {
    precondition(pins[place].holderCount > 0, "a pin at \(place) was released too often")
    pins[place].holderCount -= 1
    guard pins[place].holderCount == 0 else { return }
    let older = pins[place].older
    let newer = pins[place].newer
    if let older { pins[older].newer = newer }
    if let newer { pins[newer].older = older } else { newest = older }
    pins[place].older = nil
    pins[place].newer = nil

    var garbage: [UInt32] = []
    swap(&garbage, &pins[place].garbage)
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
    // Most programs pin every transaction, so small lists are reused.
    if garbage.capacity <= 1024 {
      garbage.removeAll(keepingCapacity: true)
      swap(&garbage, &pins[place].garbage)
    }
    vacant.append(place)
  }

  /// Returns whether a live pin sees a page that was born in an epoch and is still alive.
  func sees(_ birth: UInt64) -> Bool {
    guard let newest else { return false }
    return pins[newest].epoch >= birth
  }

  // MARK: Pages

  /// Adds the chunk for the first page.
  mutating func addFirstChunk(_ directory: PageDirectory) {
    precondition(chunkCount == 0, "\(chunkCount) chunks exist before the first")
    directory.addChunk(0)
    chunkCount = 1
  }

  /// Starts after chunks that the lists do not allocate from.
  mutating func start(after chunkCount: Int) {
    precondition(self.chunkCount == 0, "\(self.chunkCount) chunks exist before the first")
    self.chunkCount = chunkCount
    firstIndex = UInt32(chunkCount * PageDirectory.chunkPageCount)
    unusedIndex = firstIndex
  }

  /// Adopts an existing first chunk.
  ///
  /// - Parameter writtenPageCount: The number of its first pages that may contain nonzero bytes.
  mutating func adoptFirstChunk(writtenPageCount: UInt32) {
    precondition(chunkCount == 0, "\(chunkCount) chunks exist before the first")
    chunkCount = 1
    writtenIndex = writtenPageCount
  }

  /// The number of pages, from the first on, that may contain nonzero bytes.
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

  /// Ends the lifetime of a page. The page is kept if a pin sees it, and becomes free otherwise.
  mutating func retire(_ index: UInt32, in directory: PageDirectory) {
    if let newest, pins[newest].epoch >= directory.birth(index) {
      pins[newest].garbage.append(index)
      garbageCount += 1
    } else {
      setFree(index, in: directory)
    }
  }

  private mutating func setFree(_ index: UInt32, in directory: PageDirectory) {
    directory.setBirth(of: index, to: 0)
    #if DAYBOOK_CHECKS
      Memory.fill(
        directory.address(index), with: 0xDB, byteCount: PageDirectory.pageByteCount)
    #endif
    free.append(index)
  }
}
