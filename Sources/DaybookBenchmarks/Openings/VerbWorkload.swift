import Daybook
import DaybookPlatform

/// The workload `verbs`. It measures the time in which processes of the tool read a journal of two
/// million changes with a checkpoint beside it. The time of a process that prints the tool's
/// version is subtracted.
enum VerbWorkload {
  private static let rowCount = 500_000
  private static let changeCount = 2_000_000

  static func run(_ settings: Settings) throws -> [Measurement] {
    guard let tool = try Tool.beside(CurrentProcess.programPath) else {
      Command.report(
        "there is no tool beside this program, so its verbs are not measured. "
          + "try: swift build -c release --product daybook")
      return []
    }
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let journal = scratch.path("rows")
    try makeJournal(at: journal)
    try tool.run(["checkpoint", journal])
    let verbs = [
      ("show, 20 rows by one key", ["show", journal, "Row", "--sort", "amount", "--limit", "20"]),
      ("log -n 20", ["log", journal, "-n", "20"]),
      ("why, of one record", ["why", journal, "Row", "250000"]),
      ("stats", ["stats", journal]),
    ]
    // Each verb runs once before the measurement. A wrong argument ends the workload here.
    for verb in verbs { try tool.run(verb.1) }
    var samples: [[Measurement.Sample]] = Array(repeating: [], count: verbs.count)
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      var idle: [Double] = []
      var times: [[Double]] = Array(repeating: [], count: verbs.count)
      for _ in 0..<settings.count(15) {
        idle.append(try timed { try tool.run(["--version"]) })
        for (index, verb) in verbs.enumerated() {
          times[index].append(try timed { try tool.run(verb.1) })
        }
      }
      for (index, time) in times.enumerated() {
        samples[index].append(
          Measurement.Sample(ours: median(time) - median(idle), yardstick: sorting))
      }
    }
    return zip(verbs, samples).map { verb, samples in
      Measurement(
        work: "\(verb.0), beyond the start, \(changeCount) changes of \(rowCount) rows, checkpoint",
        yardstick: "sort of a million numbers", unit: "process", promise: .within(60_000_000),
        samples: samples)
    }
  }

  private static let lastCount = 1_000

  /// Creates a journal with inserts of all rows, and then updates of the rows in turn. The last
  /// transactions have one change each, because a log prints every change.
  private static func makeJournal(at path: String) throws {
    let generator = RowGenerator()
    try StoreWorkload.makeStore(at: path, rowCount: rowCount, generator)
    let store = try StoreWorkload.open(path, durability: .none)
    var stream: UInt64 = 7
    for first in stride(from: 0, to: changeCount - rowCount, by: 1000) {
      let rows = generator.rows(from: first % rowCount + 1, count: 1000).map { row in
        var row = row
        row.note = RowGenerator.letters(30, randomizedBy: &stream)
        return row
      }
      let isLast = first + lastCount >= changeCount - rowCount
      for part in isLast ? rows.map({ [$0] }) : [rows] {
        _ = try store.saveAndWait(StoreWorkload.newNotes(of: part, in: store))
      }
    }
    try store.closeAndWait()
  }
}

/// The command-line tool `daybook`, which a build writes into the directory of the benchmarks.
struct Tool {
  /// The path of the program.
  let path: String

  /// Returns the tool in the directory of a program; nil if the directory does not contain it.
  static func beside(_ program: String) throws -> Tool? {
    let directory = FilePaths.split(try SystemDisk().resolve(program)).directory
    let path = FilePaths.join(directory, name: "daybook")
    return (try? SystemDisk().status(of: path)).map { _ in Tool(path: path) }
  }

  /// Runs the tool, discards its output, and waits until it ends.
  func run(_ arguments: [String]) throws {
    let status = try CurrentProcess.run(
      "sh", arguments: ["-c", #"exec "$0" "$@" > /dev/null"#, path] + arguments)
    guard status == 0 else {
      throw ChildProcess.Refusal(
        description: "\(path) \(arguments.joined(separator: " ")) ended with \(status)")
    }
  }
}
