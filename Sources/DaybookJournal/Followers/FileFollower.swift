import DaybookPlatform
import Synchronization

/// A follower of a journal file that this process or a different process writes.
///
/// While a writer is active, the follower returns transactions up to the durable position that the
/// writer publishes. If the writer cannot publish it, the follower returns the transactions that
/// later frames record as synced. So the writer cannot roll back a transaction that the follower
/// has returned. If no writer is active, the follower returns all whole transactions.
///
/// Compaction gives the journal's name to a new file. The follower reads the old file to its end,
/// and then continues with the next transaction in the new file. If the new file does not contain
/// the next transaction, because its base is later, the follower returns `.reset`.
///
/// If the journal no longer continues the history that was read, ``next()`` throws
/// `historyChanged`. Every later call throws the same error. Then the transactions that the
/// follower has returned are not the history of the journal any more.
public final class FileFollower: JournalFollower {
  // Shared state: `state`, guarded by its mutex, which is locked while `next()` reads.

  package let location: JournalLocation
  private let disk: any Disk
  private let reading: JournalReading
  private let visibility: Visibility
  private let state: Mutex<State>
  /// The watch that reports possible changes.
  package let watch: JournalWatch

  private struct State {
    var file: JournalFile
    var header: JournalHeader
    /// The offset of the header copy that was used.
    var headerOffset: UInt64
    var position: FramePosition
    /// The last transaction that the follower may return.
    var visible: SequenceNumber
    var reader: FrameReader
    /// An event that ``next()`` returns before it reads a frame; nil if it reads a frame next.
    var pending: FollowerEvent?
    /// The numbers of the base frames; see ``PlacedEvent/baseSequences``.
    var baseSequences: [SequenceNumber] = []
    var hasLostHistory = false
  }

  /// Creates a follower of a journal that starts after a transaction that was read earlier, or at
  /// the start of the journal.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - last: The last transaction that was read; nil to start at the first one.
  ///   - options: The options; only the disk and the reading method are used.
  /// - Throws: ``JournalError`` with `historyChanged` if the journal contains a different
  ///   transaction at that position.
  public convenience init(
    at path: String, after last: ChainPoint? = nil, options: JournalOptions = JournalOptions()
  ) throws(JournalError) {
    try self.init(at: path, after: last, on: options.disk, reading: options.reading)
  }

  /// Creates a follower of a journal on a disk.
  package init(
    at path: String, after last: ChainPoint? = nil, on disk: any Disk,
    reading: JournalReading = .mapped
  ) throws(JournalError) {
    location = try JournalLocation(path, on: disk)
    watch = JournalWatch(of: location.directory, on: disk)
    self.disk = disk
    self.reading = reading
    visibility = Visibility(location: location, disk: disk)
    let start = try FileFollower.enter(location, on: disk, reading: reading, after: last)
    state = Mutex(start)
  }

  /// The position of the follower: the last transaction that it has returned, or the base of the
  /// file that it reads.
  public var head: ChainPoint { state.withLock { $0.position.chain.point } }

  /// Returns the next event; nil if no event is available yet.
  ///
  /// - Throws: ``JournalError`` with `historyChanged`, or with `damagedFrame` if a durable
  ///   transaction is not readable.
  public func next() throws(JournalError) -> FollowerEvent? { try nextPlaced()?.event }

  /// Returns the next event, with its file and the offset of its payload.
  package func nextPlaced() throws(JournalError) -> PlacedEvent? {
    let result = state.withLock { state in
      Result { () throws(JournalError) -> PlacedEvent? in
        guard let event = try next(&state) else { return nil }
        let offset = state.reader.headerOffset + UInt64(Frame.headerByteCount)
        return PlacedEvent(
          event: event, file: state.file, payloadOffset: offset, baseSequences: state.baseSequences)
      }
    }
    return try result.get()
  }

