import Testing

@testable import DaybookBenchmarks

@Suite struct `What the command line of the benchmarks asks for` {
  private func settings(_ arguments: String...) throws -> Settings {
    try Settings(arguments, workloads: ["journal", "store"])
  }

  /// What is said of a command that is not understood.
  private func said(_ arguments: String...) -> String {
    do {
      _ = try Settings(arguments, workloads: ["journal", "store"])
      return "it was understood"
    } catch { return "\(error)" }
  }

  @Test func `is all workloads, five times, over a million rows, if nothing is said`() throws {
    let settings = try settings()
    #expect(settings.names == [] && !settings.wantsHelp && settings.directory == ".")
    #expect(
      (settings.repetitionCount, settings.count(100), settings.rowCount) == (5, 100, 1_000_000))
  }

  @Test func `is what the flags say`() throws {
    let settings = try settings(
      "store", "--quick", "--rows", "1000", "--json", "-", "--compare", "old", "--directory", "d",
      "journal", "-h")
    #expect(settings.names == ["store", "journal"] && settings.wantsHelp)
    #expect((settings.repetitionCount, settings.count(100), settings.count(3)) == (2, 20, 1))
    #expect((settings.jsonPath, settings.comparedPath) == ("-", "old"))
    #expect((settings.listRowCount, settings.directory) == (1000, "d"))
  }

  @Test func `is refused where it is not understood`() {
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
