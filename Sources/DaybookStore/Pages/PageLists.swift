import DaybookPlatform

/// The living pins of a space, what they keep of the dead, and what is free.
///
/// A page lives from the epoch of its birth to the epoch in which it died. The pins are a list from
/// the oldest to the newest, and each has the dead pages of which it is the newest that sees them.
/// When a pin goes, each of its pages goes to the next older pin if that one sees it too, and is
/// free otherwise. So a page is free exactly when no living pin lies within its lifetime.
///
/// ```
///   epochs   1     2     3     4     5   now
///   pins     A           B           C
///   page p   ├───────────────────┤            kept by B; when B goes, by A; then free
///   page q               ├───────┤            kept by B; then free
/// ```
///
/// Guarded by the one lock of the space.
struct PageLists {
  private struct Pin {
    var epoch: UInt64
    /// How many hold it.
    var holderCount: Int
    var older: Int?
    var newer: Int?
    /// The indices of the dead pages of which it is the newest pin that sees them.
    var garbage: [UInt32] = []
  }

  /// Places for pins, some of them vacant.
  private var pins: [Pin] = []
  private var vacant: [Int] = []
  private var newest: Int?

  private var free: [UInt32] = []
  private(set) var garbageCount = 0
  /// The first index that was never used. Index zero is none's.
  private(set) var unusedIndex: UInt32 = 1
  /// Pages before this one may hold something other than zeros, although the lists never gave them out.
  private var writtenIndex: UInt32 = 0
  /// The first index that can be used.
  private var firstIndex: UInt32 = 1

  var freeCount: Int { free.count }
  var inUseCount: Int { Int(unusedIndex - firstIndex) - free.count - garbageCount }
  private(set) var chunkCount = 0

  // MARK: Pins

  /// Pins an epoch, which is not before any other pin's.
  mutating func pin(_ epoch: UInt64) -> Int {
    if let newest, pins[newest].epoch == epoch {
      pins[newest].holderCount += 1
      return newest
    }
    precondition(newest.map { pins[$0].epoch < epoch } ?? true, "epoch \(epoch) is pinned late")
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

  /// Lets one holder of a pin go.
  ///
  /// - Complexity: O(1), and for the last holder O(the dead pages kept by the pin).
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
    // A pin for every transaction is the rule, so small lists are used again.
    if garbage.capacity <= 1024 {
      garbage.removeAll(keepingCapacity: true)
      swap(&garbage, &pins[place].garbage)
    }
    vacant.append(place)
  }

  /// Whether a living pin sees what was born in an epoch and has lived up to now.
  func sees(_ birth: UInt64) -> Bool {
    guard let newest else { return false }
    return pins[newest].epoch >= birth
  }

  // MARK: Pages

  /// Adds the chunk in which the first page will lie.
  mutating func addFirstChunk(_ directory: PageDirectory) {
    precondition(chunkCount == 0, "there are \(chunkCount) chunks before the first")
    directory.addChunk(0)
    chunkCount = 1
  }

  /// Begins behind chunks that are not the lists' to give.
  mutating func begin(behind chunkCount: Int) {
    precondition(self.chunkCount == 0, "there are \(self.chunkCount) chunks before the first")
    self.chunkCount = chunkCount
    firstIndex = UInt32(chunkCount * PageDirectory.chunkPageCount)
    unusedIndex = firstIndex
  }

  /// Takes over a first chunk that is there.
  ///
  /// - Parameter writtenPageCount: How many of its pages may hold something other than zeros.
  mutating func adoptFirstChunk(writtenPageCount: UInt32) {
    precondition(chunkCount == 0, "there are \(chunkCount) chunks before the first")
    chunkCount = 1
    writtenIndex = writtenPageCount
  }

  /// How many pages, from the first on, may hold something other than zeros.
  var writtenPageCount: UInt32 { max(writtenIndex, unusedIndex) }

  /// Takes a page for use, and says whether it may hold something other than zeros.
  mutating func take(_ directory: PageDirectory) -> (index: UInt32, isUsed: Bool) {
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

  /// Lets a page die that has lived up to now.
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
