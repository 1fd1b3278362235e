import DaybookJournal
import DaybookSimulation
import DaybookStore
import Testing

@Suite("Keeping old pages") struct PageSpaceBytesTests {
  @Test func `an unpinned page is edited in place`() {
    let space = PageSpace()
    let page = space.allocate()
    space.store(UInt64(7), in: page, at: 1016)
    #expect(space.editable(page) == page)
    #expect(space.load(page, at: 1016, as: UInt64.self) == 7)
    #expect(space.statistics == counts(inUse: 1))
  }

  @Test func `a pinned page is copied once, and the pin reads the old page`() {
    let space = PageSpace()
    let page = space.allocate()
    space.store(UInt32(1), in: page, at: 0)
    let pin = space.pin()
    let copy = space.editable(page)
    #expect(copy != page)
    #expect(space.load(copy, at: 0, as: UInt32.self) == 1)
    space.store(UInt32(2), in: copy, at: 0)
    #expect(space.editable(copy) == copy)
    #expect(space.load(page, at: 0, as: UInt32.self) == 1)
    #expect(space.statistics == counts(inUse: 1, garbage: 1))
    withExtendedLifetime(pin) {}
  }

  @Test func `a page without pins is edited in place again`() {
    let space = PageSpace()
    let page = space.allocate()
    do {
      let pin = space.pin()
      let again = space.pin()
      withExtendedLifetime((pin, again)) {}
    }
    #expect(space.editable(page) == page)
    #expect(space.statistics == counts(inUse: 1))
  }

  @Test func `pins taken without an edit between them share one copy`() {
    let space = PageSpace()
    var page = space.allocate()
    let pins = (0..<5).map { _ in space.pin() }
    for _ in 0..<5 { page = space.editable(page) }
    #expect(space.statistics == counts(inUse: 1, garbage: 1))
    withExtendedLifetime(pins) {}
  }

  @Test func `a dead page is reused when the last pin within its lifetime is released`() {
    let space = PageSpace()
    var page = space.allocate()
    var pins: [PagePin?] = []
    for _ in 0..<4 {
      pins.append(space.pin())
      page = space.editable(page)
    }
    // Each of the four old pages is visible to one pin.
    #expect(space.statistics == counts(inUse: 1, garbage: 4))
    pins[2] = nil
    #expect(space.statistics == counts(inUse: 1, garbage: 3, free: 1))
    pins[0] = nil
    #expect(space.statistics == counts(inUse: 1, garbage: 2, free: 2))
    pins[3] = nil
    pins[1] = nil
    #expect(space.statistics == counts(inUse: 1, free: 4))
  }

  @Test func `a dead page visible to several pins is reused after all are released`() {
    for last in 0..<3 {
      let space = PageSpace()
      let kept = space.allocate()
      var other = space.allocate()
      var pins: [PagePin?] = []
      for _ in 0..<3 {
        pins.append(space.pin())
        other = space.editable(other)
      }
      space.free(kept)
      space.free(other)
      #expect(space.statistics == counts(inUse: 0, garbage: 4, free: 1))
      for place in (0..<3).reversed() where place != last { pins[place] = nil }
      #expect(space.statistics == counts(inUse: 0, garbage: 2, free: 3))
      pins[last] = nil
      #expect(space.statistics == counts(inUse: 0, free: 5))
    }
  }

  @Test func `an old pin keeps its own pages and no others`() {
    let space = PageSpace()
    var array = PageArray(elementByteCount: 8)
    array.append(contentsOf: (0..<10_000).map { UInt64($0) }, in: space)
    let pageCount = reachable([array], in: space).count
    let (ancient, old) = (space.pin(), array)
    var generator = SplitMix64(seed: 3)
    var pin = space.pin()
    for edit in 0..<10_000 {
      array.set(Int(generator.next() % 10_000), to: UInt64(edit), in: space)
      pin = space.pin()
    }
    let statistics = space.statistics
    #expect(statistics.inUseCount == pageCount)
    #expect(reachable([old, array], in: space).count == 2 * pageCount)
    #expect(statistics.garbageCount == pageCount)
    // In addition, at most the pages of one edit were in use.
    #expect(statistics.freeCount <= 3)
    old.forEach(as: UInt64.self, in: space) { index, element in
      #expect(element == UInt64(index))
    }
    withExtendedLifetime((ancient, pin)) {}
  }

