import DaybookJournal

/// The location of a row: in the journal's file, in the store's memory, or in a context's memory.
/// Pages contain locations instead of rows.
@usableFromInline
package struct RowLocation: Hashable, Sendable {
  @usableFromInline package var rawValue: UInt64

  /// The storage that contains the row, in the two highest bits.
  package enum Region: UInt64, Sendable {
    /// The journal's file. The location is the offset in the file.
    case file = 0
    /// The store's memory.
    case memory = 0x4000_0000_0000_0000
    /// A context's memory.
    case draft = 0x8000_0000_0000_0000
    /// A context's memory before its last merge. Observers of the merge read the rows before the
    /// change from it.
    case earlierDraft = 0xC000_0000_0000_0000
  }

  /// The location of the same draft's row in ``RowMemory/earlierDraft``. The transaction that a
  /// context reports after a merge has the draft memory of the time before the merge in that
  /// property.
  var asEarlierDraft: RowLocation {
    precondition(region == .draft, "\(self) is not in a draft")
    return RowLocation(rawValue: rawValue | Region.earlierDraft.rawValue)
  }

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// No location. No row starts at offset 0, because the journal's file header is there.
  package static let none = RowLocation(rawValue: 0)

  package var region: Region { Region(rawValue: rawValue & 0xC000_0000_0000_0000) ?? .file }

  /// Returns the location that is a number of bytes after a location.
  package static func + (location: RowLocation, byteCount: Int) -> RowLocation {
    RowLocation(rawValue: location.rawValue &+ UInt64(byteCount))
  }
}

/// The position of a change in the journal. It identifies the change, and the row that the change
/// wrote.
package struct ChangePosition: Hashable, Sendable {
  /// The number of the transaction, or the number that identifies a payload of the base; 0 for a
  /// draft.
  package var sequence: UInt64
  /// The offset of the row from the start of its payload.
  package var payloadOffset: UInt32

  package init(sequence: UInt64, payloadOffset: UInt32) {
    self.sequence = sequence
    self.payloadOffset = payloadOffset
  }

  /// Returns whether the position is in the base of a journal.
  ///
  /// - Parameter base: The number of the base; 0 if the journal has none.
  func isInBase(_ base: SequenceNumber) -> Bool {
    PayloadLocator.isBase(sequence) || (sequence > 0 && sequence <= base.rawValue)
  }
}
