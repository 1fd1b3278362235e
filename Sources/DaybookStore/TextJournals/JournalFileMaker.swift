import DaybookJournal
import Glibc

/// Writes a whole journal to a file that gets its name only at the end.
///
/// The file is locked and written under a temporary name, synced, and then linked to its own: so
/// there is either no journal of that name or a whole one. Whatever ends the making earlier removes
/// the file; what a process leaves that could not, the next opening of the journal removes.
final class JournalFileMaker {
  private let place: JournalPlace
  private let options: JournalOptions
  private let newPath: String
  private let file: any DiskFile
  private let image: JournalFile
  private let identity: JournalIdentity
  private let salt: UInt64
  private var header: JournalHeader
  private var chain: FrameChain
  private var offset = JournalLayout.firstFrameOffset
  private var frames = FrameWriter()
  private var hasName = false
  private var baseFrameCount: UInt64 = 0

  /// Begins a journal.
  ///
  /// - Throws: ``JournalError`` with `exists` if there is a file of that name.
  init(at path: String, _ options: JournalOptions) throws(JournalError) {
    let place = try JournalPlace(path, on: options.disk)
    do {
      _ = try options.disk.status(of: place.resolvedPath)
      throw JournalError(.exists, path: path)
    } catch let error as DiskError {
      guard error.code == ENOENT else { throw JournalError(error, path: path) }
    } catch let error as JournalError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
    self.place = place
    self.options = options
    identity = JournalIdentity(high: options.random(), low: options.random())
    salt = options.random()
    header = JournalHeader(identity: identity, salt: salt, created: options.clock.now)
    chain = FrameChain(before: header)
    newPath = place.newPath(options.random())
    let newPath = newPath
    (file, image) = try JournalError.translating(path) { () throws(DiskError) in
      let file = try options.disk.create(newPath, permissions: options.permissions)
      do throws(DiskError) {
        guard try file.lock() else { throw DiskError(.lock, path: newPath, code: EBUSY) }
        return (file, try JournalFile(file, reading: options.reading))
      } catch {
        try? options.disk.remove(newPath)
        throw error
      }
    }
  }

  // A failure here must not hide the one that led to it; the next opening removes what is left.
  deinit {
    if !hasName { try? options.disk.remove(newPath) }
    file.unlock()
  }

  var path: String { place.path }

  /// The time of the last transaction.
  var time: JournalTime { chain.time }

  /// Says that the journal begins with the state as of a transaction, whose payloads come next.
  func beginBase(_ sequence: SequenceNumber, at time: JournalTime) {
    precondition(
      offset == JournalLayout.firstFrameOffset && chain.sequence == .zero,
      "a base behind transaction \(chain.sequence)")
    // There was no journal before whose followers could go on here, so no check is any journal's.
    header = JournalHeader(
      identity: identity, salt: salt, created: header.created,
      base: JournalBase(sequence: sequence, time: time, check: options.random()))
    chain = FrameChain(before: header)
  }

  func endBase() throws(JournalError) {
    var count = RowBuffer()
    count.append(baseFrameCount)
    _ = try append(.baseEnd, at: chain.time, count.bytes.span.bytes)
  }

  /// Writes a payload of the base, or that of the next transaction, and says where it stands.
  func append(_ payload: [UInt8], at time: JournalTime) throws(JournalError) -> UInt64 {
    let isBase = !chain.isPastBase
    if isBase { baseFrameCount += 1 }
    return try append(isBase ? .base : .transaction, at: time, payload.span.bytes)
  }

  private func append(
    _ kind: FrameKind, at time: JournalTime, _ payload: RawSpan
  ) throws(JournalError) -> UInt64 {
    let isTransaction = kind == .transaction
    // The file gets its name only when all of it is synced, so that for whoever finds it each
    // transaction was durable before the next.
    let header = FrameHeader(
      payloadByteCount: payload.byteCount, kind: kind,
      sequence: isTransaction ? chain.sequence.next : .zero, time: time,
      durable: isTransaction ? chain.sequence : .zero, previousCheck: chain.check)
    let check = frames.append(header, payload: payload, salt: salt)
    let start = offset
    try translating { () throws(DiskError) in
      try frames.withBytes { (bytes) throws(DiskError) in try file.writeAll(bytes, at: start) }
    }
    frames.removeAll()
    chain.advance(over: header, check: check)
    offset += UInt64(header.frameByteCount)
    image.grow(to: offset)
    return start + UInt64(Frame.headerByteCount)
  }

  /// The file as far as it is written, if it can be mapped.
  var written: ByteView? { image.mapped(through: offset) }

  /// Ends the journal and gives it its name. Without durability nothing is synced: that is for a journal which
  /// nobody keeps, as this one says that all of it was.
  ///
  /// - Throws: ``JournalError`` with `exists` if another file has got the name meanwhile.
  func finish() throws(JournalError) {
    var beginning = RowBuffer()
    for offset in JournalLayout.headerOffsets {
      beginning.appendZeros(Int(offset) - beginning.count)
      beginning.append(header.page())
    }
    for generation in 0..<2 as Range<UInt64> {
      let mark = DurableMark(
        generation: generation, sequence: chain.sequence, endOffset: offset, endCheck: chain.check)
      beginning.appendZeros(Int(mark.pageOffset) - beginning.count)
      beginning.append(mark.bytes(salt: salt))
    }
    beginning.appendZeros(Int(JournalLayout.firstFrameOffset) - beginning.count)
    let isKept = options.durability != .none
    let (file, disk, newPath, target) = (file, options.disk, newPath, place.resolvedPath)
    try translating { () throws(DiskError) in
      try file.writeAll(beginning.bytes.span.bytes, at: 0)
      if isKept { try file.sync() }
      try disk.link(newPath, to: target)
    }
    hasName = true
    file.moved(to: target)
    // The next opening of the journal removes the other name, should it stay.
    try? disk.remove(newPath)
    guard isKept else { return }
    let directory = place.directory
    try translating { () throws(DiskError) in
      do throws(DiskError) { try disk.syncDirectory(directory) } catch {
        // Whether the name would last is not known, so it is taken back.
        try? disk.remove(target)
        throw error
      }
    }
  }

  private func translating(_ calls: () throws(DiskError) -> Void) throws(JournalError) {
    try JournalError.translating(place.path, calls)
  }
}
