import Synchronization

/// The verification of frames at the start of a file when the frames are first read, and not at the
/// opening.
///
/// An opening with a checkpoint does not read the frames before the checkpoint's position. This
/// object verifies these frames one *run* at a time, before the first read of a row in the run. A
/// run contains the frames from one position of the index to the next. The size of a run is about
/// 64 KiB, or more if the last frame of the run is large.
///
/// The result of a run is final. An intact run is not verified again. The rows of a damaged run are
/// never returned, even if the bytes of the run change later.
///
/// ```
///   pieces of 64 KiB   ├─────────┼─────────┼─────────┼─────────┼──
///   frames             ├──┼───┼────┼────────────────────────┼───┼─
///   runs               ├───────────┼────────────────────────┼─────
///   result                intact           damaged            not yet
/// ```
//
// Shared state
//
// - `known`: one atomic byte per run, which changes once, from `nothing` to a result.
// - `checking`: guarded by its mutex. A thread holds the mutex while it verifies a run, so that
//   each run is verified once.
// - `unknownCount`, `isDamaged`: atomic; changed only by the thread that holds the mutex.
package final class LateChecks: Sendable {
  private enum Known {
    static let nothing: UInt8 = 0
    static let intact: UInt8 = 1
    static let damaged: UInt8 = 2
  }

  /// The end offset of the frames that are verified late.
  package let endOffset: UInt64

  private let file: JournalFile
  private let salt: UInt64
  private let path: String
  private let end: FrameChain
  private let index: FrameIndex
  /// For each piece of 64 KiB of the file, the last run that starts before the piece or at its
  /// start.
  private let runs: [UInt32]
  // One byte per run, allocated for the lifetime of this object.
  private nonisolated(unsafe) let known: UnsafeMutablePointer<Atomic<UInt8>>
  private let unknownCount: Atomic<Int>
  private let checking = Mutex(Checking())
  private let isDamaged = Atomic(false)

  private static let shift: UInt64 = 16

  /// Creates the verification of the frames of a file up to a position.
  ///
  /// - Parameter index: The positions of frames, at most one in each piece of 64 KiB. The first
  ///   position is that of the first frame.
  init(
    _ file: JournalFile, salt: UInt64, path: String, through end: FramePosition,
    index: FrameIndex
  ) {
    self.file = file
    self.salt = salt
    self.path = path
    self.end = end.chain
    endOffset = end.endOffset
    // The index may contain the end position itself, where no run starts.
    var index = index
    index.cut(at: end.endOffset)
    self.index = index
    precondition(
      index.count > 0 && index.offset(0) == JournalLayout.firstFrameOffset,
      "\(index.count) runs do not start at the first frame")
    runs = LateChecks.runs(index, pieceCount: Int(end.endOffset >> LateChecks.shift) + 1)
    known = .allocate(capacity: index.count)
    for run in 0..<index.count { (known + run).initialize(to: Atomic(Known.nothing)) }
    unknownCount = Atomic(index.count)
  }

  deinit {
    known.deinitialize(count: index.count)
    known.deallocate()
  }

  /// Returns, for each piece, the last run that starts before the piece or at its start.
  private static func runs(_ index: FrameIndex, pieceCount: Int) -> [UInt32] {
    [UInt32](unsafeUninitializedCapacity: pieceCount) { runs, count in
      var piece = 0
      for run in 1...index.count {
        // The first piece that starts at or after the next run; for the last run, the end of all
        // pieces.
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

  /// Returns a Boolean value that indicates whether the byte at an offset belongs to an intact
  /// frame.
  ///
  /// The method also returns true for the pages before the first frame and for frames after
  /// ``endOffset``, because opening has verified them.
  ///
  /// - Complexity: O(1); for the first call in a run, O(*n*) in the size of the run
  package func isIntact(at offset: UInt64) -> Bool {
    guard offset < endOffset, offset >= JournalLayout.firstFrameOffset else { return true }
    let run = run(at: offset)
    switch known[run].load(ordering: .acquiring) {
    case Known.intact: return true
    case Known.damaged: return false
    default: return check(run)
    }
  }

  /// Returns the range of bytes that is verified together with the byte at an offset.
  package func run(around offset: UInt64) -> Range<UInt64> { bounds(run(at: offset)) }

  /// A Boolean value that indicates whether every frame was verified and is intact.
  package var isDone: Bool { unknownCount.load(ordering: .acquiring) == 0 && error == nil }

  /// The first damage that was found; nil if no run is damaged.
  package var error: JournalError? {
    isDamaged.load(ordering: .acquiring) ? checking.withLock { $0.damage } : nil
  }

  /// Verifies every frame that was not verified yet.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame`, or an error of the disk
  /// - Complexity: O(*n*) in the size of the file up to the position
  package func checkAll() throws(JournalError) {
    for run in 0..<index.count { _ = isIntact(at: index.offset(run)) }
    if let error { throw error }
  }

  private func run(at offset: UInt64) -> Int {
    let run = Int(runs[Int(offset >> LateChecks.shift)])
    // At most one run starts in a piece, so that the result is this run or the next one.
    return run + 1 < index.count && index.offset(run + 1) <= offset ? run + 1 : run
  }

  private func bounds(_ run: Int) -> Range<UInt64> {
    index.offset(run)..<(run + 1 < index.count ? index.offset(run + 1) : endOffset)
  }

  /// Verifies a run if it has no result yet, and returns a Boolean value that indicates whether the
  /// run is intact. A thread that waited for the mutex may find the result of a different thread.
  private func check(_ run: Int) -> Bool {
    checking.withLock { checking in
      let outcome = known[run].load(ordering: .acquiring)
      if outcome != Known.nothing { return outcome == Known.intact }
      do throws(JournalError) { try verify(run, memory: &checking.memory) } catch {
        checking.damage = checking.damage ?? error
        isDamaged.store(true, ordering: .releasing)
        known[run].store(Known.damaged, ordering: .releasing)
        return false
      }
      known[run].store(Known.intact, ordering: .releasing)
      unknownCount.subtract(1, ordering: .releasing)
      return true
    }
  }

  /// Verifies the frames of a run. The chain after the run must be the chain at the start of the
  /// next run.
  ///
  /// The method reads the frames by copying. If it read them through the mapping, all bytes of the
  /// file would become resident memory of the process.
  private func verify(_ run: Int, memory: inout OwnedMemory?) throws(JournalError) {
    let bounds = bounds(run)
    var reader: FrameReader
    var isIntact = true
    do throws(DiskError) {
      let image = RunImage(bytes: try bytes(of: bounds, memory: &memory), start: bounds.lowerBound)
      reader = FrameReader(
        image, salt: salt, at: index[run],
        endOffset: bounds.upperBound)
      while isIntact, reader.offset < bounds.upperBound { isIntact = try reader.advance() }
    } catch {
      throw JournalError(error, path: path)
    }
    let next = run + 1 < index.count ? index[run + 1].chain : end
    guard isIntact, reader.chain == next else {
      throw JournalError(
        .damagedFrame, path: path, offset: reader.offset,
        lastReadable: reader.chain.lastReadable)
    }
  }

  /// Returns the bytes of a run. The bytes are copied. If the file is closed, the bytes of the
  /// mapping are returned.
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

  /// The size of the memory that is reused for copies. A larger run gets new memory.
  private static let memoryByteCount = 256 << 10

  /// The state that is guarded while a run is verified.
  private struct Checking {
    var damage: JournalError?
    var memory: OwnedMemory?
  }
}

/// The bytes of a run at their offsets in the file.
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
