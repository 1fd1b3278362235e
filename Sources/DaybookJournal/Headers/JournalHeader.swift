/// The first page of a journal, which identifies the file format and the journal.
///
/// ```
///     0  magic             8 bytes  89 44 41 59 0D 0A 1A 0A   (\x89 D A Y \r \n \x1A \n)
///     8  version           u16      1
///    10  oldest reader     u16      a build of a lower version must not read the file
///    12  oldest writer     u16      a build of a lower version must not write the file
///    14  reserved          u16      0
///    16  identity          16 bytes, random, chosen once, kept by compaction
///    32  salt              u64      random, chosen for this file; seeds every checksum in it
///    40  created           i64      nanoseconds since 1970
///    48  reserved          16 bytes of 0
///    64  frozen check      u64      the checksum of the 64 bytes above, seeded with 0
///    72  base sequence     u64      the last dropped transaction; 0 if none was; below 2^63
///    80  base time         i64      of that transaction
///    88  base check        u64      the checksum that ended its frame in the previous file
///    96  zeros
///  4088  page check        u64      the checksum of everything above, seeded with the salt
/// ```
///
/// The first 72 bytes are *frozen*: their meaning is the same in every version of the format. So
/// any build can identify any journal. A copy of the page is at 4096.
package struct JournalHeader: Hashable, Sendable {
  package static let magic: [UInt8] = [0x89, 0x44, 0x41, 0x59, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The version that this build writes, and the newest version that it reads.
  package static let version: UInt16 = 1
  package static let frozenByteCount = 64
  package static let pageCheckOffset = 4088
  /// The largest base sequence. No journal reaches half of it.
  package static let baseSequenceMax = SequenceNumber(UInt64(Int64.max))

  package var versions = FormatVersions(
    version: JournalHeader.version, oldestReader: 1, oldestWriter: 1)
  package var identity: JournalIdentity
  package var salt: UInt64
  package var created: JournalTime
  /// The base of a compacted journal: the last transaction that compaction dropped. The file starts
  /// with the state after this transaction.
  ///
  /// The base's checksum ended the frame of that transaction in the previous file. A follower that
  /// has read up to the base compares the checksum, and so recognizes that this file continues the
  /// previous one.
  package var base: ChainPoint
  /// The checksum that ends the page. The first frame contains it as its previous check.
  package internal(set) var pageChecksum: UInt64 = 0

  package init(
    identity: JournalIdentity, salt: UInt64, created: JournalTime, base: ChainPoint = .noBase
  ) {
    self.identity = identity
    self.salt = salt
    self.created = created
    self.base = base
    pageChecksum = page().withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: JournalHeader.pageCheckOffset, as: UInt64.self)
        .littleEndian
    }
  }

  /// Returns the page as stored in the file.
  package func page() -> [UInt8] {
    var page = PageWriter()
    page.append(JournalHeader.magic)
    page.append(versions.version)
    page.append(versions.oldestReader)
    page.append(versions.oldestWriter)
    page.append(0 as UInt16)
    page.append(identity.high)
    page.append(identity.low)
    page.append(salt)
    page.append(created.nanoseconds)
    page.append(0 as UInt64)
    page.append(0 as UInt64)
    page.appendCheck(seed: 0)
    page.append(base.sequence.rawValue)
    page.append(base.time.nanoseconds)
    page.append(base.checksum)
    page.fill(to: JournalHeader.pageCheckOffset)
    page.appendCheck(seed: salt)
    return page.bytes
  }
}

/// The permanent identity of a journal: a random number that is chosen when the journal is created.
/// Compaction and backups keep the identity.
public struct JournalIdentity: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension JournalIdentity: Codable {
  /// Encodes the identity as a string of thirty-two hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Creates an identity from a string of thirty-two hexadecimal digits.
  ///
  /// - Throws: `DecodingError` for any other value
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let digits = try container.decode(String.self)
    guard let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.dropFirst(16), radix: 16)
    else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(digits)\" is not the identity of a journal.")
    }
    self.init(high: high, low: low)
    guard description == digits else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(digits)\" is not the identity of a journal.")
    }
  }
}

extension JournalIdentity: CustomStringConvertible {
  /// The identity as thirty-two hexadecimal digits.
  public var description: String { Hexadecimal.digits(high) + Hexadecimal.digits(low) }
}

