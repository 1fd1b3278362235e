import Synchronization

/// Which frames at the beginning of a file have been found whole, where nobody has gone through all of them:
/// whoever reads a row there asks first.
///
/// A journal that was opened from a known place on has not been looked at before that place. What is there is
/// checked a run at a time, the first time that something in it is wanted: the frames from one entry of the
/// index to the next, which are 64 KiB, or one frame that is longer. The outcome stays: what was whole once is
/// not looked at again, and what was not is not handed out, whatever becomes of the bytes.
///
/// ```
///   pieces of 64 KiB   ├─────────┼─────────┼─────────┼─────────┼──
///   frames             ├──┼───┼────┼────────────────────────┼───┼─
///   runs               ├───────────┼────────────────────────┼─────
///   known as              whole            damaged            not
/// ```
//
// Shared state: `known`, an atomic byte for each run, which goes from nothing to another once; `checking`,
// guarded by its mutex, which is held while a run is checked, so that each is checked once.
package final class LateChecks: Sendable {
  private enum Known {
    static let nothing: UInt8 = 0
    static let whole: UInt8 = 1
    static let damaged: UInt8 = 2
  }

  /// Where the frames end that are checked late.
  package let endOffset: UInt64

  private let file: JournalFile
  private let salt: UInt64
  private let path: String
  private let end: FrameChain
  private let index: FrameIndex
  /// The last run that begins before each piece, or with it.
  private let runs: [UInt32]
  // As many as there are runs, there for as long as this is.
  private nonisolated(unsafe) let known: UnsafeMutablePointer<Atomic<UInt8>>
  private let unknownCount: Atomic<Int>
  private let checking = Mutex(Checking())
  private let isDamaged = Atomic(false)

  private static let shift: UInt64 = 16

  /// Frames of a file from the first to a place.
  ///
  /// - Parameter index: Where frames begin, one entry for each piece at the most, the first of them at the
  ///   first frame.
  init(
    _ file: JournalFile, salt: UInt64, path: String, through end: FramePosition,
    index: FrameIndex
  ) {
    self.file = file
    self.salt = salt
    self.path = path
    self.end = end.chain
    endOffset = end.endOffset
    // The place itself may be an entry, behind which there is nothing.
    var index = index
    index.cut(at: end.endOffset)
    self.index = index
    precondition(
      index.count > 0 && index.offset(0) == JournalLayout.firstFrameOffset,
      "\(index.count) runs that do not begin with the first frame")
    runs = LateChecks.runs(index, pieceCount: Int(end.endOffset >> LateChecks.shift) + 1)
    known = .allocate(capacity: index.count)
    for run in 0..<index.count { (known + run).initialize(to: Atomic(Known.nothing)) }
    unknownCount = Atomic(index.count)
  }

  deinit {
    known.deinitialize(count: index.count)
    known.deallocate()
  }

  /// The last run that begins before each piece, or with it.
  private static func runs(_ index: FrameIndex, pieceCount: Int) -> [UInt32] {
    [UInt32](unsafeUninitializedCapacity: pieceCount) { runs, count in
      var piece = 0
      for run in 1...index.count {
        // Those that begin before the next run does, and all if there is none.
        let next =
          run < index.count ? (index.offset(run) - 1) >> LateChecks.shift + 1 : .max
        let end = min(Int(clamping: next), pieceCount)
        while piece < end {
          runs.initializeElement(at: piece, to: UInt32(run - 1))
          piece += 1
        }
      }
      count = piece
    }
  }

  /// Whether a byte is of a frame that is whole. Before the first frame stand the pages of the header, which
  /// were read when the journal was opened.
  ///
  /// - Complexity: O(1); the first time in a run O(*n*) in its size
  package func isWhole(at offset: UInt64) -> Bool {
    guard offset < endOffset, offset >= JournalLayout.firstFrameOffset else { return true }
    let run = run(at: offset)
    switch known[run].load(ordering: .acquiring) {
    case Known.whole: return true
    case Known.damaged: return false
    default: return check(run)
    }
  }

  /// The bytes that are looked at together with the one at an offset.
  package func run(around offset: UInt64) -> Range<UInt64> { bounds(run(at: offset)) }

  /// Whether every frame was looked at and found whole.
  package var isDone: Bool { unknownCount.load(ordering: .acquiring) == 0 && error == nil }

  /// What was found to be damaged first; nil if nothing was.
  package var error: JournalError? {
    isDamaged.load(ordering: .acquiring) ? checking.withLock { $0.damage } : nil
  }

  /// Looks at every frame that was not looked at yet.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame`, or of the disk
  /// - Complexity: O(*n*) in the size of the file up to the place
  package func checkAll() throws(JournalError) {
    for run in 0..<index.count { _ = isWhole(at: index.offset(run)) }
    if let error { throw error }
  }

  private func run(at offset: UInt64) -> Int {
    let run = Int(runs[Int(offset >> LateChecks.shift)])
    // There is one entry in a piece at the most.
    return run + 1 < index.count && index.offset(run + 1) <= offset ? run + 1 : run
  }

  private func bounds(_ run: Int) -> Range<UInt64> {
    index.offset(run)..<(run + 1 < index.count ? index.offset(run + 1) : endOffset)
  }

  private func check(_ run: Int) -> Bool {
    checking.withLock { checking in
      let outcome = known[run].load(ordering: .acquiring)
      if outcome != Known.nothing { return outcome == Known.whole }
      do throws(JournalError) { try goThrough(run, memory: &checking.memory) } catch {
        checking.damage = checking.damage ?? error
        isDamaged.store(true, ordering: .releasing)
        known[run].store(Known.damaged, ordering: .releasing)
        return false
      }
      known[run].store(Known.whole, ordering: .releasing)
      unknownCount.subtract(1, ordering: .releasing)
      return true
    }
  }

  /// Goes through the frames of a run, which has to end as the next one begins.
  ///
  /// They are copied for that: to map what is only checked would take up as much memory as there is to check.
  private func goThrough(_ run: Int, memory: inout OwnedMemory?) throws(JournalError) {
    let bounds = bounds(run)
    var reader: FrameReader
    var isWhole = true
    do throws(DiskError) {
      let image = RunImage(bytes: try bytes(of: bounds, memory: &memory), start: bounds.lowerBound)
      reader = FrameReader(
        image, salt: salt, at: index[run],
        endOffset: bounds.upperBound)
      while isWhole, reader.offset < bounds.upperBound { isWhole = try reader.advance() }
    } catch {
      throw JournalError(error, path: path)
    }
    let next = run + 1 < index.count ? index[run + 1].chain : end
    guard isWhole, reader.chain == next else {
      throw JournalError(
        .damagedFrame, path: path, offset: reader.offset,
        lastReadable: reader.chain.lastReadable)
    }
  }

  /// The bytes of a run; copied, unless the file is closed and the mapping is all there is.
  private func bytes(
    of bounds: Range<UInt64>, memory: inout OwnedMemory?
  ) throws(DiskError) -> ByteView {
    let byteCount = bounds.count
    let room =
      memory.flatMap { $0.byteCount >= byteCount ? $0 : nil }
      ?? OwnedMemory(byteCount: max(byteCount, LateChecks.memoryByteCount))
    memory = room.byteCount == LateChecks.memoryByteCount ? room : nil
    do throws(DiskError) {
      let file = file.file
      let count = try room.fill { (buffer: inout MutableRawSpan) throws(DiskError) -> Int in
        var part = buffer._mutatingExtracting(0..<byteCount)
        return try file.readAll(at: bounds.lowerBound, into: &part)
      }
      return room.view(0..<count)
    } catch {
      guard file.isClosed, let mapped = file.mapped(through: bounds.upperBound) else { throw error }
      return mapped[Int(bounds.lowerBound)..<Int(bounds.upperBound)]
    }
  }

  /// How much memory is kept to copy runs into; longer ones have their own.
  private static let memoryByteCount = 256 << 10

  /// What is guarded while a run is checked.
  private struct Checking {
    var damage: JournalError?
    var memory: OwnedMemory?
  }
}

/// The bytes of a run, where they stand in the file.
private final class RunImage: JournalImage {
  let bytes: ByteView
  let start: UInt64

  init(bytes: ByteView, start: UInt64) {
    self.bytes = bytes
    self.start = start
  }

  var byteCount: UInt64 { start + UInt64(bytes.count) }

  func view(at offset: UInt64, atLeast: Int) -> ByteView {
    guard offset >= start, offset < byteCount else { return ByteView() }
    return bytes[Int(offset - start)..<bytes.count]
  }
}
