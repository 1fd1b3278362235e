import DaybookJournal
import DaybookPlatform

/// A writer that copies the pages of structures into a file, one after the other. A checkpoint uses
/// it. The copies get new numbers, starting with 1, so the file contains no unused pages.
///
/// The caller copies the children of a page before the page, because the copy of the page contains
/// the children's new numbers.
struct PageCopy: ~Copyable {
  private let space: PageSpace
  private let file: any DiskFile
  private let seed: UInt64
  /// The bytes of the current piece.
  private var piece: [UInt8] = []
  /// The offset of the next piece in the file.
  private(set) var offset: UInt64
  /// The number of pages in the file, including page 0, which means no page and contains zeros.
  private(set) var pageCount = 1
  /// The checksum of each piece.
  private(set) var checks: [UInt64] = []

  /// The size of each piece except the last, in bytes.
  ///
  /// Each piece is written in one call, and pieces are small. The system can cache bytes that were
  /// written in one call as one unit. If a process maps the file and reads one byte, the system
  /// counts the whole unit as memory of the process.
  static let pieceByteCount = 64 << 10

  /// Creates a writer that copies pages to an offset of a file. The pages must not change until the
  /// copy is finished.
  ///
  /// - Parameters:
  ///   - space: The space of the pages.
  ///   - file: The file to write to.
  ///   - offset: The offset of the first page in the file.
  ///   - seed: The seed of the checksums.
  init(of space: PageSpace, to file: any DiskFile, at offset: UInt64, seed: UInt64) {
    self.space = space
    self.file = file
    self.offset = offset
    self.seed = seed
    piece.reserveCapacity(PageCopy.pieceByteCount)
    piece.append(contentsOf: repeatElement(0, count: PageSpace.pageByteCount))
  }

  /// Copies a page, and returns the number of the copy.
  ///
  /// - Parameters:
  ///   - page: The page to copy.
  ///   - links: The page numbers to replace in the copy, each as an offset in the page and the new
  ///     number.
  mutating func add(
    _ page: PageNumber, links: [(offset: Int, page: PageNumber)] = []
  ) throws(DiskError) -> PageNumber {
    if piece.count == PageCopy.pieceByteCount { try flush() }
    let start = piece.count
    space.withBytes(of: page) { bytes in
      bytes.withUnsafeBytes { piece.append(contentsOf: $0) }
    }
    for (offset, page) in links {
      precondition(
        offset >= 0 && offset + 4 <= PageSpace.pageByteCount,
        "a link at \(offset) is outside the page")
      withUnsafeBytes(of: page.rawValue) { bytes in
        for index in bytes.indices { piece[start + offset + index] = bytes[index] }
      }
    }
    let number = PageNumber(rawValue: UInt32(pageCount))
    pageCount += 1
    return number
  }

  /// Writes the last piece.
  mutating func finish() throws(DiskError) { try flush() }

  private mutating func flush() throws(DiskError) {
    try file.writeAll(piece.span.bytes, at: offset)
    checks.append(XXH64.checksum(piece.span.bytes, seed: seed))
    offset += UInt64(piece.count)
    piece.removeAll(keepingCapacity: true)
  }

  /// Returns the page number that a page contains at an offset.
  fileprivate func number(_ page: PageNumber, at offset: Int) -> PageNumber {
    PageNumber(rawValue: space.load(page, at: offset, as: UInt32.self))
  }

  fileprivate func bytes(of page: PageNumber) -> PageBytes { space.bytes(of: page) }
}

extension PageArray {
  /// A function that copies the page of an element, which is a page number, and returns the number
  /// of the copy.
  fileprivate typealias Link = (PageNumber, inout PageCopy) throws(DiskError) -> PageNumber

  /// Copies the pages of the array, and returns the array of the copies.
  ///
  /// - Complexity: O(pages)
  func copied(to copy: inout PageCopy) throws(DiskError) -> PageArray {
    try copied(to: &copy, link: nil)
  }

  /// Copies the pages of the array, and returns the array of the copies.
  ///
  /// - Parameter link: A function that copies the page of an element, if the elements are page
  ///   numbers; otherwise nil.
  fileprivate func copied(to copy: inout PageCopy, link: Link?) throws(DiskError) -> PageArray {
    var array = self
    array.root = try copied(root, levels: Int(height), to: &copy, link: link)
    return array
  }

  private func copied(
    _ page: PageNumber, levels: Int, to copy: inout PageCopy, link: Link?
  ) throws(DiskError) -> PageNumber {
    guard !page.isNone else { return .none }
    guard levels > 1 || link != nil else { return try copy.add(page) }
    var links: [(offset: Int, page: PageNumber)] = []
    for offset in stride(from: 0, to: PageSpace.pageByteCount, by: 4) {
      let child = copy.number(page, at: offset)
      guard !child.isNone else { continue }
      let number =
        if levels > 1 {
          try copied(child, levels: levels - 1, to: &copy, link: link)
        } else if let link {
          try link(child, &copy)
        } else {
          child
        }
      links.append((offset, number))
    }
    return try copy.add(page, links: links)
  }
}

extension SlotTable {
  /// Copies the pages of the table, and returns the table of the copies.
  ///
  /// - Complexity: O(pages)
  func copied(to copy: inout PageCopy) throws(DiskError) -> SlotTable {
    var table = self
    table.buckets = try buckets.copied(to: &copy) { (first, copy) throws(DiskError) in
      var chain: [PageNumber] = []
      var page = first
      while !page.isNone {
        chain.append(page)
        page = SlotBucket(copy.bytes(of: page)).next
      }
      var next = PageNumber.none
      for page in chain.reversed() {
        next = try copy.add(page, links: [(SlotBucket.nextOffset, next)])
      }
      return next
    }
    return table
  }
}

extension PageTree {
  /// Copies the pages of the tree, and returns the tree of the copies.
  ///
  /// - Complexity: O(pages)
  func copied(to copy: inout PageCopy) throws(DiskError) -> PageTree {
    guard count > 0 else { return PageTree() }
    var tree = self
    tree.root = try copied(root, to: &copy)
    return tree
  }

  private func copied(
    _ number: PageNumber, to copy: inout PageCopy
  ) throws(DiskError) -> PageNumber {
    let page = TreePage(copy.bytes(of: number))
    var links: [(offset: Int, page: PageNumber)] = []
    if !page.isLeaf {
      for index in 0..<page.count {
        links.append((TreePage.offset(ofChild: index), try copied(page.child(index), to: &copy)))
      }
    }
    return try copy.add(number, links: links)
  }
}
