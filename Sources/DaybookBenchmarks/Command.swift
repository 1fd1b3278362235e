import DaybookJournal
import DaybookPlatform

/// The command `daybook-benchmarks`. It measures each promised limit in the same run as a
/// *yardstick*, which is a comparable operation without Daybook. Then it reports whether each
/// promise was kept.
@main
struct Command {
  static let usage = """
    usage: daybook-benchmarks [WORKLOAD …] [--quick] [--json FILE] [--compare FILE]
           [--rows N] [--directory PATH]

    Measures each workload and its yardstick in turns, in one process. Prints a
    table with medians, spread and ratio, each promise, and its verdict: met, missed
    or inconclusive.

      WORKLOAD          one or more of the workloads below; all by default
      --quick           two repetitions with fewer steps, in less than a minute
      --json FILE       also writes the figures to FILE; - is standard output
      --compare FILE    also compares the figures with FILE, written by --json
      --rows N          uses N rows for lists, pages and openings
      --directory PATH  a directory for temporary files; by default the current one

    workloads:
    \(workloadLines)

    The exit status is 1 if a promise was missed, 2 if the command line has an
    error, and 3 if a file cannot be read or written. The figures of saves depend on
    the disk of the directory.

    example: swift run -c release daybook-benchmarks journal --quick
    """

  static let workloads: [(name: String, run: @Sendable (Settings) throws -> [Measurement])] = [
    ("journal", JournalWorkload.run), ("store", StoreWorkload.run),
    ("searches", SearchWorkload.run), ("many-stores", ManyStoresWorkload.run),
    ("lists", ListWorkload.run), ("subscribers", SubscriberWorkload.run),
    ("pages", ListWorkload.runOpening), ("openings", OpeningWorkload.run),
    ("steps", StepWorkload.run), ("reports", ReportWorkload.run),
    ("verbs", VerbWorkload.run), ("scale", ScaleWorkload.run),
    ("shared", SharedWorkload.run),
  ]

  /// The names of the workloads, four in each line.
  private static var workloadLines: String {
    stride(from: 0, to: workloads.count, by: 4).map { start in
      "  " + workloads[start..<min(start + 4, workloads.count)].map(\.name).joined(separator: ", ")
    }.joined(separator: ",\n")
  }

  static func main() {
    let settings: Settings
    do {
      if try OpeningWorkload.runChild(Array(CommandLine.arguments.dropFirst())) { return }
      settings = try Settings(
        CommandLine.arguments.dropFirst(), workloads: workloads.map(\.name))
    } catch {
      report("\(error)\ntry: daybook-benchmarks --help")
      CurrentProcess.exit(2)
    }
    if settings.wantsHelp {
      print(usage)
      return
    }
    #if DEBUG
      report("this is a debug build, so its figures are meaningless. try: swift run -c release …")
    #endif
    var measurements: [Measurement] = []
    do {
      // The file is read before the measurements, so that an error in it is reported immediately.
      let comparison = try settings.comparedPath.map { try Comparison($0) }
      for workload in workloads
      where settings.names.isEmpty || settings.names.contains(workload.name) {
        // Without this call, the system could write data of other programs, such as a compiler,
        // during the measurements.
        SystemDisk().syncAll()
        ProcessMemory.startWorkload()
        measurements += try workload.run(settings)
        measurements.append(peak(of: workload.name))
      }
      if settings.jsonPath != "-" {
        print(Report.table(measurements))
        if let comparison { print("\n" + comparison.table(measurements)) }
      } else if let comparison {
        report(comparison.table(measurements))
      }
      if let path = settings.jsonPath { try Report.write(Report.json(measurements), to: path) }
    } catch {
      report("\(error)")
      CurrentProcess.exit(3)
    }
    if measurements.contains(where: { $0.verdict == .missed }) { CurrentProcess.exit(1) }
  }

  /// Returns the largest resident memory of this process during a workload, including mapped files.
  private static func peak(of workload: String) -> Measurement {
    Measurement(
      work: "peak memory of all of \(workload)", yardstick: "none", unit: "run", promise: .none,
      samples: [
        Measurement.Sample(ours: Double(ProcessMemory.workloadPeakByteCount), yardstick: 0)
      ], quantity: .bytes)
  }

  /// Writes a line to standard error.
  static func report(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    // If standard error is closed, the message is lost, because there is no other place to report
    // it.
    try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
  }
}
