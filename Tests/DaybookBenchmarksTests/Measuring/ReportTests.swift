import TestSupport
import Testing

@testable import DaybookBenchmarks

/// Tests the table and the file of a run, and the comparison with a later run.
@Suite struct `Reports of measurements` {
  private func run(
    save: Double = 110, load: Double = 200, bytes: Double = 47.7, looks: Double = 2_500_000
  ) -> [Measurement] {
    func one(
      _ work: String, _ yardstick: String, _ unit: String, _ promise: Measurement.Promise,
      _ ours: Double, _ theirs: Double, _ quantity: Measurement.Quantity = .nanoseconds
    ) -> Measurement {
      Measurement(
        work: work, yardstick: yardstick, unit: unit, promise: promise,
        samples: [Measurement.Sample(ours: ours, yardstick: theirs)], quantity: quantity)
    }
    return [
      one("one save", "a write", "save", .atMost(1.15), save * 1000, 100_000),
      one("a load", "a write", "row", .atLeast(0.6), load, 100),
      one("memory", "none", "row", .bytesAtMost(48), bytes, 0, .bytes),
      one("a look", "none", "look", .none, looks, 0),
    ]
  }

  @Test func `the report of a run is a table`() {
    #expect(
      Report.table(run()) == """
        work      ours              yardstick  is        spread  ratio  promise              verdict
        one save  110.0 µs a save   a write    100.0 µs  0 %     1.10   time at most 1.15x   met
        a load    200.0 ns a row    a write    100.0 ns  0 %     0.50   rate at least 0.60x  missed
        memory    47.7 bytes a row  none                 0 %            at most 48 bytes     met
        a look    2.50 ms a look    none                 0 %            none                 shown
        """)
  }

  @Test func `a run compares itself with the report of an earlier run`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("then.json")
      try Report.write(Report.json(run()), to: path)
      let now = run(save: 100, load: 250, bytes: 47, looks: 5_000_000)
      #expect(
        try Comparison(path).table(now) == """
          work      then        now         is            verdict then  now
          one save  1.10x       1.00x       1.10x better  met           met
          a load    0.50x       0.40x       1.25x worse   missed        missed
          memory    47.7 bytes  47.0 bytes  the same      met           met
          a look    2.50 ms     5.00 ms     2.00x worse   shown         shown
          """)
    }
  }

  @Test func `reports compare figures that are counts`() throws {
    try TemporaryDirectory.with { directory in
      func objects(_ count: Double) -> [Measurement] {
        [
          Measurement(
            work: "objects", yardstick: "none", unit: "row", promise: .countAtMost(4),
            samples: [Measurement.Sample(ours: count, yardstick: 0)], quantity: .count)
        ]
      }
      let path = directory.path("then.json")
      try Report.write(Report.json(objects(2)), to: path)
      #expect(
        try Comparison(path).table(objects(3)) == """
          work     then  now  is           verdict then  now
          objects  2.0   3.0  1.50x worse  met           met
          """)
    }
  }

  @Test func `reports are compared only for workloads and yardsticks of both`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("then.json")
      try Report.write(Report.json(Array(run().prefix(1))), to: path)
      let other = Measurement(
        work: "one save", yardstick: "another", unit: "save", promise: .none,
        samples: [Measurement.Sample(ours: 1, yardstick: 1)])
      #expect(
        try Comparison(path).table([other] + run().dropFirst())
          == "work  then  now  is  verdict then  now")
    }
  }

  @Test func `an unreadable report is refused`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("none.json")
      func said() -> String {
        do {
          _ = try Comparison(path)
          return "it was read"
        } catch { return "\(error)" }
      }
      #expect(said() == "\(path): open: No such file or directory (2).")
      for text in ["", "{", "[]", #"{"measurements": 3}"#] {
        try directory.write(Array(text.utf8), to: "none.json")
        #expect(said() == "\(path) holds no figures that --json wrote.", "\(text)")
      }
    }
  }
}
