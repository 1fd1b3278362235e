import DaybookPlatform
import Synchronization

/// Follows a journal file that this or another process writes.
///
/// It goes by the committed end that the writer publishes, or by what the journal itself proves, so
/// that it never shows what could yet be taken back. When the journal is compacted, a new file
/// takes the name: the follower reads the old one to its end, then goes on in the new one at the
/// next transaction, or hears `.reset` if the new one begins after it.
///
/// If the journal no longer goes on from what was read of it, ``next()`` throws `historyChanged`,
/// and goes on throwing it: what the follower told before is not the journal's past any more.
public final class FileFollower: JournalFollower {
  // Shared state: `state`, guarded by its mutex, which is held while `next()` reads.

  package let place: JournalPlace
  private let disk: any Disk
  private let reading: JournalReading
  private let visibility: Visibility
  private let state: Mutex<State>
  /// Tells when there may be more.
  package let watch: JournalWatch

  private struct State {
    var file: JournalFile
    var header: JournalHeader
    /// Where the copy of the header stands that was used.
    var headerOffset: UInt64
    var position: FramePosition
    /// The last transaction that may be shown.
    var visible: SequenceNumber
    var reader: FrameReader
    /// What is to be told before anything else.
    var pending: FollowerEvent?
    var hasLostHistory = false
  }

