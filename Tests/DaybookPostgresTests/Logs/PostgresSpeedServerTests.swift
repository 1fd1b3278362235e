#if Postgres
  import DaybookJournal
  import DaybookPlatform
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  /// Measurements beside their yardsticks, printed and not asserted. They run with
  /// `DAYBOOK_POSTGRES_SPEED=1`, in a release build.
  @Suite(
    "The speed of a log in PostgreSQL", .serialized,
    .enabled(
      if: CurrentProcess.environment("DAYBOOK_POSTGRES_SPEED") != nil
        && PostgresServer.isInstalled, "DAYBOOK_POSTGRES_SPEED is not set"))
  struct PostgresSpeedServerTests {
    @Test(arguments: [300, 100_000])
    func `an append takes little longer than an insert by hand`(byteCount: Int) async throws {
      let server = try PostgresServer()
      let count = byteCount < 1000 ? 1500 : 400
      let log = server.log("speed")
      let session = try server.session()
      try session.execute("create table plain (number bigint primary key, frames bytea)")
      try session.execute("alter table plain alter column frames set storage external")
      let insert = PostgresStatement(
        name: "plain", text: "insert into plain values ($1::bigint, $2::bytea)")
      var head = FrameGroup.header().end
      _ = try await log.append(.header())
      var (appends, inserts): ([Int64], [Int64]) = ([], [])
      // The two alternate, so that both meet the same disturbances.
      for number in 0..<count {
        let group = FrameGroup.after(head, byteCount: byteCount)
        let start = SystemClock.uptimeNanoseconds
        _ = try await log.append(group)
        appends.append(SystemClock.uptimeNanoseconds - start)
        head = group.end

        let insertStart = SystemClock.uptimeNanoseconds
        _ = try session.execute(insert, [.integer(Int64(number)), .bytes(group.bytes)])
        inserts.append(SystemClock.uptimeNanoseconds - insertStart)
      }
      report("append of \(byteCount) bytes", appends, yardstick: inserts)
    }

    @Test func `a follower is notified soon after a commit`() async throws {
      let server = try PostgresServer()
      let (writer, reader) = (server.log("latency"), server.log("latency"))
      var group = try await writer.fill(1)[1]
      let changes = reader.changes()
      var iterator = changes.makeAsyncIterator()
      _ = await iterator.next()
      var times: [Int64] = []
      for _ in 0..<500 {
        group = .after(group.end)
        try await Task.sleep(for: .milliseconds(8))
        _ = try await writer.append(group)
        let start = SystemClock.uptimeNanoseconds
        while try await reader.read(from: group.first, byteCount: 1).isEmpty {
          _ = await iterator.next()
        }
        times.append(SystemClock.uptimeNanoseconds - start)
      }
      report("commit to a read by a follower", times, yardstick: times)
    }

    private func report(_ title: String, _ times: [Int64], yardstick: [Int64]) {
      func percentile(_ times: [Int64], _ share: Double) -> Double {
        Double(times.sorted()[Int(Double(times.count - 1) * share)]) / 1000
      }
      for share in [0.5, 0.9, 0.99] {
        let (time, base) = (percentile(times, share), percentile(yardstick, share))
        print("\(title): p\(Int(share * 100)) \(time) µs, by hand \(base) µs: \(time / base)")
      }
    }
  }
#endif
