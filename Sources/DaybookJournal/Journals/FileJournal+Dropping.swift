/// The replacement of the first groups of a shared log by a base.
extension FileJournal {
  /// Finds the end of a group of the log.
  ///
  /// - Returns: The base of the log, which is 0 if the log contains its whole history; and the last
  ///   transaction of the last group that ends at or before a transaction. The latter is the base
  ///   if no later group does.
  package func groupEnd(
    atOrBefore last: SequenceNumber
  ) throws(JournalError) -> (base: SequenceNumber, end: SequenceNumber) {
    try calling { (link) throws(SharedLogError) in
      guard let first = try link.read(from: .zero, byteCount: 1).first else {
        throw SharedLogError(.refused("it contains no group"), log: link.name)
      }
      let base = first.end.last
      guard last > base, let group = try link.read(from: last, byteCount: 1).first else {
        return (base, base)
      }
      return (base, group.end.last <= last ? group.end.last : max(base, before(group)))
    }
  }

  private func before(_ group: FrameGroup) -> SequenceNumber {
    SequenceNumber(max(group.first.rawValue, 1) - 1)
  }

  /// Replaces the first groups of the log; see ``SharedLog/replaceGroups(with:)``.
  package func replaceGroups(with base: FrameGroup) throws(JournalError) -> Bool {
    try calling { (link) throws(SharedLogError) in try link.replaceGroups(with: base) }
  }

  private func calling<Value>(
    _ call: (SharedLink) throws(SharedLogError) -> Value
  ) throws(JournalError) -> Value {
    guard let link else { preconditionFailure("\(path) is not a replica") }
    do throws(SharedLogError) { return try call(link) } catch {
      throw JournalError(.sharedLog(error), path: path)
    }
  }
}