  @Test func `a reused page contains zeros`() {
    let space = PageSpace()
    let page = space.allocate()
    for offset in stride(from: 0, to: 1024, by: 16) {
      space.store(PagePair(.max, second: .max), in: page, at: offset)
    }
    space.free(page)
    let again = space.allocate()
    #expect(again == page)
    for offset in stride(from: 0, to: 1024, by: 16) {
      #expect(space.load(again, at: offset, as: PagePair.self) == .zero)
    }
  }

  @Test func `the page number none reads as zeros, also in a fork`() {
    let space = PageSpace()
    let fork = PageSpace(over: space.pin())
    #expect(space.load(.none, at: 8, as: UInt64.self) == 0)
    #expect(fork.load(.none, at: 8, as: UInt64.self) == 0)
  }

  @Test func `a page contains the stored bytes and zeros`() {
    let space = PageSpace()
    let page = space.allocate()
    space.store(UInt32(0x0403_0201), in: page, at: 1020)
    space.withBytes(of: page) { bytes in
      #expect(bytes.byteCount == PageSpace.pageByteCount)
      #expect(bytes.unsafeLoadUnaligned(fromByteOffset: 1020, as: UInt32.self) == 0x0403_0201)
      #expect(bytes.unsafeLoadUnaligned(fromByteOffset: 1012, as: UInt64.self) == 0)
    }
  }

  @Test func `pages continue in the next chunk`() {
    let space = PageSpace()
    let pages = (0..<2100).map { number in
      let page = space.allocate()
      space.store(UInt32(number), in: page, at: 512)
      return page
    }
    #expect(Set(pages).count == 2100)
    #expect(pages.indices.allSatisfy { space.load(pages[$0], at: 512, as: UInt32.self) == $0 })
    #expect(space.statistics.reservedByteCount == 3 * 1024 * (1024 + 8))
  }

  /// The first chunk is single; all others are allocated in pairs.
  @Test(arguments: [(1, 1), (1023, 1), (1024, 3), (3071, 3), (3072, 5), (9000, 9)])
  func `chunks after the first are allocated in pairs`(_ pageCount: Int, _ chunkCount: Int) {
    let space = PageSpace()
    let pages = (0..<pageCount).map { number in
      let page = space.allocate()
      space.store(UInt64(number), in: page, at: 0)
      space.store(~UInt64(number), in: page, at: 1016)
      return page
    }
    #expect(space.statistics.reservedByteCount == chunkCount * 1024 * (1024 + 8))
    for (number, page) in pages.enumerated() {
      #expect(space.load(page, at: 0, as: UInt64.self) == UInt64(number))
      #expect(space.load(page, at: 1016, as: UInt64.self) == ~UInt64(number))
    }
    // Births are stored after the pages of both chunks of a pair.
    let pin = space.pin()
    #expect(pages.allSatisfy { !space.isEditable($0) })
    let copies = pages.map { space.editable($0) }
    #expect(copies.allSatisfy(space.isEditable) && Set(pages).isDisjoint(with: copies))
    withExtendedLifetime(pin) {}
  }

  @Test func `a space over a file allocates chunks after those of the file`() {
    // The file contains one page of the second chunk.
    var bytes = [UInt8](repeating: 0, count: 1025 * 1024)
    bytes[1024 * 1024] = 7
    let space = PageSpace(over: ByteView(bytes))
    #expect(space.statistics.reservedByteCount == 0)
    let pages = (0..<2000).map { number in
      let page = space.allocate()
      space.store(UInt32(number), in: page, at: 4)
      return page
    }
    #expect(pages.first?.rawValue == 2048)
    #expect(pages.indices.allSatisfy { space.load(pages[$0], at: 4, as: UInt32.self) == $0 })
    #expect(space.load(PageNumber(rawValue: 1024), at: 0, as: UInt32.self) == 7)
    #expect(space.statistics.reservedByteCount == 3 * 1024 * (1024 + 8))
  }
}

@Suite("A fork of a space") struct PageForkBytesTests {
  @Test func `a fork edits copies and leaves the base pages unchanged`() {
    let space = PageSpace()
    let page = space.allocate()
    space.store(UInt64(1), in: page, at: 0)
    let pin = space.pin()
    let fork = PageSpace(over: pin)
    let copy = fork.editable(page)
    #expect(copy != page)
    fork.store(UInt64(2), in: copy, at: 0)
    #expect(fork.editable(copy) == copy)
    #expect(fork.load(page, at: 0, as: UInt64.self) == 1)
    #expect(fork.load(copy, at: 0, as: UInt64.self) == 2)
    #expect(space.load(page, at: 0, as: UInt64.self) == 1)
    #expect(fork.statistics.inUseCount == 1)
    fork.free(page)
    #expect(fork.statistics.inUseCount == 1)
    #expect(space.statistics == counts(inUse: 1))
  }

