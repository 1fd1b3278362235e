import DaybookJournal
import DaybookPlatform
import DaybookStore

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
  private let output: JournalOutput
  private var hasName = false

  /// Begins a journal.
  ///
  /// - Throws: ``JournalError`` with `exists` if there is a file of that name.
  init(at path: String, _ options: JournalOptions) throws(JournalError) {
    let place = try JournalPlace(path, on: options.disk)
    do {
      _ = try options.disk.status(of: place.resolvedPath)
      throw JournalError(.exists, path: path)
    } catch let error as DiskError {
      guard error.code == Errno.noSuchFile else { throw JournalError(error, path: path) }
    } catch let error as JournalError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
    self.place = place
    self.options = options
    let identity = JournalIdentity(high: options.random(), low: options.random())
    let header = JournalHeader(
      identity: identity, salt: options.random(), created: options.clock.now)
    (newPath, file, output) = try JournalError.translating(path) { () throws(DiskError) in
      let (newPath, file) = try JournalCreation.createUnnamed(
        at: place, options, permissions: options.permissions)
      do throws(DiskError) {
        return (newPath, file, try JournalOutput(to: file, header, reading: options.reading))
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
  var time: JournalTime { output.end.chain.point.time }

  /// Says that the journal begins with the state as of a transaction, whose payloads come next.
  func beginBase(_ sequence: SequenceNumber, at time: JournalTime) {
    // There was no journal before whose followers could go on here, so no check is any journal's.
    output.begin(with: ChainPoint(sequence: sequence, time: time, check: options.random()))
  }

  func endBase() throws(JournalError) {
    try translating { () throws(DiskError) in try output.endBase() }
  }

  /// Writes a payload of the base, or that of the next transaction, and says where it stands.
  func append(_ payload: [UInt8], at time: JournalTime) throws(JournalError) -> UInt64 {
    try JournalError.translating(place.path) { () throws(DiskError) in
      try output.append(payload.span.bytes, at: time)
    }
  }

  /// The file as far as it is written, if it can be mapped.
  var written: ByteView? { output.written }

  /// Ends the journal and gives it its name. Without durability nothing is synced: that is for a journal which
  /// nobody keeps, as this one says that all of it was.
  ///
  /// - Throws: ``JournalError`` with `exists` if another file has got the name meanwhile.
  func finish() throws(JournalError) {
    let isKept = options.durability != .none
    let (file, disk, target) = (file, options.disk, place.resolvedPath)
    hasName = try JournalError.translating(place.path) { () throws(DiskError) in
      try output.finish()
      if isKept { try file.barrier() }
      return try JournalCreation.link(newPath, to: place, on: disk)
    }
    guard hasName else { throw JournalError(.exists, path: place.path) }
    file.moved(to: target)
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
    try JournalError.translating(place.path, perform: calls)
  }
}
