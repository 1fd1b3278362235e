import DaybookJournal
import DaybookPlatform
import DaybookStore

/// The writer of a new journal file that gets its name only at the end. An import uses it.
///
/// The file is locked and written under a temporary name, synced, and then linked to its final
/// name. So a file with the final name is complete. If the import fails, the file is removed. If
/// the process ends before it can remove the file, the next opening of the journal for writing
/// removes the file.
final class JournalFileMaker {
  private let location: JournalLocation
  private let options: JournalOptions
  private let newPath: String
  private let file: any DiskFile
  private let output: JournalOutput
  private var hasName = false

  /// Creates the file under a temporary name, and takes its lock.
  ///
  /// - Throws: ``JournalError`` with `exists` if a file has the final name.
  init(at path: String, _ options: JournalOptions) throws(JournalError) {
    let location = try JournalLocation(path, on: options.disk)
    do {
      _ = try options.disk.status(of: location.resolvedPath)
      throw JournalError(.exists, path: path)
    } catch let error as DiskError {
      guard error.code == Errno.noSuchFile else { throw JournalError(error, path: path) }
    } catch let error as JournalError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
    self.location = location
    self.options = options
    let identity = JournalIdentity(high: options.random(), low: options.random())
    let header = JournalHeader(
      identity: identity, salt: options.random(), created: options.clock.now)
    (newPath, file, output) = try JournalError.translating(path) { () throws(DiskError) in
      let (newPath, file) = try JournalCreation.createUnnamed(
        at: location, options, permissions: options.permissions)
      do throws(DiskError) {
        return (newPath, file, try JournalOutput(to: file, header, reading: options.reading))
      } catch {
        try? options.disk.remove(newPath)
        throw error
      }
    }
  }

  // An error of the removal is ignored, because it must not hide the error of the import. The next
  // opening of the journal removes the file.
  deinit {
    if !hasName { try? options.disk.remove(newPath) }
    file.unlock()
  }

  var path: String { location.path }

  /// The time of the last transaction.
  var time: JournalTime { output.end.chain.point.time }

  /// Declares that the journal starts with the state after a transaction. The caller must append
  /// the payloads of this state next.
  func startBase(_ sequence: SequenceNumber, at time: JournalTime) {
    // The base needs the checksum that its transaction has in an earlier journal, but no earlier
    // journal exists. With a random checksum, a follower of a different journal never continues
    // with this journal.
    output.start(with: ChainPoint(sequence: sequence, time: time, checksum: options.random()))
  }

  func endBase() throws(JournalError) {
    try translating { () throws(DiskError) in try output.endBase() }
  }

  /// Writes a payload of the base, or the payload of the next transaction.
  ///
  /// - Returns: The offset of the payload in the file.
  func append(_ payload: [UInt8], at time: JournalTime) throws(JournalError) -> UInt64 {
    try JournalError.translating(location.path) { () throws(DiskError) in
      try output.append(payload.span.bytes, at: time)
    }
  }

  /// The part of the file that is written, or nil if the file cannot be mapped.
  var written: ByteView? { output.written }

  /// Completes the journal and gives it its final name.
  ///
  /// With the durability `none`, nothing is synced, although the marks of the file record all
  /// transactions as durable. The durability `none` is only for journals that need not survive a
  /// crash of the system.
  ///
  /// - Throws: ``JournalError`` with `exists` if a different file has received the name meanwhile.
  func finish() throws(JournalError) {
    let isDurable = options.durability != .none
    let (file, disk, target) = (file, options.disk, location.resolvedPath)
    hasName = try JournalError.translating(location.path) { () throws(DiskError) in
      try output.finish()
      if isDurable { try file.barrier() }
      return try JournalCreation.link(newPath, to: location, on: disk)
    }
    guard hasName else { throw JournalError(.exists, path: location.path) }
    file.moved(to: target)
    guard isDurable else { return }
    let directory = location.directory
    try translating { () throws(DiskError) in
      do throws(DiskError) { try disk.syncDirectory(directory) } catch {
        // It is unknown whether the name is durable. The name is removed, so that the failed import
        // leaves no journal.
        try? disk.remove(target)
        throw error
      }
    }
  }

  private func translating(_ calls: () throws(DiskError) -> Void) throws(JournalError) {
    try JournalError.translating(location.path, perform: calls)
  }
}
