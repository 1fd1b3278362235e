import Synchronization

/// Which frames at the beginning of a file have been found whole, where nobody has gone through all of them:
/// whoever reads a row there asks first.
///
/// A journal that was opened from a known place on has not been looked at before that place. What is there is
/// checked a piece of 64 KiB at a time, the first time that something in it is wanted, and with the piece every
/// frame that has a part in it. The outcome stays: what was whole once is not looked at again, and what was
/// not is not handed out, whatever becomes of the bytes.
///
/// ```
///   pieces   0         1         2         3        end
///   bits     ├─ whole ─┼─ whole ─┼─────────┼─ damaged ─┤
///   frames   ├───┼──────┼───┼──────────────────────┼───┤
/// ```
//
// Shared state: `pieces`, an atomic byte each, which goes from unknown to another once; `damage`, guarded by
// its mutex, which is held while a piece is checked, so that each is checked once.
package final class LateChecks: Sendable {
  private enum Piece {
    static let unknown: UInt8 = 0
    static let whole: UInt8 = 1
    static let damaged: UInt8 = 2
  }

  /// Where the frames end that are checked late.
  package let endOffset: UInt64

  private let file: JournalFile
  private let salt: UInt64
  private let path: String
  private let index: FrameIndex
  private let end: FrameChain
  private let pieceCount: Int
  // As many as the count says, there for as long as this is.
  private nonisolated(unsafe) let pieces: UnsafeMutablePointer<Atomic<UInt8>>
  private let damage = Mutex<JournalError?>(nil)
  private let unknownCount: Atomic<Int>
  private let isDamaged = Atomic(false)

  private static let shift: UInt64 = 16

  /// The number of the piece to which an offset belongs.
  package static func piece(of offset: UInt64) -> UInt64 { offset >> shift }

  /// Frames of a file from the first to a place.
  ///
  /// - Parameter index: Where frames begin, an entry for each piece at the most.
  init(
    _ file: JournalFile, salt: UInt64, path: String, through end: FramePosition, _ index: FrameIndex
  ) {
    self.file = file
    self.salt = salt
    self.path = path
    self.index = index
    self.end = end.chain
    endOffset = end.endOffset
    pieceCount = Int((end.endOffset + (1 << LateChecks.shift) - 1) >> LateChecks.shift)
    pieces = .allocate(capacity: pieceCount)
    for piece in 0..<pieceCount { (pieces + piece).initialize(to: Atomic(Piece.unknown)) }
    unknownCount = Atomic(pieceCount)
  }

  deinit {
    pieces.deinitialize(count: pieceCount)
    pieces.deallocate()
  }

  /// Whether a byte is of a frame that is whole.
  ///
  /// - Complexity: O(1); the first time in a piece O(*n*) in the size of the frames there
  package func isWhole(at offset: UInt64) -> Bool {
    guard offset < endOffset else { return true }
    let piece = Int(offset >> LateChecks.shift)
    switch pieces[piece].load(ordering: .acquiring) {
    case Piece.whole: return true
    case Piece.damaged: return false
    default: return check(piece)
    }
  }

  /// Whether every frame was looked at and found whole.
  package var isDone: Bool { unknownCount.load(ordering: .acquiring) == 0 && error == nil }

  /// What was found to be damaged first; nil if nothing was.
  package var error: JournalError? {
    isDamaged.load(ordering: .acquiring) ? damage.withLock { $0 } : nil
  }

  /// Looks at every frame that was not looked at yet.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame`, or of the disk
  /// - Complexity: O(*n*) in the size of the file up to the place
  package func checkAll() throws(JournalError) {
    for piece in 0..<pieceCount { _ = isWhole(at: UInt64(piece) << LateChecks.shift) }
    if let error { throw error }
  }

  private func check(_ piece: Int) -> Bool {
    damage.withLock { damage in
      let known = pieces[piece].load(ordering: .acquiring)
      if known != Piece.unknown { return known == Piece.whole }
      do throws(JournalError) {
        let range = try wholeRange(from: piece)
        // Frames reach into the pieces beside theirs; one that is covered need not be looked at again.
        var first = piece
        while first > 0, UInt64(first - 1) << LateChecks.shift >= range.lowerBound { first -= 1 }
        var next = first
        while next < pieceCount,
          min(UInt64(next + 1) << LateChecks.shift, endOffset) <= range.upperBound
        {
          settle(next, Piece.whole)
          next += 1
        }
        return true
      } catch {
        damage = damage ?? error
        isDamaged.store(true, ordering: .releasing)
        settle(piece, Piece.damaged)
        return false
      }
    }
  }

  private func settle(_ piece: Int, _ outcome: UInt8) {
    guard pieces[piece].load(ordering: .relaxed) == Piece.unknown else { return }
    pieces[piece].store(outcome, ordering: .releasing)
    unknownCount.subtract(1, ordering: .releasing)
  }

  /// Goes through the frames that have a part in a piece, and says from where to where all are whole.
  private func wholeRange(from piece: Int) throws(JournalError) -> Range<UInt64> {
    let start = UInt64(piece) << LateChecks.shift
    let stop = min(start + 1 << LateChecks.shift, endOffset)
    guard let entry = index.entry(at: start) else {
      // Before the first frame stand the pages of the header, which was read when the journal was opened.
      return start..<stop
    }
    var reader = FrameReader(
      file, salt: salt, chain: entry.chain, offset: entry.offset, endOffset: endOffset)
    while reader.offset < stop {
      let isWhole: Bool
      do { isWhole = try reader.advance() } catch { throw JournalError(error, path: path) }
      guard isWhole else {
        throw JournalError(
          .damagedFrame, path: path, offset: reader.offset,
          lastReadable: reader.chain.lastReadable)
      }
    }
    if reader.offset == endOffset, reader.chain != end {
      throw JournalError(
        .damagedFrame, path: path, offset: entry.offset, lastReadable: entry.chain.lastReadable)
    }
    // Before the first frame there is nothing that a frame could be damaged in.
    let lower = entry.offset == JournalLayout.firstFrameOffset ? 0 : entry.offset
    return lower..<reader.offset
  }
}
