/// What a reader without the lock may see of a journal.
///
/// With a writer: frames up to the committed end that it publishes, or that the journal itself
/// proves to have been synced, as a frame behind that is there may yet be taken back. Without one:
/// what recovery would keep.
struct Visibility {
  let place: JournalPlace
  let disk: any Disk

  /// The committed end published for the journal of this salt, or nil if none is to be had.
  func publishedEnd(salt: UInt64) -> CommittedEnd? {
    // Half written, or of another journal, or gone: each time as good as none.
    guard let file = try? disk.open(place.endPath, for: .reading),
      let view = try? CopiedImage(file, byteCount: UInt64(CommittedEnd.byteCount))
        .view(at: 0, atLeast: CommittedEnd.byteCount),
      let end = CommittedEnd(view), end.salt == salt
    else { return nil }
    return end
  }

  /// The last transaction to show, of the intact ones.
  func lastVisible(
    intact: IntactPrefix, marked: SequenceNumber, file: JournalFile, salt: UInt64
  ) -> SequenceNumber {
    let published = publishedEnd(salt: salt)?.sequence ?? .zero
    let proven = max(published, marked, intact.declaredDurable)
    if proven < intact.sequence, !file.file.isLocked { return intact.sequence }
    return min(proven, intact.sequence)
  }
}
