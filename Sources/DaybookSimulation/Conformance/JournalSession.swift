import DaybookJournal
import DaybookPlatform

/// A new journal, and the transactions that it must contain.
struct JournalSession: Sendable {
  var journal: any Journal
  let round: ConformanceRound
  var random: SplitMix64
  private var model: [Entry] = []

  /// A transaction that was acknowledged.
  struct Entry: Hashable, Sendable {
    let point: ChainPoint
    let payload: [UInt8]

    init(_ transaction: JournalTransaction) {
      point = transaction.head
      payload = transaction.payload.copy()
    }

    init(point: ChainPoint, payload: [UInt8]) {
      self.point = point
      self.payload = payload
    }
  }

  init(journal: any Journal, round: ConformanceRound, random: SplitMix64) {
    self.journal = journal
    self.round = round
    self.random = random
  }

  /// Performs random calls, one after the other, and compares each result with an array.
  mutating func checkOrderedCalls() async throws {
    try checkHeads()
    if journal.acceptedHead.sequence != .zero {
      throw round.problem(
        .empty,
        explanation:
          "The accepted head of a new journal is transaction \(journal.acceptedHead.sequence). Expected 0."
      )
    }
    let follower = try journal.follow(after: nil)
    var followed: [Entry] = []
    for _ in 0..<40 {
      switch random.below(10) {
      case 0: try await checkConflict()
      case 1: try await checkEmptyPayload()
      case 2: try checkReader(from: SequenceNumber(random.next() % UInt64(model.count + 3)))
      case 3: try await checkFollowing(after: random.below(model.count + 1))
      case 4: try checkForeignFollower()
      case 5: try await appendNext(at: JournalTime(nanoseconds: Int64(random.below(1_000_000))))
      case 6: try await appendNext(at: nil)
      case 7: try await appendNext(at: JournalTime(nanoseconds: Int64.max / 2), isLatest: true)
      default: try await appendNext(at: nil, expectsHead: true)
      }
      try checkHeads()
      followed += try events(of: follower)
    }
    try await appendNext(at: nil)
    followed += try await events(of: follower, untilCount: model.count - followed.count)
    try compare(followed, with: model[...], source: "A follower")
  }

  // MARK: Appends

  private mutating func payload() -> [UInt8] {
    let payload = SeededPayload(submitter: UInt32(round.number), number: UInt32(model.count))
    return payload.bytes(seed: random.next())
  }

  /// Appends a transaction, and checks its receipt.
  private mutating func appendNext(
    at time: JournalTime?, expectsHead: Bool = false, isLatest: Bool = false
  ) async throws {
    let before = journal.acceptedHead
    let payload = payload()
    // A time in the far future would be the time of all later transactions.
    let time = isLatest ? before.time.advanced(by: .nanoseconds(random.below(1000))) : time
    let expected = expectsHead ? before.sequence : nil
    let outcome = try await append(payload, at: time, expecting: expected)
    guard case .appended(let receipt) = outcome else {
      throw round.problem(
        .reply,
        explanation: """
          An append at the accepted head \(text(outcome)), although no other append was running.
          """)
    }
    guard receipt.sequence == before.sequence.next else {
      throw round.problem(
        .gapFree,
        explanation: """
          An append after transaction \(before.sequence) returned the number \(receipt.sequence). Expected \
          \(before.sequence.next).
          """)
    }
    try checkTime(of: receipt, given: time, after: before)
    let point = ChainPoint(
      sequence: receipt.sequence, time: receipt.time, checksum: receipt.checksum ?? 0)
    model.append(Entry(point: point, payload: payload))
    if receipt.safety == .durable, journal.head.sequence < receipt.sequence {
      throw round.problem(
        .durability,
        explanation: """
          Transaction \(receipt.sequence) was acknowledged as durable, but the durable head is transaction \
          \(journal.head.sequence).
          """)
    }
  }