  /// Moves the follower to the start of the file that the follower is reading.
  ///
  /// The follower then returns the contents of this file again: its base, if it has one, and then
  /// every transaction.
  package func rewind() throws(JournalError) {
    let result = state.withLock { state in
      Result { () throws(JournalError) in
        var start = try FileFollower.start(
          location, file: state.file, header: state.header, headerOffset: state.headerOffset,
          after: nil)
        // The transactions that were visible stay visible, even if a different file has the name
        // meanwhile.
        start.visible = max(start.visible, state.visible)
        state = start
      }
    }
    try result.get()
  }

  /// An event and its position.
  package struct PlacedEvent {
    package let event: FollowerEvent
    package let file: JournalFile
    /// The offset of the payload in the file, if the event is a transaction.
    package let payloadOffset: UInt64
    /// The numbers of the base frames of the file. A number is above 0 if the frame contains a part
    /// of a dropped transaction of a shared log.
    package let baseSequences: [SequenceNumber]
  }

  /// Waits until an event may be available, the time is over, or ``wake()`` is called. The call may
  /// return early.
  public func wait(milliseconds: Int) { watch.wait(milliseconds: milliseconds) }

  /// Wakes the current or next call of ``wait(milliseconds:)``. Any thread may call this method.
  public func wake() { watch.wake() }

  /// Closes the file and the watch. Values that were returned stay usable. Later calls of
  /// ``next()`` throw `closed` if they need the file.
  package func close() {
    watch.close()
    state.withLock { $0.file.close() }
  }

  // MARK: Reading

  /// Returns the next event; nil if no event is available yet. The order is: a pending event, a
  /// visible transaction, newly visible transactions, and then a new file with the name.
  private func next(_ state: inout State) throws(JournalError) -> FollowerEvent? {
    if state.hasLostHistory { throw lost(state) }
    if let event = state.pending {
      state.pending = nil
      return event
    }
    // After the last visible transaction, the loop tests for more. After each change of file, it
    // tests again.
    while true {
      if let transaction = try read(&state) { return .transaction(transaction) }
      if try seesMore(&state) { continue }
      guard try followsNewFile(&state) else { return nil }
      if let event = state.pending {
        state.pending = nil
        return event
      }
    }
  }

  /// Returns the next visible transaction; nil after the last one. Skips frames that are not
  /// transactions.
  private func read(_ state: inout State) throws(JournalError) -> JournalTransaction? {
    while state.position.sequence < state.visible {
      guard try advance(&state.reader) else {
        if try hasChanged(state) { throw lose(&state) }
        throw JournalError(
          .damagedFrame, path: location.path, offset: state.reader.offset,
          lastReadable: state.position.sequence)
      }
      state.position = state.reader.position
      guard state.reader.header.kind == .transaction else { continue }
      return state.reader.transaction
    }
    return nil
  }

  /// Determines again the last transaction that the follower may return, which is never after the
  /// whole frames.
  ///
  /// - Returns: True if there is a later transaction than before.
  private func seesMore(_ state: inout State) throws(JournalError) -> Bool {
    if try hasChanged(state) { throw lose(&state) }
    // The published end is read before the frames. The writer writes frames before it publishes
    // their end, so the frames up to a published end must be in the file.
    let published = visibility.publishedEnd(salt: state.header.salt)
    let ahead = try readAhead(state)
    if let published, try isMissing(published, after: ahead, in: state) {
      throw JournalError(
        .damagedFrame, path: location.path, offset: ahead.endOffset, lastReadable: ahead.sequence)
    }
    let visible = visibility.lastVisible(
      intact: ahead, marked: .zero, file: state.file, salt: state.header.salt)
    guard visible > state.visible else { return false }
    state.visible = visible
    state.reader = try reader(state)
    return true
  }

