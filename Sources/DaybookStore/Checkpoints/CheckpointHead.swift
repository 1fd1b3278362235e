import DaybookJournal

/// The header of a checkpoint file, which identifies the checkpoint and determines the positions of
/// its parts.
///
/// ```
///   0  magic              u64
///   8  version            u32
///  12  byte order         u32   the number 1 in the byte order of the machine
///  16  identity           2 × u64
///  32  salt               u64
///  40  sequence           u64   the last transaction of the state
///  48  time               i64   its time
///  56  last frame         u64   the offset of its frame
///  64  end offset         u64   the offset of the end of its frame
///  72  end checksum       u64   the checksum at the end of its frame
///  80  size of the roots  u64
///  88  roots checksum     u64
///  96  page count         u64
/// 104  list checksum      u64   of the list of page checksums
/// 112  zeros              8 bytes
/// 120  checksum           u64   of the 120 bytes above
/// 128  roots
///      zeros, to a multiple of 4096
///      pages, 1024 bytes each, the first of zeros
///      a checksum u64 for each 64 KiB of pages
/// ```
///
/// All checksums are XXH64 with the salt as their seed.
struct CheckpointHead: Hashable, Sendable {
  static let magic: UInt64 = DerivedFiles.checkpointMagic
  static let version: UInt32 = 5
  /// The earlier version, whose roots have no totals. It is also read.
  static let versionWithoutTotals: UInt32 = 4
  static let byteCount = 128
  static let pagesAlignment = 4096

  /// The version of the format.
  var version = CheckpointHead.version
  /// The identity and the salt of the journal, and the transaction of the checkpoint with its
  /// checksum.
  var moment: JournalMoment
  var time: JournalTime
  var lastFrameOffset: UInt64
  var endOffset: UInt64
  var rootsByteCount: Int
  var rootsCheck: UInt64
  var pageCount: Int
  var checksCheck: UInt64

  /// The offset of the pages.
  var pagesOffset: Int { CheckpointHead.pagesOffset(rootsByteCount: rootsByteCount) }

  static func pagesOffset(rootsByteCount: Int) -> Int {
    (byteCount + rootsByteCount + pagesAlignment - 1) / pagesAlignment * pagesAlignment
  }

  /// The offset of the end of the pages, and of the list of their checksums.
  var checksOffset: Int { pagesOffset + pageCount * PageSpace.pageByteCount }

  /// The number of page checksums.
  var checkCount: Int {
    (pageCount * PageSpace.pageByteCount + PageCopy.pieceByteCount - 1) / PageCopy.pieceByteCount
  }

  /// The size of the whole file in bytes.
  var fileByteCount: Int { checksOffset + checkCount * 8 }

  // MARK: Bytes

  var bytes: [UInt8] {
    var buffer = RowBuffer()
    buffer.append(CheckpointHead.magic)
    buffer.append(version)
    buffer.append(CheckpointHead.byteOrder)
    buffer.append(moment.identity.high)
    buffer.append(moment.identity.low)
    buffer.append(moment.salt)
    buffer.append(moment.sequence.rawValue)
    buffer.append(time.nanoseconds)
    buffer.append(lastFrameOffset)
    buffer.append(endOffset)
    buffer.append(moment.checksum)
    buffer.append(UInt64(rootsByteCount))
    buffer.append(rootsCheck)
    buffer.append(UInt64(pageCount))
    buffer.append(checksCheck)
    buffer.appendZeros(8)
    buffer.append(XXH64.checksum(buffer.bytes.span.bytes, seed: moment.salt))
    return buffer.bytes
  }

  /// The number 1 in the byte order of the machine, read as a little-endian number.
  private static var byteOrder: UInt32 { UInt32(1).littleEndian }
}