  /// Appends by the asynchronous call, or by the blocking call on a worker thread.
  private mutating func append(
    _ payload: [UInt8], at time: JournalTime?, expecting expected: SequenceNumber?
  ) async throws(JournalError) -> AppendOutcome {
    guard random.below(4) == 0 else {
      return try await journal.append(payload, at: time, expecting: expected)
    }
    let journal = journal
    let result = await WorkerThreads.shared.value { () -> Result<AppendOutcome, JournalError> in
      Result { () throws(JournalError) in
        try journal.appendAndWait(payload, at: time, expecting: expected)
      }
    }
    return try result.get()
  }

  private func checkTime(
    of receipt: Receipt, given time: JournalTime?, after before: ChainPoint
  ) throws(ConformanceProblem) {
    if receipt.time < before.time {
      throw round.problem(
        .times,
        explanation: """
          Transaction \(receipt.sequence) has the time \(receipt.time), which is before the time \(before.time) of \
          the previous transaction.
          """)
    }
    guard let time else { return }
    let expected = max(time, before.time)
    if receipt.time != expected {
      throw round.problem(
        .times,
        explanation: """
          Transaction \(receipt.sequence) was appended at \(time) and has the time \(receipt.time). Expected \
          \(expected).
          """)
    }
    let clockTime = expected == time ? nil : time
    if receipt.clockTime != clockTime {
      throw round.problem(
        .times,
        explanation: """
          The receipt of transaction \(receipt.sequence) has the value \(text(receipt.clockTime)) for clockTime. \
          Expected \(text(clockTime)).
          """)
    }
  }

  private func text(_ outcome: AppendOutcome) -> String {
    switch outcome {
    case .appended(let receipt): "appended transaction \(receipt.sequence)"
    case .conflict(let head): "returned a conflict with the head \(head.sequence)"
    case .unknown: "returned an unknown outcome"
    }
  }

  private func text(_ time: JournalTime?) -> String { time.map { "\($0)" } ?? "nil" }

  private mutating func checkConflict() async throws {
    let head = journal.acceptedHead
    let wrong = head.sequence + (1 + random.below(3))
    let expected = head.sequence > .zero && random.below(2) == 0 ? head.sequence - 1 : wrong
    let outcome = try await append(payload(), at: nil, expecting: expected)
    guard outcome == .conflict(head) else {
      throw round.problem(
        .oneWinner,
        explanation: """
          An append that expected the head \(expected) \(text(outcome)), but the accepted head is transaction \
          \(head.sequence). Expected a conflict with this head.
          """)
    }
  }

  private mutating func checkEmptyPayload() async throws {
    var found = "returned a result."
    do throws(JournalError) {
      _ = try await append([], at: nil, expecting: nil)
    } catch {
      if error.reason == .payloadEmpty { return }
      found = "threw this error: \(error)"
    }
    throw round.problem(
      .contents,
      explanation: "An append of an empty payload \(found) Expected an error with payloadEmpty.")
  }

  // MARK: Reads

  /// Checks that the accepted head is the last transaction, and that the durable head is one of
  /// them.
  private func checkHeads() throws(ConformanceProblem) {
    let (durable, accepted) = (journal.head, journal.acceptedHead)
    let last = model.last?.point
    if let last, accepted != last {
      throw round.problem(
        .chain,
        explanation: """
          The accepted head is transaction \(accepted.sequence) with the checksum \(Hexadecimal.digits(accepted.checksum)). \
          Expected transaction \(last.sequence) with the checksum \(Hexadecimal.digits(last.checksum)), which was \
          acknowledged last.
          """)
    }
    let known = durable.sequence == .zero || model.contains { $0.point == durable }
    if !known {
      throw round.problem(
        .chain,
        explanation: """
          The durable head is transaction \(durable.sequence) with the checksum \(Hexadecimal.digits(durable.checksum)), \
          which is not the point of an acknowledged transaction.
          """)
    }
  }

