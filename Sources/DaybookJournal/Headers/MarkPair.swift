import DaybookPlatform

/// The two durable marks of a journal, and which of them is written next.
struct MarkPair {
  private(set) var newest: DurableMark
  /// Whether both pages tell of the newest mark's transaction, and alike of whether there may be
  /// more.
  private(set) var bothTell: Bool

  /// The marks that can be read of a journal.
  ///
  /// - Precondition: There is at least one, as there is in every journal that may be written to.
  init(_ marks: [DurableMark]) {
    guard let newest = DurableMark.newest(of: marks) else {
      preconditionFailure("a journal without a mark was opened for writing")
    }
    self.newest = newest
    bothTell = marks.count == 2 && marks.allSatisfy { $0.tellsAsMuch(as: newest) }
  }

  init(newest: DurableMark) {
    self.newest = newest
    bothTell = true
  }

  /// Writes a mark over the older one and syncs it.
  ///
  /// - Precondition: What it tells of has been synced.
  mutating func write(
    _ end: FrameEnd, isInUse: Bool, salt: UInt64, to file: any DiskFile
  ) throws(DiskError) {
    precondition(
      end.sequence >= newest.sequence, "a mark of \(end.sequence) after one of \(newest.sequence)")
    let mark = DurableMark(
      generation: newest.generation &+ 1, end: end, isInUse: isInUse)
    try write(mark, salt: salt, to: file)
    try file.sync()
  }

  /// Writes that the journal is in use, over the older mark. It tells of no more than the newest
  /// one did, and is left to the sync of the frames that come with it.
  mutating func beginUse(salt: UInt64, to file: any DiskFile) throws(DiskError) {
    precondition(!newest.isInUse, "the journal was in use since transaction \(newest.sequence)")
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
    bothTell = newest.tellsAsMuch(as: mark)
    newest = mark
  }
}

extension DurableMark {
  fileprivate func tellsAsMuch(as other: DurableMark) -> Bool {
    sequence == other.sequence && isInUse == other.isInUse
  }
}
