import DaybookJournal

/// A maker of the groups of one journal: a header, and frames with random payloads. Equal random
/// numbers give equal bytes.
package struct GroupMaker: Sendable {
  private let journal: JournalHeader
  /// The group that contains the header, and the frames of the base if the journal has one.
  package let header: FrameGroup

  /// Creates the header of a journal.
  ///
  /// - Parameter base: The last transaction that the base contains; 0 for a journal without a base.
  package init(base: SequenceNumber = .zero, using random: inout SplitMix64) {
    let salt = random.next()
    let header = JournalHeader(
      identity: JournalIdentity(high: random.next(), low: random.next()), salt: salt,
      created: JournalTime(nanoseconds: 0),
      base: ChainPoint(
        sequence: base, time: JournalTime(nanoseconds: 0),
        checksum: base == .zero ? 0 : random.next())
    )
    journal = header
    var writer = FrameWriter()
    var checksum = header.pageChecksum
    if base > .zero {
      let payload = GroupMaker.payload(using: &random)
      for (kind, payload) in [(FrameKind.base, payload), (.baseEnd, [1, 0, 0, 0, 0, 0, 0, 0])] {
        let frame = FrameHeader(
          payloadByteCount: payload.count, kind: kind, sequence: .zero, time: header.base.time,
          durable: .zero, previousChecksum: checksum)
        checksum = writer.append(frame, payload: payload.span.bytes, salt: salt)
      }
    }
    self.header = FrameGroup(
      first: .zero, next: base.next, previousChecksum: 0, checksum: checksum,
      bytes: header.page() + writer.copiedBytes, nonce: random.next())
  }

  /// Returns a group that follows an end of a log.
  package func group(
    after head: SharedHead, payloads: [[UInt8]], nonce: UInt64
  ) -> FrameGroup {
    var writer = FrameWriter()
    var end = head
    for payload in payloads {
      let frame = FrameHeader(
        payloadByteCount: payload.count, kind: .transaction, sequence: end.next,
        time: JournalTime(nanoseconds: Int64(clamping: end.next.rawValue)), durable: .zero,
        previousChecksum: end.checksum)
      let checksum = writer.append(frame, payload: payload.span.bytes, salt: journal.salt)
      end = SharedHead(next: end.next.next, checksum: checksum)
    }
    return FrameGroup(
      first: head.next, next: end.next, previousChecksum: head.checksum, checksum: end.checksum,
      bytes: writer.copiedBytes, nonce: nonce)
  }

  /// Returns a base that ends where a group of the log ends.
  package func base(at end: SharedHead, using random: inout SplitMix64) -> FrameGroup {
    let header = JournalHeader(
      identity: journal.identity, salt: journal.salt, created: journal.created,
      base: ChainPoint(
        sequence: end.next - 1, time: JournalTime(nanoseconds: 0), checksum: end.checksum))
    let payload = GroupMaker.payload(using: &random)
    var writer = FrameWriter()
    let frame = FrameHeader(
      payloadByteCount: payload.count, kind: .base, sequence: .zero, time: header.base.time,
      durable: .zero, previousChecksum: header.pageChecksum)
    let checksum = writer.append(frame, payload: payload.span.bytes, salt: journal.salt)
    _ = writer.appendSharedBaseEnd(of: header, frameCount: 1, after: checksum)
    return FrameGroup(
      first: .zero, next: end.next, previousChecksum: 0, checksum: end.checksum,
      bytes: header.page() + writer.copiedBytes, nonce: random.next())
  }

  /// Returns a group of one to four frames that follows an end of a log.
  package func group(after head: SharedHead, using random: inout SplitMix64) -> FrameGroup {
    let count = 1 + random.below(4)
    return group(
      after: head, payloads: (0..<count).map { _ in GroupMaker.payload(using: &random) },
      nonce: random.next())
  }

  /// Returns a payload. It starts with a random number, so that no two payloads are equal. Then it
  /// contains every value of a byte in turn.
  private static func payload(using random: inout SplitMix64) -> [UInt8] {
    let number = random.next()
    let count = random.below(40) == 0 ? 100_000 : random.below(600)
    return (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
      + (0..<count).map { UInt8(truncatingIfNeeded: $0) }
  }
}

extension FrameWriter {
  fileprivate var copiedBytes: [UInt8] { withBytes { $0.withUnsafeBytes { Array($0) } } }
}

extension FrameGroup {
  /// A group of a different machine with equal bytes.
  package var duplicate: FrameGroup {
    var duplicate = self
    duplicate.nonce &+= 1
    return duplicate
  }

  /// The transactions of the group in a sentence, for example `the group of transactions 3 to 5`.
  var title: String {
    if first == .zero { return "the group of the header" }
    let last = next - 1
    return first == last
      ? "the group of transaction \(first)" : "the group of transactions \(first) to \(last)"
  }

  /// The title and the checksum of the group, for sentences about groups with equal numbers.
  var titleAndChecksum: String { "\(title) with the checksum \(Hexadecimal.digits(checksum))" }

  /// Returns the difference of a group that was read from the group that was sent, as a sentence;
  /// nil if they are equal.
  func difference(from sent: FrameGroup) -> String? {
    func sentence(_ part: String, found: some Any, expected: some Any) -> String {
      "The log returned \(sent.title) with \(part) \(found), but it was appended with \(expected)."
    }
    if next != sent.next { return sentence("the next number", found: next, expected: sent.next) }
    if previousChecksum != sent.previousChecksum {
      return sentence(
        "the previous checksum", found: Hexadecimal.digits(previousChecksum),
        expected: Hexadecimal.digits(sent.previousChecksum))
    }
    if bytes.count != sent.bytes.count {
      return sentence("a byte count of", found: bytes.count, expected: sent.bytes.count)
    }
    guard let offset = bytes.indices.first(where: { bytes[$0] != sent.bytes[$0] }) else {
      return nil
    }
    return sentence(
      "the byte at \(offset) equal to", found: bytes[offset], expected: sent.bytes[offset])
  }
}

extension SharedHead {
  /// The end in a sentence, for example `number 7 with the checksum 00000000000000ff`.
  var title: String { "number \(next) with the checksum \(Hexadecimal.digits(checksum))" }
}
