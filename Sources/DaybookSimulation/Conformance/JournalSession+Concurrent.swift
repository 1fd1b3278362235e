import DaybookJournal

extension JournalSession {
  /// Lets several tasks append at the same time. Half of them expect the head that they have read.
  func checkWriters(_ options: ConformanceOptions) async throws {
    let perWriter = 12
    let journal = journal
    let round = round
    var random = random
    let reader = Task { try await follow() }
    defer { reader.cancel() }
    let receipts = try await withThrowingTaskGroup(of: [Entry].self) { tasks in
      for writer in 0..<options.writerCount {
        let seed = random.next()
        tasks.addTask {
          var entries: [Entry] = []
          while entries.count < perWriter {
            let payload = SeededPayload(submitter: UInt32(writer), number: UInt32(entries.count))
              .bytes(seed: seed)
            let expected = writer % 2 == 0 ? nil : journal.acceptedHead.sequence
            switch try await journal.append(payload, at: nil, expecting: expected) {
            case .appended(let receipt):
              if let expected, receipt.sequence != expected.next {
                throw round.problem(
                  .oneWinner,
                  explanation: """
                    An append that expected the head \(expected) returned the number \(receipt.sequence). Expected \
                    \(expected.next) or a conflict.
                    """)
              }
              let point = ChainPoint(
                sequence: receipt.sequence, time: receipt.time, checksum: receipt.checksum ?? 0)
              entries.append(Entry(point: point, payload: payload))
            case .conflict: await Task.yield()
            case .unknown(let unknown):
              throw round.problem(
                .reply,
                explanation: "An append returned unknown, although nothing failed: \(unknown.cause)"
              )
            }
          }
          return entries
        }
      }
      return try await tasks.reduce(into: []) { $0 += $1 }
    }
    let entries = receipts.sorted { $0.point.sequence < $1.point.sequence }
    try checkNumbers(of: entries)
    reader.cancel()
    let followed = try await reader.value
    try checkAgreement(of: followed, with: entries, source: "A follower")
    let read = try await all(count: entries.count)
    try checkAgreement(of: read, with: entries, source: "A reader")
    if read.count < entries.count {
      throw round.problem(
        .durability,
        explanation:
          "A reader returned \(read.count) transactions, but \(entries.count) were acknowledged.")
    }
  }

  private func checkNumbers(of entries: [Entry]) throws(ConformanceProblem) {
    for (index, entry) in entries.enumerated() {
      let (found, expected) = (entry.point.sequence, SequenceNumber(UInt64(index + 1)))
      if found < expected {
        throw round.problem(
          .oneWinner,
          explanation: "Two appends returned the number \(found). Each transaction has its own.")
      }
      if found > expected {
        throw round.problem(
          .gapFree,
          explanation: "No append returned the number \(expected), but one returned \(found).")
      }
    }
    for (one, next) in zip(entries, entries.dropFirst()) where next.point.time < one.point.time {
      throw round.problem(
        .times,
        explanation: """
          Transaction \(next.point.sequence) has the time \(next.point.time), which is before the time \
          \(one.point.time) of the previous transaction.
          """)
    }
  }

  private func checkAgreement(
    of found: [Entry], with entries: [Entry], source: String
  ) throws(ConformanceProblem) {
    for (entry, right) in zip(found, entries) where entry != right {
      throw round.problem(
        .contents,
        explanation: """
          \(source) returned transaction \(entry.point.sequence) where the receipts have transaction \
          \(right.point.sequence), or with other contents.
          """)
    }
    if found.count > entries.count {
      throw round.problem(
        .prefix,
        explanation:
          "\(source) returned \(found.count) transactions, but \(entries.count) were acknowledged.")
    }
  }

  /// Follows the journal until the task is cancelled.
  private func follow() async throws -> [Entry] {
    let follower = try journal.follow(after: nil)
    var entries: [Entry] = []
    repeat {
      while let event = try follower.next() {
        if case .transaction(let transaction) = event { entries.append(Entry(transaction)) }
      }
      await Task.yield()
    } while !Task.isCancelled
    return entries
  }

  /// Reads all transactions. Waits until the durable head includes them.
  private func all(count: Int) async throws -> [Entry] {
    var patience = round.makePatience()
    while journal.head.sequence.rawValue < count {
      guard await patience.allowsAttempt() else {
        throw round.problem(
          .durability,
          explanation:
            "The durable head is transaction \(journal.head.sequence), but \(count) were acknowledged."
        )
      }
    }
    var reader = try journal.transactions(from: 1)
    var entries: [Entry] = []
    while let transaction = try reader.next() { entries.append(Entry(transaction)) }
    return entries
  }

  /// Checks that a closed journal appends nothing.
  func checkClosing() async throws {
    guard case .appended = try await journal.append([1], at: nil, expecting: nil) else {
      throw round.problem(.reply, explanation: "The first append of a journal was not appended.")
    }
    try await journal.close()
    try await journal.close()
    var found = "returned a result."
    do throws(JournalError) {
      _ = try await journal.append([2], at: nil, expecting: nil)
    } catch {
      if error.reason == .closed { return }
      found = "threw this error: \(error)"
    }
    throw round.problem(
      .closing, explanation: "An append after close \(found) Expected an error with closed.")
  }
}
