import DaybookJournal

/// Checks the laws of a journal.
///
/// ```swift
/// @Test func `my journal obeys the laws`() async throws {
///   try await checkConformance(of: { MyJournal() })
/// }
/// ```
///
/// Each round creates journals, and appends random transactions: in order, with a wrong
/// expectation, with earlier times, and by several tasks at once. After each step, the heads, the
/// readers and the followers must agree with the receipts.
///
/// - Parameters:
///   - make: A closure that returns a new journal without transactions.
///   - reopening: A closure that returns the journal as a later process opens it. The check has
///     closed the journal before. Without this closure, the check does not open a journal again.
///   - options: The seed and the extent of the check.
/// - Throws: ``ConformanceProblem`` if the journal breaks a law; the errors of the closures, and of
///   calls of the journal that must succeed
public func checkConformance<Log: Journal>(
  of make: @escaping @Sendable () async throws -> Log,
  reopening: (@Sendable (Log) async throws -> Log)? = nil,
  options: ConformanceOptions = ConformanceOptions()
) async throws {
  for number in 0..<options.roundCount {
    let round = ConformanceRound(options: options, number: number)
    try await withSession(of: make, round: round, law: 1) { journal, session in
      var session = session
      try await session.checkOrderedCalls()
      if let reopening {
        try await journal.close()
        session.journal = try await reopening(journal)
        try await session.checkReopened()
      }
    }
    try await withSession(of: make, round: round, law: 2) {
      try await $1.checkWriters(round.options)
    }
    try await withSession(of: make, round: round, law: 3) { try await $1.checkClosing() }
  }
}

/// Creates a journal, passes it to a body, and closes the journal.
private func withSession<Log: Journal>(
  of make: () async throws -> Log, round: ConformanceRound, law: UInt64,
  body: (Log, JournalSession) async throws -> Void
) async throws {
  let journal = try await make()
  let session = JournalSession(journal: journal, round: round, random: round.random(law))
  do { try await body(journal, session) } catch {
    // The problem of the law is more important than that of the closing.
    try? await journal.close()
    throw error
  }
  try await journal.close()
}