extension CheckpointHead {
  /// Creates a header from the first bytes of a file; nil if they are not a valid header of a file
  /// of that size.
  init?(_ bytes: [UInt8], fileByteCount: UInt64) {
    let span = bytes.span.bytes
    var cursor = ByteCursor()
    guard span.byteCount >= CheckpointHead.byteCount,
      cursor.number(span) == CheckpointHead.magic,
      let version = cursor.number(span, as: UInt32.self),
      (CheckpointHead.versionWithoutTotals...CheckpointHead.version).contains(version),
      cursor.number(span) == CheckpointHead.byteOrder,
      let high = cursor.number(span, as: UInt64.self),
      let low = cursor.number(span, as: UInt64.self),
      let salt = cursor.number(span, as: UInt64.self),
      span.number(at: 120, as: UInt64.self)
        == XXH64.checksum(span.extracting(0..<120), seed: salt),
      let sequence = cursor.number(span, as: UInt64.self),
      let time = cursor.number(span, as: Int64.self),
      let lastFrameOffset = cursor.number(span, as: UInt64.self),
      let endOffset = cursor.number(span, as: UInt64.self),
      let checksum = cursor.number(span, as: UInt64.self),
      let rootsByteCount = cursor.number(span, as: UInt64.self),
      let rootsCheck = cursor.number(span, as: UInt64.self),
      let pageCount = cursor.number(span, as: UInt64.self),
      let checksCheck = cursor.number(span, as: UInt64.self),
      // The roots and the pages are each at most as long as the file, so the sums below cannot
      // overflow.
      rootsByteCount <= fileByteCount, fileByteCount < 1 << 48,
      pageCount >= 1, pageCount <= fileByteCount / UInt64(PageSpace.pageByteCount)
    else { return nil }
    self.version = version
    moment = JournalMoment(
      identity: JournalIdentity(high: high, low: low), salt: salt,
      sequence: SequenceNumber(sequence), checksum: checksum)
    self.time = JournalTime(nanoseconds: time)
    self.lastFrameOffset = lastFrameOffset
    self.endOffset = endOffset
    self.rootsByteCount = Int(rootsByteCount)
    self.rootsCheck = rootsCheck
    self.pageCount = Int(pageCount)
    self.checksCheck = checksCheck
    guard UInt64(self.fileByteCount) == fileByteCount else { return nil }
  }
}

/// The encoding of the roots of page structures: the number of elements, and the number of the page
/// where the structure starts.
///
/// ```
///   array   count u64   root u32   height u8
///   tree    count u64   root u32   height u8
///   table   count u64   mask u32   buckets, an array
/// ```
extension RowBuffer {
  mutating func append(_ array: PageArray) {
    append(UInt64(array.count))
    append(array.root.rawValue)
    append(array.height)
  }

  mutating func append(_ tree: PageTree) {
    append(UInt64(tree.count))
    append(tree.root.rawValue)
    append(UInt8(tree.height))
  }

  mutating func append(_ table: SlotTable) {
    append(UInt64(table.count))
    append(table.mask)
    append(table.buckets)
  }
}

extension ByteCursor {
  /// Reads the number of elements, the root page and the height of a structure. Returns nil if the
  /// root page is not in the file.
  private mutating func root(
    _ bytes: RawSpan, of pageCount: Int
  ) -> (count: Int, root: PageNumber, height: UInt8)? {
    guard let count = number(bytes, as: UInt64.self).flatMap(Int.init(exactly:)),
      let root = number(bytes, as: UInt32.self), Int(root) < pageCount,
      let height = number(bytes, as: UInt8.self), height <= 8
    else { return nil }
    return (count, PageNumber(rawValue: root), height)
  }

  mutating func array(
    _ bytes: RawSpan, elementByteCount: Int, of pageCount: Int
  ) -> PageArray? {
    var array = PageArray(elementByteCount: elementByteCount)
    guard let (count, root, height) = root(bytes, of: pageCount), height >= 1 else { return nil }
    array.root = root
    array.height = height
    guard count <= array.capacity else { return nil }
    array.setCount(count)
    return array
  }

  mutating func tree(_ bytes: RawSpan, of pageCount: Int) -> PageTree? {
    guard let (count, root, height) = root(bytes, of: pageCount), (count == 0) == root.isNone else {
      return nil
    }
    var tree = PageTree()
    tree.count = count
    tree.root = root
    tree.height = Int(height)
    return tree
  }

  mutating func table(_ bytes: RawSpan, of pageCount: Int) -> SlotTable? {
    var table = SlotTable()
    guard let count = number(bytes, as: UInt64.self).flatMap(Int.init(exactly:)),
      let mask = number(bytes, as: UInt32.self),
      let buckets = array(bytes, elementByteCount: 4, of: pageCount)
    else { return nil }
    table.count = count
    table.mask = mask
    table.buckets = buckets
    return table
  }
}