  /// Returns a Boolean value that indicates whether the published end proves that durable frames
  /// are missing.
  ///
  /// Without an active writer, a mark or a later frame must confirm the published end. Otherwise a
  /// user may have restored an older copy of the journal, and the published end may belong to the
  /// newer copy.
  private func isMissing(
    _ published: CommittedEnd, after ahead: IntactPrefix, in state: State
  ) throws(JournalError) -> Bool {
    guard published.end.sequence > ahead.sequence else { return false }
    if state.file.file.isLocked { return true }
    return try JournalError.translating(location.path) { () throws(DiskError) in
      let marks = try RecoveryDecision.readMarks(state.file, of: state.header).good
      if marks.contains(where: { $0.sequence > ahead.sequence }) { return true }
      let later = try LaterFrames.search(
        state.file, salt: state.header.salt, from: ahead.endOffset, above: ahead.sequence)
      return later.highestDurable.map { $0.durable > ahead.sequence } ?? false
    }
  }

  /// Returns the intact frames from the current position on.
  private func readAhead(_ state: State) throws(JournalError) -> IntactPrefix {
    var reader = try reader(state)
    var durable = SequenceNumber.zero
    while try advance(&reader) { durable = max(durable, reader.header.durable) }
    return IntactPrefix(
      position: reader.position, declaredDurable: durable, defect: reader.defect ?? .end,
      index: FrameIndex())
  }

  /// Returns a Boolean value that indicates whether the header or the last frame that was read has
  /// changed in the file.
  private func hasChanged(_ state: State) throws(JournalError) -> Bool {
    let end = state.position.endOffset
    let headerCheckOffset = state.headerOffset + UInt64(JournalHeader.pageCheckOffset)
    let lastCheckOffset = end > JournalLayout.firstFrameOffset ? end - 8 : headerCheckOffset
    return try JournalError.translating(location.path) { () throws(DiskError) in
      _ = try state.file.refresh()
      let header = try state.file.view(at: headerCheckOffset, atLeast: 8)
      let last = try state.file.view(at: lastCheckOffset, atLeast: 8)
      guard header.count >= 8, last.count >= 8 else { return true }
      let expected =
        end > JournalLayout.firstFrameOffset
        ? state.position.chain.point.checksum : state.header.pageChecksum
      return header.load(0, as: UInt64.self) != state.header.pageChecksum
        || last.load(0, as: UInt64.self) != expected
    }
  }

  // MARK: A new file with the journal's name

  /// Continues in the file that has the journal's name, if that is a different file.
  ///
  /// - Returns: True if there may be more to read.
  private func followsNewFile(_ state: inout State) throws(JournalError) -> Bool {
    let named: FileStatus
    do throws(DiskError) {
      named = try disk.status(of: location.resolvedPath)
    } catch {
      // While a file replaces the journal, the name may be missing for a moment. If the journal was
      // deleted, the follower has no more events.
      if error.code == Errno.noSuchFile { return false }
      throw JournalError(error, path: location.path)
    }
    guard named.identity != state.file.identity else { return false }
    // The process that replaced the file closed the old file first. So every whole frame of the old
    // file is durable.
    let rest = try readAhead(state)
    if rest.sequence > state.visible {
      state.visible = rest.sequence
      state.reader = try reader(state)
      return true
    }
    do throws(JournalError) {
      state = try FileFollower.enter(
        location, on: disk, reading: reading, after: state.position.chain.point,
        replacing: state.header)
    } catch {
      if case .historyChanged = error.reason { state.hasLostHistory = true }
      throw error
    }
    return true
  }

