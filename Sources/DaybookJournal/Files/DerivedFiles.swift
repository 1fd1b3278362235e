import DaybookPlatform

/// Files beside a journal that are made of it, and that anybody may delete at any time.
///
/// A file is written under a temporary name, synced, and then given its name, so that under the name there
/// is always a whole one or none. Whoever reads it has to find out whether it is of this journal: the
/// journal itself never looks into it.
package struct DerivedFiles: Sendable {
  private let place: JournalPlace
  private let options: JournalOptions

  /// The files beside a journal.
  package init(beside place: JournalPlace, _ options: JournalOptions) {
    self.place = place
    self.options = options
  }

  /// Where the file of a name stands, which begins with `-`.
  package func path(of name: String) -> String { place.resolvedPath + name }

  /// What is in a file, as far as it goes up to so many bytes; nil if there is no such file.
  ///
  /// It is copied, as others may replace it or cut it short meanwhile.
  package func read(_ name: String, byteCountMax: Int) throws(DiskError) -> [UInt8]? {
    guard let (file, fileByteCount) = try open(name) else { return nil }
    return try file.bytes(at: 0, count: Int(min(fileByteCount, UInt64(byteCountMax))))
  }

  /// A file, and how long it is; nil if there is no such file. Nobody cuts it short or changes it, as it is
  /// only ever replaced, but people.
  package func open(
    _ name: String
  ) throws(DiskError) -> (file: any DiskFile, byteCount: UInt64)? {
    let file: any DiskFile
    do throws(DiskError) { file = try options.disk.open(path(of: name), for: .reading) } catch {
      if error.code == Errno.noSuchFile { return nil }
      throw error
    }
    let status = try file.status()
    guard status.kind == .file else {
      let code = status.kind == .directory ? Errno.isDirectory : Errno.invalidArgument
      throw DiskError(.read, path: path(of: name), code: code)
    }
    return (file, status.byteCount)
  }

  /// Makes a file, or puts another one in its place. A link is replaced, and not what it leads to; what is
  /// no file, or a journal, is left alone.
  ///
  /// - Parameters:
  ///   - origin: What the file is made of.
  ///   - contents: Writes the file.
  /// - Throws: ``JournalError`` with `replaced` if another journal has the name: what is derived from a journal that
  ///   was replaced is never written, as an erasure may have replaced it.
  package func write(
    _ name: String, from origin: Origin, contents: (any DiskFile) throws(DiskError) -> Void
  ) throws(JournalError) {
    let target = JournalPlace(place.name + name, beside: place)
    let made = try JournalError.translating(target.path) { () throws(DiskError) in
      try check(target)
      return try JournalCreation.write(
        at: target, options, permissions: options.permissions, contents: contents
      ) { (newPath) throws(DiskError) in
        // An erasure replaces the journal, then removes files under temporary names, then those under their own. So
        // either this look finds the new journal, or the rename finds no file, or the erasure finds the renamed one.
        guard try isCurrent(origin) else { return false }
        try options.disk.rename(newPath, to: target.resolvedPath)
        return true
      }
    }
    if made == nil { throw JournalError(.replaced, path: place.path) }
  }

  /// The moment of a journal that a file is made of, and the offset at which its last frame ends.
  package struct Origin: Hashable, Sendable {
    package var moment: JournalMoment
    package var endOffset: UInt64

    package init(_ moment: JournalMoment, endOffset: UInt64) {
      self.moment = moment
      self.endOffset = endOffset
    }
  }

  /// Whether the file that has the journal's name contains a moment: its header, and the check that ends the last
  /// frame, which depends on every byte before it.
  private func isCurrent(_ origin: Origin) throws(DiskError) -> Bool {
    let file: any DiskFile
    do throws(DiskError) {
      file = try options.disk.open(place.resolvedPath, for: .reading)
    } catch {
      if error.code == Errno.noSuchFile { return false }
      throw error
    }
    guard let header = try header(of: file), header.identity == origin.moment.identity,
      header.salt == origin.moment.salt
    else { return false }
    if origin.endOffset <= JournalLayout.firstFrameOffset {
      return header.pageCheck == origin.moment.check
    }
    let check = try file.bytes(
      at: origin.endOffset - UInt64(Frame.checkByteCount), count: Frame.checkByteCount)
    return check.count == Frame.checkByteCount
      && ByteView(check).load(0, as: UInt64.self) == origin.moment.check
  }

  /// The header of a journal; nil if neither copy can be read.
  private func header(of file: any DiskFile) throws(DiskError) -> JournalHeader? {
    for offset in JournalLayout.headerOffsets {
      let page = ByteView(try file.bytes(at: offset, count: JournalLayout.pageByteCount))
      if case .good(let header) = JournalHeader.read(page) { return header }
    }
    return nil
  }

  /// Refuses to take the place of what is no file, or is a journal.
  private func check(_ target: JournalPlace) throws(DiskError) {
    let status: FileStatus
    do throws(DiskError) { status = try options.disk.status(of: target.path) } catch {
      if error.code == Errno.noSuchFile { return }
      throw error
    }
    if status.kind != .file {
      let code = status.kind == .directory ? Errno.isDirectory : Errno.fileExists
      throw DiskError(.rename, path: target.path, code: code)
    }
    let name = String(target.name.dropFirst(place.name.count))
    if try read(name, byteCountMax: JournalHeader.magic.count) == JournalHeader.magic {
      throw DiskError(.rename, path: target.path, code: Errno.fileExists)
    }
  }

  /// Takes a file away; nothing, if there is none.
  package func remove(_ name: String) throws(JournalError) {
    let path = path(of: name)
    try JournalError.translating(path) { () throws(DiskError) in
      do throws(DiskError) { try options.disk.remove(path) } catch {
        guard error.code == Errno.noSuchFile else { throw error }
      }
    }
  }

  // MARK: Caches, checkpoints, and what was cut

  /// What all caches are called behind the name of their journal.
  package static let cachePrefix = "-cache-"
  /// What each begins with.
  package static let cacheMagic: UInt64 = 0x1A0A_0D63_5941_4489
  /// What the checkpoints are called.
  package static let checkpointNames = ["-checkpoint-a", "-checkpoint-b"]
  /// What each begins with.
  package static let checkpointMagic: UInt64 = 0x1A0A_0D70_5941_4489

  /// Takes a cache away; a file of its name that is none is left alone.
  package func removeCache(_ name: String) throws(JournalError) {
    try remove(name, beginningWith: DerivedFiles.cacheMagic)
  }

  /// Takes away all caches.
  package func removeCaches() throws(JournalError) {
    for name in try names(beginningWith: DerivedFiles.cachePrefix) { try removeCache(name) }
  }

  /// Takes away all checkpoints.
  package func removeCheckpoints() throws(JournalError) {
    for name in DerivedFiles.checkpointNames {
      try remove(name, beginningWith: DerivedFiles.checkpointMagic)
    }
  }

  /// Removes caches and checkpoints that are being made, also by processes that go on: their rename then fails. And
  /// removes journals that processes which have ended were making for the name.
  package func removeUnfinished() throws(JournalError) {
    try JournalError.translating(place.path) { () throws(DiskError) in
      for newName in try options.disk.list(place.directory) {
        let newPath = FilePaths.join(place.directory, name: newName)
        do throws(DiskError) {
          if place.isMade(as: newName) {
            try JournalCreation.removeIfAbandoned(newPath, on: options.disk)
          } else if isDerived(JournalPlace.name(made: newName)) {
            try options.disk.remove(newPath)
          }
        } catch {
          guard error.code == Errno.noSuchFile else { throw error }
        }
      }
    }
  }

  /// Returns whether a name is that of a cache or a checkpoint of the journal.
  private func isDerived(_ name: String?) -> Bool {
    guard let name, name.hasPrefix(place.name) else { return false }
    let suffix = name.dropFirst(place.name.count)
    return suffix.hasPrefix(DerivedFiles.cachePrefix)
      || DerivedFiles.checkpointNames.contains(String(suffix))
  }

  /// Takes away a file that begins as it should, or one of which the beginning was lost.
  private func remove(_ name: String, beginningWith magic: UInt64) throws(JournalError) {
    let beginning = try JournalError.translating(path(of: name)) { () throws(DiskError) in
      try read(name, byteCountMax: 8)
    }
    guard let beginning else { return }
    if beginning.count < 8 || beginning.allSatisfy({ $0 == 0 })
      || ByteView(beginning).load(0, as: UInt64.self) == magic
    {
      try remove(name)
    }
  }

  /// Takes away what crashes had left behind the journal's end, and recoveries have kept for people.
  package func removeTorn() throws(JournalError) {
    for name in try names(beginningWith: "-torn-") where DerivedFiles.isTorn(name) {
      try remove(name)
    }
  }

  /// Whether a name is one that recovery gives: `-torn-58`, `-torn-58.1`.
  private static func isTorn(_ name: String) -> Bool {
    let parts = name.dropFirst("-torn-".count)
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
    }
  }

  /// Makes removals durable.
  package func syncNames() throws(JournalError) {
    try JournalError.translating(place.path) { () throws(DiskError) in
      try options.disk.syncDirectory(place.directory)
    }
  }

  /// The names of the files that begin in some way, in order.
  package func names(beginningWith prefix: String) throws(JournalError) -> [String] {
    try JournalError.translating(place.path) { () throws(DiskError) in
      let start = place.name + prefix
      return try options.disk.list(place.directory).filter { $0.hasPrefix(start) }
        .map { String($0.dropFirst(place.name.count)) }.sorted()
    }
  }
}

extension JournalPlace {
  /// Whether files stand beside the journal that only a journal that was used leaves there.
  package func hasDerivedFiles(on disk: any Disk) throws(DiskError) -> Bool {
    let names = [JournalPlace.endSuffix] + DerivedFiles.checkpointNames
    let prefixes = ["-torn-", DerivedFiles.cachePrefix]
    return try disk.list(directory).contains { other in
      guard other.hasPrefix(name) else { return false }
      let suffix = other.dropFirst(name.count)
      return names.contains(String(suffix)) || prefixes.contains { suffix.hasPrefix($0) }
    }
  }
}
