import DaybookPlatform

extension JournalReader {
  /// Returns the address of the shared log whose replica a journal is; nil if it is no replica.
  @_spi(Tools) public static func sharedLogAddress(
    at path: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) -> String? {
    let place = try JournalPlace(path, on: options.disk)
    return try JournalError.translating(path) { () throws(DiskError) in
      try ReplicaFile.read(beside: place, on: options.disk)?.log
    }
  }

  /// Makes a backup of a replica a second replica of the same log. The backup becomes a journal of
  /// its own without this call.
  @_spi(Tools) public static func copySharing(
    from path: String, to copy: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) {
    let (place, target) = (
      try JournalPlace(path, on: options.disk), try JournalPlace(copy, on: options.disk)
    )
    try JournalError.translating(path) { () throws(DiskError) in
      try ReplicaFile.read(beside: place, on: options.disk)?.write(beside: target, options)
    }
  }
}
