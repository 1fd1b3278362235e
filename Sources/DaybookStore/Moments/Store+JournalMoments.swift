import DaybookEssentials
import DaybookJournal

extension Store {
  /// Which moment the state after a transaction was, of those that lead to another state; and where its
  /// last frame ends.
  ///
  /// - Returns: nil if the journal does not know it any more, has no file, or is followed and read by
  ///   copying.
  /// - Complexity: O(log *n*), and a walk over at most 64 KiB of transactions
  package func moment(
    after sequence: SequenceNumber, before state: FrozenState
  ) -> (moment: JournalMoment, endOffset: UInt64)? {
    guard sequence <= state.sequence else { return nil }
    if let moment = state.mappedMoment(after: sequence) { return moment }
    // A journal that was replayed knows where its frames are; one that has become unreadable since has
    // no moments to be told apart.
    let found: (header: JournalHeader, position: FramePosition?)
    switch log {
    case .file(let journal): found = (journal.header, try? journal.position(after: sequence))
    case .reading(let journal): found = (journal.header, try? journal.position(after: sequence))
    case .memory, .following: return nil
    }
    guard let position = found.position else { return nil }
    let moment = JournalMoment(
      identity: found.header.identity, salt: found.header.salt, sequence: sequence,
      check: position.chain.point.check)
    return (moment, position.endOffset)
  }
}

extension FrozenState {
  /// The same by the mapping that rows are read from; nil if there is none.
  fileprivate func mappedMoment(
    after sequence: SequenceNumber
  ) -> (moment: JournalMoment, endOffset: UInt64)? {
    let location = memory.locator.location(of: sequence.rawValue, in: memory)
    guard let header, location != .none, location.region == .file,
      let head = memory.payloadHead(at: location)
    else { return nil }
    let end = Int(location.rawValue) - Frame.headerByteCount + head.byteCountToNext
    // What is on its way has no bytes in the file yet.
    guard end <= memory.file.count else { return nil }
    let moment = JournalMoment(
      identity: header.identity, salt: header.salt, sequence: sequence,
      check: memory.file.load(end - Frame.checkByteCount, as: UInt64.self))
    return (moment, UInt64(end))
  }

  /// The header of the file that rows are read from.
  private var header: JournalHeader? {
    for offset in JournalLayout.headerOffsets {
      let end = Int(offset) + JournalLayout.pageByteCount
      guard memory.file.count >= end else { return nil }
      if case .good(let header) = JournalHeader.read(memory.file[Int(offset)..<end]) {
        return header
      }
    }
    return nil
  }
}

extension JournalTime {
  /// The time of a date, to the nanosecond as far as a date knows it; nil for a date before 1677 or after
  /// 2262, or one that is no number.
  ///
  /// ```swift
  /// if let lastNight = JournalTime(date) { try context.travel(to: lastNight) }
  /// ```
  public init?(_ date: Date) {
    // From 2001 on, as that is what a date counts from: from 1970 on it would be rounded twice.
    let nanoseconds = (date.timeIntervalSinceReferenceDate * 1e9).rounded()
    guard let since2001 = Int128(exactly: nanoseconds),
      let since1970 = Int64(
        exactly: since2001 + Int128(DateText.secondsFrom1970To2001) * 1_000_000_000)
    else { return nil }
    self.init(nanoseconds: since1970)
  }

  /// The date, as near as a date comes to it.
  public var date: Date {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let since2001 = Double(seconds - DateText.secondsFrom1970To2001) + Double(rest) / 1e9
    return Date(timeIntervalSinceReferenceDate: since2001)
  }
}
