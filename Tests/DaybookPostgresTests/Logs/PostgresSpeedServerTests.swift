#if Postgres
  import DaybookPlatform
  import Testing

  @testable import DaybookBenchmarks

  /// Measurements beside their yardsticks, printed and not asserted. They run with
  /// `DAYBOOK_POSTGRES_SPEED=1`, in a release build. A value of `quick` is for fewer steps.
  @Suite(
    "The speed of a log in PostgreSQL", .serialized,
    .enabled(
      if: CurrentProcess.environment("DAYBOOK_POSTGRES_SPEED") != nil
        && PostgresServer.isInstalled, "DAYBOOK_POSTGRES_SPEED is not set"))
  struct PostgresSpeedServerTests {
    @Test func `the workload of the benchmark measures a server`() throws {
      // The followers need two sessions each.
      let server = try PostgresServer([
        "max_connections=300", "shared_buffers=256MB", "max_wal_size=4GB",
      ])
      let isQuick = CurrentProcess.environment("DAYBOOK_POSTGRES_SPEED") == "quick"
      let settings = try Settings(
        ["--directory", "/tmp"] + (isQuick ? ["--quick"] : []), workloads: [])
      let measurements = try SharedWorkload.measure(settings, on: server.url())
      print(Report.table(measurements))
      #expect(!measurements.isEmpty)
    }
  }
#endif