/// The identity of a state: a moment in the history of one journal file. A derived file records it,
/// so that a reader of the file can verify the state that the file was derived from.
package struct JournalMoment: Hashable, Sendable {
  /// The permanent identity of the journal.
  package var identity: JournalIdentity
  /// The salt, which identifies the file of the journal.
  package var salt: UInt64
  /// The last transaction before the moment.
  package var sequence: SequenceNumber
  /// The checksum at the end of that transaction's frame. This checksum depends on every byte
  /// before it. For a moment before the first transaction, it is the checksum of the header page.
  package var checksum: UInt64

  package init(
    identity: JournalIdentity, salt: UInt64, sequence: SequenceNumber, checksum: UInt64
  ) {
    self.identity = identity
    self.salt = salt
    self.sequence = sequence
    self.checksum = checksum
  }
}

/// The three versions in the frozen bytes of a header; see the drawing of ``JournalHeader``.
package struct FormatVersions: Hashable, Sendable {
  package var version: UInt16
  package var oldestReader: UInt16
  package var oldestWriter: UInt16

  package init(version: UInt16, oldestReader: UInt16, oldestWriter: UInt16) {
    self.version = version
    self.oldestReader = oldestReader
    self.oldestWriter = oldestWriter
  }
}

/// The offsets of the parts of a journal file.
///
/// ```
///      0  header, first copy    ┐ never rewritten
///   4096  header, second copy   ┘
///   8192  durability mark       ┐ written alternately
///  12288  durability mark       ┘
///  16384  frames, without a gap, then zeros to the end
/// ```
///
/// Each of the first four parts has its own page of 4 KiB, so that a write of one part cannot
/// damage a different part.
package enum JournalLayout {
  package static let pageByteCount = 4096
  package static let headerOffsets: [UInt64] = [0, 4096]
  package static let markOffsets: [UInt64] = [8192, 12288]
  package static let firstFrameOffset: UInt64 = 16384
}

/// The result of reading one copy of the header.
package enum HeaderCopy: Hashable, Sendable {
  case good(JournalHeader)
  /// The frozen bytes are valid and contain versions that this build cannot read.
  case newer(FormatVersions)
  /// The file ends before this copy, starts with other bytes, or has wrong checksums.
  case bad(BadHeader)
}

/// The reasons why a copy of the header is not usable.
package enum BadHeader: Hashable, Sendable {
  case short
  /// The first bytes are not those of a journal.
  case foreign
  case checksum
}

extension JournalHeader {
  /// Reads one copy of the header from its page.
  package static func read(_ page: ByteView) -> HeaderCopy {
    let frozenEnd = frozenByteCount
    // A short file that does not start as a journal is reported as foreign and not as short,
    // because that message is more helpful.
    let hasMagic = zip(0..<min(page.count, magic.count), magic).allSatisfy { page[$0] == $1 }
    guard hasMagic else { return .bad(.foreign) }
    guard page.count >= frozenEnd + 8 else { return .bad(.short) }
    guard checksum(page, in: 0..<frozenEnd, seed: 0) == page.load(frozenEnd, as: UInt64.self) else {
      return .bad(.checksum)
    }
    let versions = FormatVersions(
      version: page.load(8, as: UInt16.self), oldestReader: page.load(10, as: UInt16.self),
      oldestWriter: page.load(12, as: UInt16.self))
    guard versions.oldestReader <= version else { return .newer(versions) }

    let salt = page.load(32, as: UInt64.self)
    guard page.count >= JournalLayout.pageByteCount else { return .bad(.short) }
    let pageChecksum = page.load(pageCheckOffset, as: UInt64.self)
    guard checksum(page, in: 0..<pageCheckOffset, seed: salt) == pageChecksum else {
      return .bad(.checksum)
    }

    // A base above the limit is invalid, because too few numbers would be left for later
    // transactions.
    let baseSequence = SequenceNumber(page.load(72, as: UInt64.self))
    guard baseSequence <= baseSequenceMax else { return .bad(.checksum) }

    var header = JournalHeader(
      identity: JournalIdentity(
        high: page.load(16, as: UInt64.self), low: page.load(24, as: UInt64.self)),
      salt: salt,
      created: JournalTime(nanoseconds: page.load(40, as: Int64.self)),
      base: ChainPoint(
        sequence: baseSequence,
        time: JournalTime(nanoseconds: page.load(80, as: Int64.self)),
        checksum: page.load(88, as: UInt64.self)))
    header.versions = versions
    // The initializer has computed the checksum of a page that this version would write. A newer
    // version may store values in bytes that are zero in this version, so the stored checksum is
    // used.
    header.pageChecksum = pageChecksum
    return .good(header)
  }

  private static func checksum(_ page: ByteView, in range: Range<Int>, seed: UInt64) -> UInt64 {
    page[range].withSpan { XXH64.checksum($0, seed: seed) }
  }
}