  /// Opens the file that has the journal's name, and finds the position after a transaction in that
  /// file.
  ///
  /// - Parameter old: The header of the file that was read before; nil at the start.
  private static func enter(
    _ location: JournalLocation, on disk: any Disk, reading: JournalReading,
    after last: ChainPoint?, replacing old: JournalHeader? = nil
  ) throws(JournalError) -> State {
    let opened = try JournalOpening.open(location, for: .reading, on: disk)
    let (file, choice) = try JournalError.translating(location.path) { () throws(DiskError) in
      let file = try JournalFile(
        opened, reading: opened.mappingsFollowWrites ? reading : .copied)
      return (file, try RecoveryDecision.chooseHeader(file))
    }
    switch choice {
    case .success(let chosen):
      let changed = JournalError(.historyChanged, path: location.path, lastReadable: last?.sequence)
      if let old, old.identity != chosen.header.identity { throw changed }
      let isFirstBad = chosen.badOffset == JournalLayout.headerOffsets[0]
      let headerOffset = JournalLayout.headerOffsets[isFirstBad ? 1 : 0]
      let state = try start(
        location, file: file, header: chosen.header, headerOffset: headerOffset, after: last)
      // The file of a restarted replica has the same salt, so that equal transactions have equal
      // checksums.
      if let old, old.salt == chosen.header.salt, let last, last.sequence > .zero,
        state.pending == nil, state.position.chain.point.checksum != last.checksum
      {
        throw changed
      }
      return state
    case .failure(let none):
      _ = try none.verdict.journal(at: location)
      preconditionFailure("\(location.resolvedPath): expected an unwritten journal, found a header")
    }
  }

  /// Finds the position after a transaction in a file; if the transaction is nil, the start of the
  /// file.
  private static func start(
    _ location: JournalLocation, file: JournalFile, header: JournalHeader, headerOffset: UInt64,
    after last: ChainPoint?
  ) throws(JournalError) -> State {
    let changed = JournalError(.historyChanged, path: location.path, lastReadable: last?.sequence)
    var reader = FrameReader(file, header: header)
    var base: [ByteView] = []
    var baseSequences: [SequenceNumber] = []
    while !reader.chain.isPastBase {
      guard try advance(&reader, path: location.path) else {
        throw JournalError(.damagedFrame, path: location.path, offset: reader.offset)
      }
      guard reader.header.kind == .base else { continue }
      base.append(reader.payload)
      baseSequences.append(reader.header.sequence)
    }
    var pending: FollowerEvent?
    if header.base.sequence > last?.sequence ?? .zero {
      pending = .reset(reader.chain.point, base: base)
    } else if let last {
      while reader.chain.sequence < last.sequence {
        guard try advance(&reader, path: location.path) else { throw changed }
      }
      guard last.sequence == .zero || continues(last, at: reader.chain.point, of: header) else {
        throw changed
      }
    }
    return State(
      file: file, header: header, headerOffset: headerOffset,
      position: reader.position, visible: reader.chain.sequence, reader: reader, pending: pending,
      baseSequences: baseSequences)
  }

  /// Returns a Boolean value that indicates whether a transaction that was read earlier is the
  /// transaction at a position.
  ///
  /// Compaction writes the transactions that it keeps with a new salt, so that their checksums
  /// change. The header contains the previous checksum of the base, which is compared. For a
  /// transaction after the base, only the time can be compared.
  private static func continues(
    _ last: ChainPoint, at point: ChainPoint, of header: JournalHeader
  ) -> Bool {
    if point.checksum == last.checksum { return true }
    if last.sequence == header.base.sequence { return last.checksum == header.base.checksum }
    return header.base.sequence > .zero && point.time == last.time
  }

  // MARK: Helpers

  private func reader(_ state: State) throws(JournalError) -> FrameReader {
    try JournalError.translating(location.path) { () throws(DiskError) in
      _ = try state.file.refresh()
    }
    return FrameReader(state.file, salt: state.header.salt, at: state.position)
  }

  private func advance(_ reader: inout FrameReader) throws(JournalError) -> Bool {
    try FileFollower.advance(&reader, path: location.path)
  }

  private static func advance(
    _ reader: inout FrameReader, path: String
  ) throws(JournalError) -> Bool {
    do { return try reader.advance() } catch { throw JournalError(error, path: path) }
  }

  /// Records that the history is lost, so that every later call throws the same error.
  private func lose(_ state: inout State) -> JournalError {
    state.hasLostHistory = true
    return lost(state)
  }

  private func lost(_ state: State) -> JournalError {
    JournalError(.historyChanged, path: location.path, offset: state.position.endOffset)
  }
}
