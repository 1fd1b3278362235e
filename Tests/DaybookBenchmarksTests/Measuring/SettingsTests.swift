import Testing

@testable import DaybookBenchmarks

@Suite struct `The command line of the benchmarks` {
  private func settings(_ arguments: String...) throws -> Settings {
    try Settings(arguments, workloads: ["journal", "store"])
  }

  /// Returns the error of a command line.
  private func said(_ arguments: String...) -> String {
    do {
      _ = try Settings(arguments, workloads: ["journal", "store"])
      return "it was understood"
    } catch { return "\(error)" }
  }

  @Test func `the default is all workloads, five repetitions and a million rows`() throws {
    let settings = try settings()
    #expect(settings.names == [] && !settings.wantsHelp && settings.directory == ".")
    #expect(
      (settings.repetitionCount, settings.count(100), settings.rowCount) == (5, 100, 1_000_000))
  }

  @Test func `options change the settings`() throws {
    let settings = try settings(
      "store", "--quick", "--rows", "1000", "--json", "-", "--compare", "old", "--directory", "d",
      "journal", "-h")
    #expect(settings.names == ["store", "journal"] && settings.wantsHelp)
    #expect((settings.repetitionCount, settings.count(100), settings.count(3)) == (2, 20, 1))
    #expect((settings.jsonPath, settings.comparedPath) == ("-", "old"))
    #expect((settings.listRowCount, settings.directory) == (1000, "d"))
  }

  @Test func `invalid arguments are refused`() {
    #expect(said("nothing") == "unknown workload 'nothing'; use one of journal, store.")
    #expect(said("--fast") == "unknown option '--fast'.")
    #expect(said("--json") == "--json needs a value.")
    for count in ["999", "10000001", "many"] {
      #expect(
        said("--rows", count)
          == "--rows needs a number from 1000 to 10000000; found '\(count)'.")
    }
  }
}