  /// Creates a follower of a journal that starts after a transaction that was read before, or at the
  /// beginning.
  ///
  /// - Parameters:
  ///   - path: The journal.
  ///   - last: The last transaction that was read; nil to start at the beginning.
  ///   - options: How its bytes are brought into memory.
  /// - Throws: ``JournalError`` with `historyChanged` if the journal holds another transaction
  ///   there.
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
    place = try JournalPlace(path, on: disk)
    watch = JournalWatch(of: place.directory, on: disk)
    self.disk = disk
    self.reading = reading
    visibility = Visibility(place: place, disk: disk)
    let start = try FileFollower.enter(place, on: disk, reading: reading, after: last)
    state = Mutex(start)
  }

  /// The journal as far as it has been told.
  public var head: ChainPoint { state.withLock { $0.position.chain.point } }

  /// What came next, or nil if nothing has yet.
  ///
  /// - Throws: ``JournalError``: `historyChanged`, or `damagedFrame` if what is known to be durable
  ///   cannot be read.
  public func next() throws(JournalError) -> FollowerEvent? { try nextPlaced()?.event }

  /// What came next, in which file, and where a transaction's payload stands in it.
  package func nextPlaced() throws(JournalError) -> PlacedEvent? {
    // Errors leave the lock as values, as a lock hands on no typed throws.
    let result = state.withLock { state in
      Result { () throws(JournalError) -> PlacedEvent? in
        guard let event = try next(&state) else { return nil }
        let offset = state.reader.headerOffset + UInt64(Frame.headerByteCount)
        return PlacedEvent(event: event, file: state.file, payloadOffset: offset)
      }
    }
    return try result.get()
  }

  /// Returns to the beginning of the file that is being read.
  ///
  /// All that was read of the journal is read again from this file alone: its base, if it has one, and then every
  /// transaction.
  package func rewind() throws(JournalError) {
    let result = state.withLock { state in
      Result { () throws(JournalError) in
        var start = try FileFollower.start(
          place, file: state.file, header: state.header, headerOffset: state.headerOffset,
          after: nil)
        // What could be shown before can be shown again, whatever has the name meanwhile.
        start.visible = max(start.visible, state.visible)
        state = start
      }
    }
    try result.get()
  }

  /// An event, and where it comes from.
  package struct PlacedEvent {
    package let event: FollowerEvent
    package let file: JournalFile
    /// Where the payload stands, if the event is a transaction.
    package let payloadOffset: UInt64
  }

  /// Waits until something may have come, or the time is over, or ``wake()``. It may return early.
  public func wait(milliseconds: Int) { watch.wait(milliseconds: milliseconds) }

  /// Makes the present or next ``wait(milliseconds:)`` return at once, from any thread.
  public func wake() { watch.wake() }

  /// Closes the file and the watch. What was read can still be used; ``next()`` throws `closed`.
  package func close() {
    watch.close()
    state.withLock { $0.file.close() }
  }

  // MARK: Going on

  private func next(_ state: inout State) throws(JournalError) -> FollowerEvent? {
    if state.hasLostHistory { throw lost(state) }
    if let event = state.pending {
      state.pending = nil
      return event
    }
    // Behind the last visible transaction there is a first look, and after each change of file
    // another.
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

  private func read(_ state: inout State) throws(JournalError) -> JournalTransaction? {
    while state.position.sequence < state.visible {
      guard try advance(&state.reader) else {
        if try hasChanged(state) { throw lose(&state) }
        throw JournalError(
          .damagedFrame, path: place.path, offset: state.reader.offset,
          lastReadable: state.position.sequence)
      }
      state.position = state.reader.position
      guard state.reader.header.kind == .transaction else { continue }
      return state.reader.transaction
    }
    return nil
  }

  /// Looks whether more may be shown: never more than is whole.
  private func seesMore(_ state: inout State) throws(JournalError) -> Bool {
    if try hasChanged(state) { throw lose(&state) }
    // In this order: what is published was written before, and so is there to be seen after.
    let published = visibility.publishedEnd(salt: state.header.salt)
    let ahead = try lookAhead(state)
    if let published, try isMissing(published, behind: ahead, in: state) {
      throw JournalError(
        .damagedFrame, path: place.path, offset: ahead.endOffset, lastReadable: ahead.sequence)
    }
    let visible = visibility.lastVisible(
      intact: ahead, marked: .zero, file: state.file, salt: state.header.salt)
    guard visible > state.visible else { return false }
    state.visible = visible
    state.reader = try reader(state)
    return true
  }

  /// Whether the published end tells of transactions that are not there, and can be believed: a
  /// writer is there, or the journal itself bears it out. An end that was left beside an older copy
  /// of the journal cannot.
  private func isMissing(
    _ published: CommittedEnd, behind ahead: IntactPrefix, in state: State
  ) throws(JournalError) -> Bool {
    guard published.end.sequence > ahead.sequence else { return false }
    if state.file.file.isLocked { return true }
    return try JournalError.translating(place.path) { () throws(DiskError) in
      let marks = try RecoveryDecision.readMarks(state.file, of: state.header).good
      if marks.contains(where: { $0.sequence > ahead.sequence }) { return true }
      let later = try LaterFrames.search(
        state.file, salt: state.header.salt, from: ahead.endOffset, above: ahead.sequence)
      return later.highestDurable.map { $0.durable > ahead.sequence } ?? false
    }
  }

  /// The intact frames from here on.
  private func lookAhead(_ state: State) throws(JournalError) -> IntactPrefix {
    var reader = try reader(state)
    var durable = SequenceNumber.zero
    while try advance(&reader) { durable = max(durable, reader.header.durable) }
    return IntactPrefix(
      position: reader.position, declaredDurable: durable, misfit: reader.misfit ?? .end,
      index: FrameIndex())
  }

  /// Whether the bytes of what was read last, or the header, are other ones now.
  private func hasChanged(_ state: State) throws(JournalError) -> Bool {
    let end = state.position.endOffset
    let headerCheckOffset = state.headerOffset + UInt64(JournalHeader.pageCheckOffset)
    let lastCheckOffset = end > JournalLayout.firstFrameOffset ? end - 8 : headerCheckOffset
    return try JournalError.translating(place.path) { () throws(DiskError) in
      _ = try state.file.refresh()
      let header = try state.file.view(at: headerCheckOffset, atLeast: 8)
      let last = try state.file.view(at: lastCheckOffset, atLeast: 8)
      guard header.count >= 8, last.count >= 8 else { return true }
      let expected =
        end > JournalLayout.firstFrameOffset
        ? state.position.chain.point.check : state.header.pageCheck
      return header.load(0, as: UInt64.self) != state.header.pageCheck
        || last.load(0, as: UInt64.self) != expected
    }
  }

  // MARK: A new file under the name

  /// Goes on in the file that has the name now, if it is another one.
  private func followsNewFile(_ state: inout State) throws(JournalError) -> Bool {
    let named: FileStatus
    do throws(DiskError) {
      named = try disk.status(of: place.resolvedPath)
    } catch {
      // Between two names there may be none. A journal that is gone stays as it was read.
      if error.code == Errno.noSuchFile { return false }
      throw JournalError(error, path: place.path)
    }
    guard named.identity != state.file.identity else { return false }
    // Whoever put it there wrote the old one to its end first, so that all that is whole in it may
    // be shown.
    let rest = try lookAhead(state)
    if rest.sequence > state.visible {
      state.visible = rest.sequence
      state.reader = try reader(state)
      return true
    }
    do throws(JournalError) {
      state = try FileFollower.enter(
        place, on: disk, reading: reading, after: state.position.chain.point,
        identity: state.header.identity)
    } catch {
      if case .historyChanged = error.reason { state.hasLostHistory = true }
      throw error
    }
    return true
  }

  /// Opens the file that has the name, and finds the place behind a transaction in it.
  private static func enter(
    _ place: JournalPlace, on disk: any Disk, reading: JournalReading, after last: ChainPoint?,
    identity: JournalIdentity? = nil
  ) throws(JournalError) -> State {
    let opened = try JournalOpening.open(place, for: .reading, on: disk)
    let (file, choice) = try JournalError.translating(place.path) { () throws(DiskError) in
      let file = try JournalFile(
        opened, reading: opened.mappingsFollowWrites ? reading : .copied)
      return (file, try RecoveryDecision.chooseHeader(file))
    }
    switch choice {
    case .success(let chosen):
      if let identity, identity != chosen.header.identity {
        throw JournalError(.historyChanged, path: place.path, lastReadable: last?.sequence)
      }
      let isFirstBad = chosen.badOffset == JournalLayout.headerOffsets[0]
      let headerOffset = JournalLayout.headerOffsets[isFirstBad ? 1 : 0]
      return try start(
        place, file: file, header: chosen.header, headerOffset: headerOffset, after: last)
    case .failure(let none):
      _ = try none.verdict.journal(at: place)
      preconditionFailure("\(place.resolvedPath): a journal without a header has one")
    }
  }

  /// Finds the place behind a transaction in a file; without one, the beginning of the file.
  private static func start(
    _ place: JournalPlace, file: JournalFile, header: JournalHeader, headerOffset: UInt64,
    after last: ChainPoint?
  ) throws(JournalError) -> State {
    let changed = JournalError(.historyChanged, path: place.path, lastReadable: last?.sequence)
    var reader = FrameReader(file, header: header)
    var base: [ByteView] = []
    while !reader.chain.isPastBase {
      guard try advance(&reader, path: place.path) else {
        throw JournalError(.damagedFrame, path: place.path, offset: reader.offset)
      }
      if reader.header.kind == .base { base.append(reader.payload) }
    }
    var pending: FollowerEvent?
    if header.base.sequence > last?.sequence ?? .zero {
      pending = .reset(reader.chain.point, base: base)
    } else if let last {
      while reader.chain.sequence < last.sequence {
        guard try advance(&reader, path: place.path) else { throw changed }
      }
      guard last.sequence == .zero || continues(last, at: reader.chain.point, of: header) else {
        throw changed
      }
    }
    return State(
      file: file, header: header, headerOffset: headerOffset,
      position: reader.position, visible: reader.chain.sequence, reader: reader, pending: pending)
  }

  /// Whether a transaction read before is the one that stands here now.
  ///
  /// Compaction seals what it keeps with a new salt, so that the checks differ. The last dropped
  /// one is known by the base; of the others the time must be the same.
  private static func continues(
    _ last: ChainPoint, at point: ChainPoint, of header: JournalHeader
  ) -> Bool {
    if point.check == last.check { return true }
    if last.sequence == header.base.sequence { return last.check == header.base.check }
    return header.base.sequence > .zero && point.time == last.time
  }

  // MARK: Helping hands

  private func reader(_ state: State) throws(JournalError) -> FrameReader {
    try JournalError.translating(place.path) { () throws(DiskError) in
      _ = try state.file.refresh()
    }
    return FrameReader(state.file, salt: state.header.salt, at: state.position)
  }

  private func advance(_ reader: inout FrameReader) throws(JournalError) -> Bool {
    try FileFollower.advance(&reader, path: place.path)
  }

  private static func advance(
    _ reader: inout FrameReader, path: String
  ) throws(JournalError) -> Bool {
    do { return try reader.advance() } catch { throw JournalError(error, path: path) }
  }

  private func lose(_ state: inout State) -> JournalError {
    state.hasLostHistory = true
    return lost(state)
  }

  private func lost(_ state: State) -> JournalError {
    JournalError(.historyChanged, path: place.path, offset: state.position.endOffset)
  }
}
