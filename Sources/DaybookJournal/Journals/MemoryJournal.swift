import DaybookPlatform
import Synchronization

/// A journal in memory, for tests, previews, and stores without a file.
///
/// The journal numbers and chains transactions, and computes checksums, as ``FileJournal`` does.
/// ``image()`` returns the bytes that a ``FileJournal`` would have written. Each transaction counts
/// as durable when its append returns, although the journal is lost when the process ends.
public final class MemoryJournal: Journal {
  // Shared state: `state`, guarded by its mutex; `changes`, a thread-safe counter of the changes of
  // `state`. Followers wait for this counter.

  private let header: JournalHeader
  private let clock: any JournalClock
  private let state: Mutex<State>
  private let changes = Signal()

  private struct State {
    var chain: FrameChain
    var frames: [JournalTransaction] = []
    var isClosed = false
  }

  /// Creates an empty journal.
  public convenience init(clock: any JournalClock = MachineClock()) {
    self.init(clock: clock, random: { UInt64.random(in: .min ... .max) })
  }

  package init(clock: any JournalClock, random: () -> UInt64) {
    self.clock = clock
    header = JournalHeader(
      identity: JournalIdentity(high: random(), low: random()), salt: random(), created: clock.now)
    state = Mutex(State(chain: FrameChain(before: header)))
  }

  /// The permanent identity of the journal.
  public var identity: JournalIdentity { header.identity }

  /// The last transaction. In memory, every accepted transaction counts as durable.
  public var head: ChainPoint { state.withLock { $0.chain.point } }

  /// The last transaction.
  public var acceptedHead: ChainPoint { head }

  /// Appends a transaction.
  ///
  /// - Throws: ``JournalError`` with `closed`, `payloadEmpty` or `payloadTooLarge`.
  public func append(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) async throws(JournalError) -> AppendOutcome {
    try appendAndWait(payload, at: time, expecting: expected)
  }

  /// Appends a transaction.
  ///
  /// - Throws: ``JournalError`` with `closed`, `payloadEmpty` or `payloadTooLarge`.
  public func appendAndWait(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) throws(JournalError) -> AppendOutcome {
    guard !payload.isEmpty else { throw JournalError(.payloadEmpty, path: MemoryJournal.path) }
    guard payload.count <= Frame.payloadByteCountMax else {
      throw JournalError(.payloadTooLarge(payload.count), path: MemoryJournal.path)
    }
    let time = time ?? clock.now
    let outcome = state.withLock { state in
      append(payload, at: time, expecting: expected, to: &state)
    }
    guard let outcome else { throw JournalError(.closed, path: MemoryJournal.path) }
    changes.increase()
    return outcome
  }

  private static let path = "journal in memory"

  private func append(
    _ payload: [UInt8], at time: JournalTime, expecting expected: SequenceNumber?,
    to state: inout State
  ) -> AppendOutcome? {
    if state.isClosed { return nil }
    if let expected, expected != state.chain.point.sequence {
      return .conflict(state.chain.point)
    }
    let raised = max(time, state.chain.point.time)
    let frame = FrameHeader(
      payloadByteCount: payload.count, kind: .transaction,
      sequence: state.chain.point.sequence.next,
      time: raised, durable: state.chain.point.sequence,
      previousChecksum: state.chain.point.checksum)
    var writer = FrameWriter()
    let checksum = writer.append(frame, payload: payload.span.bytes, salt: header.salt)
    state.chain.advance(over: frame, checksum: checksum)
    state.frames.append(
      JournalTransaction(
        sequence: frame.sequence, time: raised, payload: ByteView(payload), checksum: checksum))
    return .appended(
      Receipt(
        sequence: frame.sequence, time: raised, safety: .durable,
        clockTime: raised == time ? nil : time, checksum: checksum))
  }

  /// Returns a reader of the transactions, in order, up to the head at the time of the call.
  public func transactions(from first: SequenceNumber) -> TransactionReader {
    TransactionReader(state.withLock { $0.frames }, from: first)
  }

  /// Creates a follower that starts after a transaction that was read earlier, or at the start of
  /// the journal.
  ///
  /// - Throws: ``JournalError`` with `historyChanged` if the journal contains a different
  ///   transaction at that position.
  public func follow(after last: ChainPoint? = nil) throws(JournalError) -> any JournalFollower {
    let last = last?.sequence == .zero ? nil : last
    if let last, transaction(last.sequence)?.head != last {
      throw JournalError(
        .historyChanged, path: MemoryJournal.path, lastReadable: min(last.sequence, head.sequence))
    }
    return MemoryFollower(self, after: last?.sequence ?? .zero, changes: changes)
  }

  /// Returns the journal file that a ``FileJournal`` would have left after closing.
  ///
  /// - Complexity: O(*n*) in the size of the journal
  public func image() -> [UInt8] {
    let frames = state.withLock { $0.frames }
    var writer = FrameWriter()
    var position = FramePosition(before: header)
    for transaction in frames {
      let frame = FrameHeader(
        payloadByteCount: transaction.payload.count, kind: .transaction,
        sequence: transaction.sequence, time: transaction.time, durable: position.sequence,
        previousChecksum: position.chain.point.checksum)
      let checksum = transaction.payload.withSpan {
        writer.append(frame, payload: $0, salt: header.salt)
      }
      position.advance(over: frame, checksum: checksum)
    }
    let beginning = JournalCreation.beginning(
      header, markedEnd: position.end)
    return writer.withBytes { bytes in bytes.withUnsafeBytes { beginning + $0 } }
  }

  /// Closes the journal for appends. The transactions stay readable.
  public func close() {
    state.withLock { $0.isClosed = true }
    changes.increase()
  }

  /// Closes the journal for appends. The transactions stay readable.
  public func closeAndWait() { close() }

  fileprivate func transaction(_ sequence: SequenceNumber) -> JournalTransaction? {
    state.withLock { state in
      // A caller may pass the chain point of a different journal, so the number may have any value.
      guard let number = Int(exactly: sequence.rawValue), state.frames.indices.contains(number - 1)
      else { return nil }
      return state.frames[number - 1]
    }
  }
}

/// A follower of a journal in memory.
private final class MemoryFollower: JournalFollower {
  private let journal: MemoryJournal
  private let changes: Signal
  private let last: Mutex<SequenceNumber>
  private let seenCount: Mutex<UInt64>

  init(_ journal: MemoryJournal, after last: SequenceNumber, changes: Signal) {
    self.journal = journal
    self.changes = changes
    self.last = Mutex(last)
    seenCount = Mutex(changes.count)
  }

  func next() -> FollowerEvent? {
    last.withLock { last in
      guard let transaction = journal.transaction(last.next) else { return nil }
      last = transaction.sequence
      return .transaction(transaction)
    }
  }

  func wait(milliseconds: Int) {
    let seenCount = seenCount.withLock { $0 }
    let nanoseconds = Int64(min(max(0, milliseconds), 1 << 32)) * 1_000_000
    changes.wait(until: seenCount + 1, deadline: SystemClock.uptimeNanoseconds + nanoseconds)
    self.seenCount.withLock { $0 = changes.count }
  }

  func wake() { changes.increase() }
}
