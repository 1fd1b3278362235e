extension PageArray {
  /// Sets the element at an index.
  @inlinable @inline(__always)
  package mutating func set<Element: PageElement>(
    _ index: Int, to element: Element, in space: PageSpace
  ) {
    check(index)
    checkWidth(Element.self)
    space.store(element, in: editableLeaf(index, in: space), at: offset(index))
  }

  /// Appends an element.
  @inlinable @inline(__always)
  package mutating func append<Element: PageElement>(_ element: Element, in space: PageSpace) {
    grow(to: count + 1, in: space)
    set(count - 1, to: element, in: space)
  }

  /// Appends elements. The method finds each leaf once for all its elements, which is faster than
  /// single calls.
  @inlinable
  package mutating func append<Elements: Sequence>(
    contentsOf elements: Elements, in space: PageSpace
  ) where Elements.Element: PageElement {
    checkWidth(Elements.Element.self)
    var iterator = elements.makeIterator()
    var next = iterator.next()
    while next != nil {
      let first = count
      grow(to: first + 1, in: space)
      let bytes = space.editableBytes(of: editableLeaf(first, in: space))
      var position = offset(first)
      while position < PageDirectory.pageByteCount, let element = next {
        bytes.store(element, at: position)
        position += elementByteCount
        next = iterator.next()
      }
      setCount(first + (position - offset(first)) >> Int(widthShift))
    }
  }

  /// Grows the array with zeros.
  ///
  /// - Complexity: O(log₂₅₆ count). Pages of zeros are not allocated, because missing pages read as
  ///   zeros.
  @inlinable @inline(__always)
  package mutating func grow(to newCount: Int, in space: PageSpace) {
    precondition(newCount >= count, "an array of \(count) elements cannot grow to \(newCount)")
    if newCount > capacity { heighten(to: newCount, in: space) }
    setCount(newCount)
  }

  /// Adds levels above the root, until the tree can contain a number of elements.
  @usableFromInline
  mutating func heighten(to newCount: Int, in space: PageSpace) {
    precondition(newCount <= Int(UInt32.max), "an array cannot have \(newCount) elements")
    while newCount > capacity {
      height += 1
      guard !root.isNone else { continue }
      let old = root
      root = space.allocate()
      space.store(old.rawValue, in: root, at: 0)
    }
  }

  /// Removes the last element. If its leaf then has no elements, the leaf is freed.
  package mutating func removeLast(in space: PageSpace) {
    precondition(count > 0, "the last element of an empty array was removed")
    let index = count - 1
    // All bytes after the last element must be zeros, because the array may grow again, and `grow`
    // does not clear them.
    if index & (leafElementCount - 1) == 0 {
      prune(index, in: space)
    } else if !leaf(index, in: space).isNone {
      let leaf = editableLeaf(index, in: space)
      switch elementByteCount {
      case 4: space.store(UInt32.zero, in: leaf, at: offset(index))
      case 8: space.store(UInt64.zero, in: leaf, at: offset(index))
      default: space.store(PagePair.zero, in: leaf, at: offset(index))
      }
    }
    setCount(index)
  }

  /// Frees the leaf that starts at an index, and all inner pages above it that start at the same
  /// index.
  private mutating func prune(_ index: Int, in space: PageSpace) {
    var parent: (page: PageNumber, offset: Int)?
    var page = root
    var shift = leafShift + 8 * (Int(height) - 1)
    // Descends to the highest page that starts at the index. The pages above it also contain
    // earlier elements, so they stay.
    while !page.isNone, index & (1 << shift - 1) != 0 {
      page = space.editable(page)
      link(page, under: parent, in: space)
      shift -= 8
      let childOffset = (index >> shift & 255) * 4
      parent = (page, childOffset)
      page = PageNumber(rawValue: space.load(page, at: childOffset, as: UInt32.self))
    }
    guard !page.isNone else { return }
    freeTree(page, levels: (shift - leafShift) / 8 + 1, in: space)
    link(.none, under: parent, in: space)
  }

  private mutating func link(
    _ page: PageNumber, under parent: (page: PageNumber, offset: Int)?, in space: PageSpace
  ) {
    if let parent {
      space.store(page.rawValue, in: parent.page, at: parent.offset)
    } else {
      root = page
    }
  }

  /// Removes all elements.
  ///
  /// - Complexity: O(pages)
  package mutating func removeAll(in space: PageSpace) {
    freeTree(root, levels: Int(height), in: space)
    root = .none
    height = 1
    setCount(0)
  }

  private func freeTree(_ page: PageNumber, levels: Int, in space: PageSpace) {
    guard !page.isNone else { return }
    if levels > 1 {
      for childOffset in stride(from: 0, to: PageSpace.pageByteCount, by: 4) {
        let child = PageNumber(rawValue: space.load(page, at: childOffset, as: UInt32.self))
        freeTree(child, levels: levels - 1, in: space)
      }
    }
    space.free(page)
  }

  /// Makes the leaf that contains an index editable, and returns its number.
  @inlinable @inline(__always)
  mutating func editableLeaf(_ index: Int, in space: PageSpace) -> PageNumber {
    // If the leaf is editable, the writer has already made all pages above it editable in this
    // epoch.
    let leaf = leaf(index, in: space)
    return space.isEditable(leaf) ? leaf : renewedLeaf(index, in: space)
  }

  /// Makes the pages from the root to the leaf that contains an index editable, and allocates
  /// missing pages. Returns the leaf.
  @usableFromInline
  mutating func renewedLeaf(_ index: Int, in space: PageSpace) -> PageNumber {
    root = root.isNone ? space.allocate() : space.editable(root)
    var page = root
    var shift = leafShift + 8 * (Int(height) - 2)
    while shift >= leafShift {
      let childOffset = (index >> shift & 255) * 4
      let old = PageNumber(rawValue: space.load(page, at: childOffset, as: UInt32.self))
      let child = old.isNone ? space.allocate() : space.editable(old)
      if child != old { space.store(child.rawValue, in: page, at: childOffset) }
      page = child
      shift -= 8
    }
    return page
  }
}

extension PageArray {
  /// Calls a closure with each page that can be reached from the root.
  ///
  /// - Complexity: O(pages)
  package func forEachPage(in space: PageSpace, _ body: (PageNumber) -> Void) {
    visit(root, levels: Int(height), in: space, body: body)
  }

  private func visit(
    _ page: PageNumber, levels: Int, in space: PageSpace, body: (PageNumber) -> Void
  ) {
    guard !page.isNone else { return }
    body(page)
    guard levels > 1 else { return }
    for childOffset in stride(from: 0, to: PageSpace.pageByteCount, by: 4) {
      let child = PageNumber(rawValue: space.load(page, at: childOffset, as: UInt32.self))
      visit(child, levels: levels - 1, in: space, body: body)
    }
  }
}
