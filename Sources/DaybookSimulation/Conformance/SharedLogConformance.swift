import DaybookJournal

/// Checks the laws of a shared log.
///
/// ```swift
/// @Test func `my log obeys the laws`() async throws {
///   try await checkConformance(of: { MyLog() })
/// }
/// ```
///
/// Each round creates several logs, and appends random groups to them: in order, at wrong
/// positions, again, by several writers at once, and with faults between the writers and the log.
/// If the log can replace its first groups, the check does that too, also while writers append.
/// After each part of a round, the contents of the log must agree with the outcomes of all appends.
/// See <doc:WriteASharedLog>.
///
/// - Parameters:
///   - make: A closure that returns a new, empty log.
///   - connecting: A closure that returns a second connection to a log. Without this closure, all
///     writers use one connection, and the check cannot close one of several connections.
///   - restarting: A closure that stops the server of a log without a warning, and starts it again
///     or promotes a different server. The closure returns when a new connection can be made. Its
///     parameter is a connection from before, which may be unusable after that. Without this
///     closure, the check does not restart the server.
///   - options: The seed and the extent of the check.
/// - Throws: ``ConformanceProblem`` if the log breaks a law; the errors of the closures
public func checkConformance<Log: SharedLog>(
  of make: @escaping @Sendable () async throws -> Log,
  connecting: (@Sendable (Log) async throws -> Log)? = nil,
  restarting: (@Sendable (Log) async throws -> Void)? = nil,
  options: ConformanceOptions = ConformanceOptions()
) async throws {
  for number in 0..<options.roundCount {
    let laws = SharedLogLaws(
      make: make, connecting: connecting, restarting: restarting,
      round: ConformanceRound(options: options, number: number))
    try await laws.check()
  }
}

/// The laws of a shared log in one round.
struct SharedLogLaws<Log: SharedLog>: Sendable {
  let make: @Sendable () async throws -> Log
  let connecting: (@Sendable (Log) async throws -> Log)?
  let restarting: (@Sendable (Log) async throws -> Void)?
  let round: ConformanceRound

  func check() async throws {
    try await withSession(law: 1) { try await checkEmptyLog($0) }
    try await withSession(law: 2) { try await checkOrderedCalls($0) }
    try await withSession(law: 3) { try await checkRaces($0) }
    try await withSession(law: 4) { try await checkWriters($0) }
    try await withSession(law: 5) { try await checkCancellation($0) }
    try await withSession(law: 6) { try await checkHints($0) }
    try await withSession(law: 7) { try await checkClosing($0) }
    try await withSession(law: 10) { try await checkReplacing($0) }
    try await withSession(law: 11) { try await checkWritersOverReplacing($0) }
    if let restarting {
      try await withSession(law: 8) { try await checkRestart($0, restarting: restarting) }
      try await withSession(law: 9) {
        try await checkWritersOverRestart($0, restarting: restarting)
      }
    }
  }

  /// Creates a log, passes it to a body, and closes all connections to it.
  private func withSession(
    law: UInt64, body: (LogSession<Log>) async throws -> Void
  ) async throws {
    let session = LogSession(
      try await make(), connecting: connecting, round: round, random: round.random(law))
    do { try await body(session) } catch {
      await session.close()
      throw error
    }
    await session.close()
  }
}
