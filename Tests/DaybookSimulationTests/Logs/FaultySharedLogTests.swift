import DaybookJournal
import DaybookSimulation
import Synchronization
import TestSupport
import Testing

@Suite("Faults of a shared log") struct FaultySharedLogTests {
  /// Appends, reads and resolves unknown outcomes over a faulty connection, while a rival appends
  /// too. Returns the outcomes as text.
  private func script(over log: FaultySharedLog, rival: MemorySharedLog) async throws -> String {
    var random = SplitMix64(seed: 7)
    let maker = GroupMaker(using: &random)
    var text = ""
    var end = SharedHead(next: 0, checksum: 0)
    var group = maker.header
    for number in 0..<4 {
      if number == 2 {
        _ = try await rival.append(
          maker.group(after: end, payloads: [[9, UInt8(number)]], nonce: 1))
      }
      var outcome: SharedAppendOutcome?
      while outcome == nil {
        do throws(SharedLogError) {
          outcome = try await log.append(group)
        } catch {
          text += "\(error)\n"
        }
      }
      text += "\(group.first) \(outcome.map { "\($0)" } ?? "")\n"
      // A stale read returns no group, and a later read returns it.
      while end.next <= group.first {
        let groups = (try? await log.read(from: end.next, byteCount: .max)) ?? []
        text += "read \(groups.map { "\($0.first)" }.joined(separator: " "))\n"
        for next in groups where next.first == end.next && next.previousChecksum == end.checksum {
          end = next.end
        }
      }
      group = maker.group(after: end, payloads: [[UInt8(number)], [1]], nonce: 2)
    }
    await log.close()
    return text
  }

  private func run(_ plan: LogFaultPlan) async throws -> (text: String, log: FaultySharedLog) {
    let memory = MemorySharedLog(name: "banks")
    let log = FaultySharedLog(over: memory.connect(), plan: plan)
    let text = try await script(over: log, rival: memory)
    // The outcomes agree with the groups, whichever fault there was.
    let firsts = memory.groups.map { "\($0.first)" }
    for line in text.split(separator: "\n") where line.hasSuffix("appended(serverCount: 1)") {
      #expect(firsts.contains(String(line.prefix { $0 != " " })), "\(plan)")
    }
    #expect(memory.groups.count == 4, "\(plan)")
    return (text, log)
  }

