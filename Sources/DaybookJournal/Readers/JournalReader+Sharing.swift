import DaybookPlatform

extension JournalReader {
  /// Returns the address of the shared log whose replica a journal is; nil if it is no replica.
  ///
  /// - Throws: ``JournalError`` with `notReplica` if the file that names the log is that of a
  ///   different journal, for example of an earlier replica with the same path.
  @_spi(Tools) public static func sharedLogAddress(
    at path: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) -> String? {
    let location = try JournalLocation(path, on: options.disk)
    let contents = try JournalError.translating(path) { () throws(DiskError) in
      try ReplicaFile.read(beside: location, on: options.disk)
    }
    guard let contents else { return nil }
    if let found = identity(of: location, on: options.disk), found != contents.identity {
      throw JournalError(.notReplica(of: contents.log), path: path)
    }
    return contents.log
  }

  /// Returns the identity in the header of a journal; nil if the header cannot be read.
  private static func identity(of location: JournalLocation, on disk: any Disk) -> JournalIdentity?
  {
    guard let file = try? disk.open(location.resolvedPath, for: .reading),
      let byteCount = try? file.status().byteCount,
      case .success(let chosen)? = try? RecoveryDecision.chooseHeader(
        CopiedImage(file, byteCount: byteCount))
    else { return nil }
    return chosen.header.identity
  }

  /// Returns the position that the shared log of a replica has acknowledged, as the file beside the
  /// replica records it; nil without the file.
  @_spi(Tools) public static func acknowledgedEnd(
    at path: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) -> SharedHead? {
    let location = try JournalLocation(path, on: options.disk)
    return try JournalError.translating(path) { () throws(DiskError) in
      try ReplicaFile.read(beside: location, on: options.disk)?.head
    }
  }

  /// Makes a backup of a replica a second replica of the same log. The backup becomes a journal of
  /// its own without this call.
  @_spi(Tools) public static func copySharing(
    from path: String, to copy: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) {
    let (location, target) = (
      try JournalLocation(path, on: options.disk), try JournalLocation(copy, on: options.disk)
    )
    try JournalError.translating(path) { () throws(DiskError) in
      try ReplicaFile.read(beside: location, on: options.disk)?.write(beside: target, options)
    }
  }
}
