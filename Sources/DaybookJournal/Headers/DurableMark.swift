import DaybookPlatform

/// A record of the last synced transaction, near the start of the journal. Recovery compares the
/// marks with the frames, and so detects the loss of synced transactions.
///
/// ```
///   0  generation  u64   one more with each mark
///   8  sequence    u64   the highest sequence synced when this was written
///  16  end offset  u64   the end of the frame of that transaction
///  24  end check   u64   the checksum that ends that frame; the page check if there is none
///  32  in use      u8    1 while a writer may have appended more; 0 after it has closed
///  33  zeros       7
///  40  mark check  u64   the checksum of the 40 bytes above, seeded with the salt
/// ```
///
/// The writer writes the marks alternately at the offsets 8192 and 12288. The writer writes a mark
/// only after the recorded transaction was synced. Closing a journal writes both marks, so that one
/// damaged page does not destroy the proof.
///
/// With the first group of frames, the writer writes a mark that is *in use*. If the newest mark is
/// in use at the next opening, the journal was not closed. Then no mark proves that the last
/// transaction in the file is the last one that was saved.
package struct DurableMark: Hashable, Sendable {
  package static let byteCount = 48

  package var generation: UInt64
  package var end: FrameEnd
  /// A Boolean value that indicates whether more transactions may have been synced after this mark
  /// was written.
  package var isInUse: Bool

  package init(generation: UInt64, end: FrameEnd, isInUse: Bool = false) {
    self.generation = generation
    self.end = end
    self.isInUse = isInUse
  }

  package var sequence: SequenceNumber { end.sequence }

  /// The offset of the page for a mark of this generation.
  package var pageOffset: UInt64 { JournalLayout.markOffsets[Int(generation % 2)] }

  package func bytes(salt: UInt64) -> [UInt8] {
    var page = PageWriter()
    page.append(generation)
    page.append(end)
    page.append(isInUse ? 1 : 0 as UInt64)
    page.appendCheck(seed: salt)
    return page.bytes
  }

  /// Creates the mark that bytes contain; nil if they contain no mark of this journal.
  package init?(_ bytes: ByteView, salt: UInt64) {
    guard bytes.count >= DurableMark.byteCount else { return nil }
    let computed = bytes[0..<40].withSpan { XXH64.checksum($0, seed: salt) }
    guard bytes.load(40, as: UInt64.self) == computed else { return nil }
    self.init(
      generation: bytes.load(0, as: UInt64.self), end: FrameEnd(bytes, at: 8),
      isInUse: bytes.load(32, as: UInt8.self) != 0)
  }

  /// Returns the mark that records the highest transaction. If both marks record this transaction,
  /// returns the mark with the higher generation.
  package static func newest(of marks: [DurableMark]) -> DurableMark? {
    marks.max { ($0.sequence, $0.generation) < ($1.sequence, $1.generation) }
  }
}

/// The two durability marks of a journal, and the choice of the mark that is overwritten next.
struct MarkPair {
  private(set) var newest: DurableMark
  /// A Boolean value that indicates whether both marks are readable and agree in transaction and
  /// use.
  private(set) var areEqual: Bool

  /// Creates the pair from the readable marks of a journal.
  ///
  /// - Precondition: At least one mark is readable, as in every journal that may be written.
  init(_ marks: [DurableMark]) {
    guard let newest = DurableMark.newest(of: marks) else {
      preconditionFailure("a journal without a durability mark was opened for writing")
    }
    self.newest = newest
    areEqual = marks.count == 2 && marks.allSatisfy { $0.hasSameContent(as: newest) }
  }

  init(newest: DurableMark) {
    self.newest = newest
    areEqual = true
  }

  /// Writes a mark over the older mark, and syncs the file.
  ///
  /// - Precondition: The file is synced up to `end`.
  mutating func write(
    _ end: FrameEnd, isInUse: Bool, salt: UInt64, to file: any DiskFile
  ) throws(DiskError) {
    precondition(
      end.sequence >= newest.sequence,
      "the mark of transaction \(end.sequence) follows that of transaction \(newest.sequence)")
    let mark = DurableMark(
      generation: newest.generation &+ 1, end: end, isInUse: isInUse)
    try write(mark, salt: salt, to: file)
    try file.sync()
  }

  /// Overwrites the older mark with a copy of the newest mark, and sets the flag *in use* in the
  /// copy. The caller syncs the new mark together with the next frames.
  mutating func markInUse(salt: UInt64, to file: any DiskFile) throws(DiskError) {
    precondition(
      !newest.isInUse, "the journal is already in use after transaction \(newest.sequence)")
    var mark = newest
    mark.generation = newest.generation &+ 1
    mark.isInUse = true
    try write(mark, salt: salt, to: file)
  }

  private mutating func write(
    _ mark: DurableMark, salt: UInt64, to file: any DiskFile
  ) throws(DiskError) {
    let bytes = mark.bytes(salt: salt)
    try file.writeAll(bytes.span.bytes, at: mark.pageOffset)
    areEqual = newest.hasSameContent(as: mark)
    newest = mark
  }
}

extension DurableMark {
  fileprivate func hasSameContent(as other: DurableMark) -> Bool {
    sequence == other.sequence && isInUse == other.isInUse
  }
}
