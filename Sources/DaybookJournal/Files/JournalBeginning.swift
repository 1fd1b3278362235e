/// The beginning of a journal that is created: its header, and the frames of its base if it has
/// one.
package struct JournalBeginning: Sendable {
  package let header: JournalHeader
  /// The frames of the base.
  let base: [UInt8]
  /// The position after the base.
  let end: FramePosition

  /// Creates the beginning of a journal whose base ends at a position.
  init(_ header: JournalHeader, base: [UInt8], end: FramePosition) {
    self.header = header
    self.base = base
    self.end = end
  }

  /// Creates the beginning of a new journal without a base.
  init(_ header: JournalHeader) {
    self.init(header, base: [], end: FramePosition(before: header))
  }

  /// The positions of base frames, for the index of the journal.
  var index: FrameIndex {
    var index = FrameIndex()
    let image = MappedImage(JournalCreation.beginning(header, markedEnd: end.end) + base)
    var reader = FrameReader(image, header: header)
    repeat { index.record(reader.position) } while (try? reader.advance()) == true
    return index
  }

  /// The bytes of the journal's file.
  var bytes: [UInt8] { JournalCreation.beginning(header, markedEnd: end.end) + base }
}