  private func checkReader(from first: SequenceNumber) throws {
    let least = Int(journal.head.sequence.rawValue)
    var reader = try journal.transactions(from: first)
    var found: [Entry] = []
    while let transaction = try reader.next() { found.append(Entry(transaction)) }
    let start = max(1, Int(first.rawValue))
    let expected = model.dropFirst(start - 1)
    try compare(found, with: expected, source: "A reader from transaction \(first)")
    let missing = max(0, least - start + 1) - found.count
    if missing > 0 {
      throw round.problem(
        .durability,
        explanation: """
          A reader from transaction \(first) returned \(found.count) transactions, \(missing) fewer than up to the \
          durable head \(least).
          """)
    }
  }

  /// Compares transactions with a prefix of the expected ones.
  private func compare(
    _ found: [Entry], with expected: ArraySlice<Entry>, source: String
  ) throws(ConformanceProblem) {
    for (index, entry) in found.enumerated() {
      guard index < expected.count else {
        throw round.problem(
          .prefix,
          explanation:
            "\(source) returned transaction \(entry.point.sequence), which was never acknowledged.")
      }
      let right = expected[expected.startIndex + index]
      guard entry.point.sequence == right.point.sequence else {
        throw round.problem(
          .gapFree,
          explanation: """
            \(source) returned transaction \(entry.point.sequence) where transaction \(right.point.sequence) was \
            expected.
            """)
      }
      if entry.payload != right.payload {
        throw round.problem(
          .contents,
          explanation:
            "\(source) returned transaction \(entry.point.sequence) with other bytes than were appended."
        )
      }
      if entry.point != right.point {
        throw round.problem(
          .chain,
          explanation: """
            \(source) returned transaction \(entry.point.sequence) with a time or a check that is not that of its \
            receipt.
            """)
      }
    }
  }

  // MARK: Followers

  private func checkFollowing(after count: Int) async throws {
    // A follower can start after a durable transaction only.
    let count = min(count, Int(journal.head.sequence.rawValue))
    let last = count == 0 ? nil : model[count - 1].point
    let follower = try journal.follow(after: last)
    let durableCount = Int(journal.head.sequence.rawValue)
    let found = try await events(of: follower, untilCount: durableCount - count)
    try compare(
      found, with: model.dropFirst(count), source: "A follower after transaction \(count)")
  }

  /// Follows after a transaction that the journal does not contain.
  private func checkForeignFollower() throws {
    guard var point = model.first?.point, journal.head.sequence > .zero else { return }
    point.checksum ^= 1
    do throws(JournalError) {
      let follower = try journal.follow(after: point)
      _ = try follower.next()
    } catch {
      if error.reason == .historyChanged { return }
      throw error
    }
    throw round.problem(
      .chain,
      explanation: """
        A follower after transaction 1 with a wrong check returned a result. Expected an error with historyChanged, \
        because the journal contains a different transaction 1.
        """)
  }

  private func events(of follower: any JournalFollower) throws -> [Entry] {
    var found: [Entry] = []
    while let event = try follower.next() {
      guard case .transaction(let transaction) = event else {
        throw round.problem(
          .gapFree,
          explanation: "A follower returned a reset, although the journal was not compacted.")
      }
      found.append(Entry(transaction))
    }
    return found
  }

  /// Reads events until there are enough, or the patience ends.
  private func events(
    of follower: any JournalFollower, untilCount count: Int
  ) async throws -> [Entry] {
    var found = try events(of: follower)
    var patience = round.makePatience()
    while found.count < count {
      guard await patience.allowsAttempt() else {
        throw round.problem(
          .durability,
          explanation:
            "A follower returned \(found.count) of \(count) durable transactions, and no further one."
        )
      }
      found += try events(of: follower)
    }
    return found
  }

  /// Checks that a journal that was opened again contains all transactions.
  mutating func checkReopened() async throws {
    let last = model.last?.point
    if let last, journal.head != last {
      throw round.problem(
        .durability,
        explanation: """
          After closing and opening, the head is transaction \(journal.head.sequence). Expected transaction \
          \(last.sequence), which was acknowledged last.
          """)
    }
    try checkReader(from: 1)
    try await appendNext(at: nil)
    try checkHeads()
    try await journal.close()
  }
}
