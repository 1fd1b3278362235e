/// What the bytes of one copy of the header turn out to be.
package enum HeaderCopy: Hashable, Sendable {
  case good(JournalHeader)
  /// The frozen bytes hold and name versions that this build does not know how to read.
  case newer(FormatVersions)
  /// Neither: the file ends before it, it begins with other bytes, or its checks do not hold.
  case bad(BadHeader)
}

/// Why a copy of the header cannot be used.
package enum BadHeader: Hashable, Sendable {
  case short
  /// Other bytes stand where the magic should.
  case foreign
  case check
}

extension JournalHeader {
  /// Reads one copy of the header from its page.
  package static func read(_ page: ByteView) -> HeaderCopy {
    let frozenEnd = frozenByteCount
    // A short file that begins with other bytes is foreign first: that says more of it.
    let hasMagic = zip(0..<min(page.count, magic.count), magic).allSatisfy { page[$0] == $1 }
    guard hasMagic else { return .bad(.foreign) }
    guard page.count >= frozenEnd + 8 else { return .bad(.short) }
    guard check(page, in: 0..<frozenEnd, seed: 0) == page.load(frozenEnd, as: UInt64.self) else {
      return .bad(.check)
    }
    let versions = FormatVersions(
      version: page.load(8, as: UInt16.self), oldestReader: page.load(10, as: UInt16.self),
      oldestWriter: page.load(12, as: UInt16.self))
    guard versions.oldestReader <= version else { return .newer(versions) }

    let salt = page.load(32, as: UInt64.self)
    guard page.count >= JournalLayout.pageByteCount else { return .bad(.short) }
    let pageCheck = page.load(pageCheckOffset, as: UInt64.self)
    guard check(page, in: 0..<pageCheckOffset, seed: salt) == pageCheck else { return .bad(.check) }

    // A base that leaves no numbers for what comes after it is no base.
    let baseSequence = SequenceNumber(page.load(72, as: UInt64.self))
    guard baseSequence <= baseSequenceMax else { return .bad(.check) }

    var header = JournalHeader(
      identity: JournalIdentity(
        high: page.load(16, as: UInt64.self), low: page.load(24, as: UInt64.self)),
      salt: salt,
      created: JournalTime(nanoseconds: page.load(40, as: Int64.self)),
      base: ChainPoint(
        sequence: baseSequence,
        time: JournalTime(nanoseconds: page.load(80, as: Int64.self)),
        check: page.load(88, as: UInt64.self)))
    header.versions = versions
    // A newer writer may have used bytes that are zero here, so the stored check is the one to go
    // by.
    header.pageCheck = pageCheck
    return .good(header)
  }

  private static func check(_ page: ByteView, in range: Range<Int>, seed: UInt64) -> UInt64 {
    page[range].withSpan { XXH64.check($0, seed: seed) }
  }
}