  @Test func `a fork keeps its base pages until it is released`() {
    let space = PageSpace()
    var page = space.allocate()
    space.store(UInt64(1), in: page, at: 0)
    let old = page
    var fork: PageSpace? = PageSpace(over: space.pin())
    page = space.editable(page)
    space.store(UInt64(2), in: page, at: 0)
    #expect(fork?.load(old, at: 0, as: UInt64.self) == 1)
    #expect(space.statistics == counts(inUse: 1, garbage: 1))
    fork = nil
    #expect(space.statistics == counts(inUse: 1, free: 1))
  }

  @Test func `a fork has its own pins`() {
    let space = PageSpace()
    let fork = PageSpace(over: space.pin())
    let page = fork.allocate()
    let pin = fork.pin()
    let copy = fork.editable(page)
    #expect(copy != page)
    #expect(fork.statistics.garbageCount == 1)
    withExtendedLifetime(pin) {}
  }

  @Test func `a fork allocates zeroed pages after another fork was released`() {
    let space = PageSpace()
    let pin = space.pin()
    // Smaller and larger forks alternate. Each reuses the pages of the previous one.
    for count in [3, 1, 5, 2, 4] {
      let fork = PageSpace(over: pin)
      let pages = (0..<count).map { _ in fork.allocate() }
      for page in pages {
        for offset in stride(from: 0, to: 1024, by: 8) {
          #expect(fork.load(page, at: offset, as: UInt64.self) == 0)
          fork.store(UInt64.max, in: page, at: offset)
        }
      }
      #expect(fork.load(.none, at: 0, as: UInt64.self) == 0)
      #expect(fork.statistics.inUseCount == count)
    }
  }

  @Test func `a space allocates zeroed pages after other small spaces were released`() {
    // Spaces of other tests may use the memory too, so each round has several spaces.
    for pageCount in [1, 5, 200, 300, 5] {
      let spaces = (0..<3).map { _ in PageSpace() }
      for (index, space) in spaces.enumerated() {
        let pin = space.pin()
        #expect(space.statistics.inUseCount == 0)
        for _ in 0..<pageCount {
          let page = space.allocate()
          let bytes = space.editableBytes(of: page)
          #expect(bytes.load(0, as: UInt64.self) == 0 && bytes.load(1016, as: UInt64.self) == 0)
          bytes.store(UInt64(index + 1), at: 0)
          bytes.store(UInt64.max, at: 1016)
        }
        #expect(space.bytes(of: .none).load(0, as: UInt64.self) == 0)
        #expect(space.statistics.inUseCount == pageCount)
        withExtendedLifetime(pin) {}
      }
    }
  }

  @Test func `forking a fork traps`() async {
    await #expect(processExitsWith: .failure) {
      let fork = PageSpace(over: PageSpace().pin())
      _ = PageSpace(over: fork.pin())
    }
  }
}

@Suite("Preconditions of a page space") struct PageRefusalBytesTests {
  @Test func `loading beyond the end of a page traps`() async {
    await #expect(processExitsWith: .failure) {
      let space = PageSpace()
      _ = space.load(space.allocate(), at: 1021, as: UInt32.self)
    }
  }

  @Test func `storing into the page number none traps`() async {
    await #expect(processExitsWith: .failure) {
      PageSpace().store(UInt32(1), in: .none, at: 0)
    }
  }

  @Test func `freeing a page twice traps`() async {
    await #expect(processExitsWith: .failure) {
      let space = PageSpace()
      let page = space.allocate()
      space.free(page)
      space.free(page)
    }
  }

  @Test func `editing a page that is not in use traps`() async {
    await #expect(processExitsWith: .failure) {
      let space = PageSpace()
      let page = space.allocate()
      space.free(page)
      _ = space.editable(page)
    }
  }

  #if DAYBOOK_CHECKS
    @Test func `storing into a pinned page traps`() async {
      await #expect(processExitsWith: .failure) {
        let space = PageSpace()
        let page = space.allocate()
        let pin = space.pin()
        space.store(UInt32(1), in: page, at: 0)
        withExtendedLifetime(pin) {}
      }
    }
  #endif
}

private func counts(inUse: Int, garbage: Int = 0, free: Int = 0) -> PageStatistics {
  PageStatistics(
    inUseCount: inUse, garbageCount: garbage, freeCount: free, reservedByteCount: 1024 * 1032)
}
