/// An append that has its number and its place, and is not written yet.
package struct BegunAppend: Sendable {
  let numbered: AppendState.Numbered
  /// Where its payload will stand in the file.
  package let payloadOffset: UInt64
  /// Whether it is written by whoever finishes it.
  package let hasLead: Bool
  let latch: AppendLatch

  /// Whether it is known what becomes of it, or who has it written.
  package var hasVerdict: Bool { latch.known != nil }

  package var sequence: SequenceNumber { numbered.sequence }
  /// Whether it is written and synced together with the one that has the number before its own: what becomes of the
  /// two is the same, unless that has been taken back.
  package var isTogether: Bool { numbered.isTogether }
  package var time: JournalTime { numbered.time }
}

/// The accepted head was another than the one expected.
package struct AppendConflict: Error {
  package let head: JournalHead
}