  @Test func `each fault of each call is resolved by appending again`() async throws {
    let (text, log) = try await run(.none)
    #expect(log.faultCount == 0 && log.callCount == 8)
    #expect(
      text == """
        0 appended(serverCount: 1)
        read 0
        1 appended(serverCount: 1)
        read 1
        3 conflict
        read 3
        4 appended(serverCount: 1)
        read 4

        """)
    for call in 1...log.callCount {
      for fault in LogFault.lawful + [.reordered, .staleHead] {
        let (_, log) = try await run(.fault(fault, call: call))
        #expect(log.faultCount >= 1)
      }
    }
  }

  @Test func `a lost answer and a lost request are both unknown`() async throws {
    for fault in [LogFault.answerLost, .requestLost] {
      let memory = MemorySharedLog(name: "banks")
      let log = FaultySharedLog(over: memory.connect(), plan: .fault(fault, call: 1))
      var random = SplitMix64(seed: 7)
      let header = GroupMaker(using: &random).header
      do {
        _ = try await log.append(header)
        Issue.record("the append has returned")
      } catch {
        let what = fault == .answerLost ? "answer" : "request"
        #expect(
          "\(error)" == """
            The log banks did not answer an append, which may be in the log or not: the \(what) was lost.
            """)
      }
      #expect(memory.groups.count == (fault == .answerLost ? 1 : 0))
    }
  }

  @Test func `a late append arrives before a later call, and at close`() async throws {
    let memory = MemorySharedLog()
    let log = FaultySharedLog(
      over: memory.connect(), plan: .fault(.requestLate(callCount: 1), call: 1))
    var random = SplitMix64(seed: 7)
    let header = GroupMaker(using: &random).header
    _ = try? await log.append(header)
    #expect(try await log.head() == nil)
    #expect(try await log.head() == header.end)

    let other = MemorySharedLog()
    let closing = FaultySharedLog(
      over: other.connect(), plan: .fault(.requestLate(callCount: 9), call: 1))
    _ = try? await closing.append(header)
    #expect(other.groups.isEmpty)
    await closing.close()
    #expect(other.groups == [header])
  }

  @Test func `a repeated append whose second request is not sent is unknown`() async throws {
    let memory = MemorySharedLog(name: "banks")
    let inner = FaultySharedLog(over: memory.connect(), plan: .fault(.unavailable, call: 2))
    let outer = FaultySharedLog(over: inner, plan: .fault(.requestRepeated, call: 1))
    var random = SplitMix64(seed: 7)
    let header = GroupMaker(using: &random).header
    do {
      _ = try await outer.append(header)
      Issue.record("the append has returned")
    } catch {
      #expect(
        "\(error)" == """
          The log banks did not answer an append, which may be in the log or not: the connection was refused.
          """)
    }
    #expect(memory.groups == [header])
  }

  @Test func `a repeated append whose group a base has replaced meanwhile is unknown`() async throws
  {
    let memory = MemorySharedLog(name: "banks")
    var random = SplitMix64(seed: 7)
    let maker = GroupMaker(using: &random)
    _ = try await memory.append(maker.header)
    let group = maker.group(after: maker.header.end, payloads: [[1]], nonce: 1)
    let log = FaultySharedLog(
      over: CompactingLog(memory: memory, base: maker.base(at: group.end, using: &random)),
      plan: .fault(.requestRepeated, call: 1))
    do {
      let outcome = try await log.append(group)
      Issue.record("the append has returned \(outcome)")
    } catch {
      #expect(
        "\(error)" == """
          The log banks did not answer an append, which may be in the log or not: the request was \
          repeated, and the log has dropped its history.
          """)
    }
    #expect(memory.groups.count == 1)
  }

  @Test func `a repeated append of which nothing is sent does not arrive late`() async throws {
    let memory = MemorySharedLog(name: "banks")
    let inner = FaultySharedLog(over: memory.connect(), plan: .fault(.unavailable, call: 1))
    let outer = FaultySharedLog(
      over: inner, plan: .fault(.requestRepeatedLate(callCount: 0), call: 1))
    var random = SplitMix64(seed: 7)
    #expect((try? await outer.append(GroupMaker(using: &random).header)) == nil)
    #expect(try await outer.head() == nil)
    #expect(memory.groups.isEmpty)
  }

  @Test func `a disconnection lasts for its number of calls`() async throws {
    let log = FaultySharedLog(
      over: MemorySharedLog(name: "banks"), plan: .fault(.disconnected(callCount: 2), call: 2))
    var failures: [Int] = []
    for call in 1...6 {
      do { _ = try await log.head() } catch {
        failures.append(call)
        #expect("\(error)" == "The log banks cannot be reached: the connection was refused.")
      }
    }
    #expect(failures == [2, 3, 4])
  }

  @Test func `stale and reordered reads return what the engine had`() async throws {
    let memory = MemorySharedLog()
    var random = SplitMix64(seed: 7)
    let maker = GroupMaker(using: &random)
    var end = maker.header.end
    _ = try await memory.append(maker.header)
    let log = FaultySharedLog(
      over: memory.connect(),
      plan: .fault(.staleHead, call: 2).combined(with: .fault(.stale, call: 3)).combined(
        with:
          .fault(.reordered, call: 4)))
    #expect(try await log.head() == maker.header.end)
    for number in 0..<3 as Range<UInt8> {
      let group = maker.group(after: end, payloads: [[number]], nonce: 0)
      _ = try await memory.append(group)
      end = group.end
    }
    #expect(try await log.head() == maker.header.end)
    #expect(try await log.read(from: 0, byteCount: .max).map(\.first) == [0])
    #expect(try await log.read(from: 0, byteCount: .max).map(\.first) == [3, 2, 1, 0])
    #expect(try await log.head() == end)
  }

  @Test func `hints are lost and repeated`() async throws {
    let plan = LogFaultPlan.fault(.answerLost, call: 1, only: [.hint])
      .combined(with: .fault(.requestRepeated, call: 2, only: [.hint]))
    let memory = MemorySharedLog()
    let log = FaultySharedLog(over: memory.connect(), plan: plan)
    var hints = log.changes().makeAsyncIterator()
    var random = SplitMix64(seed: 7)
    let maker = GroupMaker(using: &random)
    _ = try await memory.append(maker.header)
    // The first hint is lost, so the second append follows when the wrapper has received it.
    while log.callCount < 1 { await Task.yield() }
    _ = try await memory.append(maker.group(after: maker.header.end, payloads: [[1]], nonce: 0))
    #expect(await hints.next() != nil)
    #expect(await hints.next() != nil)
    #expect(log.callCount == 2 && log.faultCount == 2)
  }

  @Test func `a random plan lets at most eight calls of an operation fail in a row`() async throws {
    for seed in 0..<20 as Range<UInt64> {
      let log = FaultySharedLog(
        over: MemorySharedLog(), plan: .random(seed: seed, percent: 99, from: [.requestLost]))
      var results: [Bool] = []
      for _ in 0..<100 {
        for isHead in [true, false, true] {
          do throws(SharedLogError) {
            if isHead {
              _ = try await log.head()
            } else {
              _ = try await log.read(from: 0, byteCount: 1)
            }
            results.append(true)
          } catch { results.append(false) }
        }
      }
      let reads = results.indices.filter { $0 % 3 == 1 }.map { results[$0] }
      let heads = results.indices.filter { $0 % 3 != 1 }.map { results[$0] }
      for calls in [reads, heads] {
        let failures = calls.split(separator: true).map(\.count)
        #expect(failures.max() == 8, "seed \(seed)")
      }
    }
    let down = FaultySharedLog(
      over: MemorySharedLog(), plan: .random(seed: 1, percent: 100, from: [.unavailable]))
    for _ in 0..<100 { #expect((try? await down.head()) == nil) }
    #expect(down.faultCount == 100)
  }

  @Test func `a random plan gives equal faults for an equal seed`() async throws {
    for seed in 0..<UInt64(FaultRow.count(200, full: 20_000, least: 20)) {
      let plan = LogFaultPlan.random(seed: seed, percent: 60)
      let (one, other) = (try await run(plan), try await run(plan))
      #expect(one.text == other.text)
      #expect(one.log.faultCount == other.log.faultCount)
    }
  }
}

/// A log whose first groups a different machine replaces by a base after the first append.
private struct CompactingLog: SharedLog {
  let memory: MemorySharedLog
  let base: FrameGroup

  var name: String { memory.name }

  func head() async throws(SharedLogError) -> SharedHead? { try await memory.head() }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    let outcome = try await memory.append(group)
    _ = try await memory.replaceGroups(with: base)
    return outcome
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    try await memory.read(from: first, byteCount: byteCount)
  }

  func changes() -> AsyncStream<Void> { memory.changes() }

  func close() async { await memory.close() }
}
