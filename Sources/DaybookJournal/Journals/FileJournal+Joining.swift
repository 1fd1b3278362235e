import DaybookPlatform

extension FileJournal {
  /// Creates a replica of a shared log by opening its file, or by creating the file.
  ///
  /// | file | log | result |
  /// | --- | --- | --- |
  /// | none | empty | a new journal, whose header is appended to the log |
  /// | none | a journal | a replica of it |
  /// | a replica | the same journal | the replica, after a pull |
  /// | a replica | not reachable | the replica as it is |
  /// | a replica | empty, or shorter | the replica, for reading only |
  ///
  /// Every other case is refused.
  ///
  /// - Throws: ``JournalError``: `sharedLog`, if the log cannot be reached and there is no replica
  ///   yet; `notReplica`, if the file is no replica; `otherLog`, if the log contains a different
  ///   journal; and the errors of an opening.
  package convenience init(
    at path: String, sharing link: SharedLink, options: JournalOptions,
    from start: JournalStart.Search
  ) throws(JournalError) {
    var options = options
    options.durability = .batched(interval: .milliseconds(1000))
    let location = try JournalLocation(path, on: options.disk)
    let replicaFile = try JournalError.translating(path) { () throws(DiskError) in
      try ReplicaFile.read(beside: location, on: options.disk)
    }
    link.acknowledged = replicaFile?.head
    let isNew = try JournalError.translating(path) { () throws(DiskError) in
      do throws(DiskError) { _ = try options.disk.status(of: location.resolvedPath) } catch {
        guard error.code == Errno.noSuchFile else { throw error }
        return true
      }
      return false
    }
    if isNew {
      let beginning = try FileJournal.beginning(of: link, at: path, options: options)
      try JournalError.translating(path) { () throws(DiskError) in
        try ReplicaFile(
          identity: beginning.header.identity, head: beginning.head, log: link.address
        ).write(beside: location, options)
      }
      options.beginning = beginning
      // A replica that was deleted starts again, and has no memory of earlier promises.
      link.acknowledged = beginning.head
    } else if replicaFile == nil {
      throw JournalError(.notReplica(of: link.name), path: path)
    }
    try self.init(at: location, options: options, link: link, from: start)
    if let replicaFile, !isNew, replicaFile.identity != header.identity {
      try? closeAndWait()
      throw JournalError(.notReplica(of: link.name), path: path)
    }
    if options.receivesHints { link.startHints() }
    do throws(JournalError) { _ = try pullAndWait() } catch {
      // The replica can be read without its log.
      switch error.reason {
      case .sharedLog, .diverged, .rewritten: break
      default:
        try? closeAndWait()
        throw error
      }
    }
  }

  /// Returns the beginning of the journal in a log. If the log is empty, appends a new one.
  static func beginning(
    of link: SharedLink, at path: String, options: JournalOptions
  ) throws(JournalError) -> JournalBeginning {
    let new = JournalBeginning(JournalCreation.freshHeader(options))
    do throws(SharedLogError) {
      if let first = try link.read(from: .zero, byteCount: 1).first {
        return try beginning(first, of: link)
      }
      if case .appended = try link.append(new.group(nonce: options.random())) { return new }
      // A different machine has created the journal meanwhile.
      if let first = try link.read(from: .zero, byteCount: 1).first {
        return try beginning(first, of: link)
      }
      throw SharedLogError(
        .refused("it refused the first group, and contains no group"), log: link.name)
    } catch {
      throw JournalError(.sharedLog(error), path: path)
    }
  }

  private static func beginning(
    _ group: FrameGroup, of link: SharedLink
  ) throws(SharedLogError) -> JournalBeginning {
    do throws(PulledFrames.Defect) { return try JournalBeginning(group) } catch {
      switch error {
      case .diverged: throw SharedLogError(.refused("its header is invalid"), log: link.name)
      case .invalid(let why): throw SharedLogError(.refused(why), log: link.name)
      }
    }
  }
}
