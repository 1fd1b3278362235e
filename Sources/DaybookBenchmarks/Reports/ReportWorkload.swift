import Daybook
import DaybookJournal
import DaybookPlatform

/// A record with five attributes.
private struct Item: Record {
  var id = 0
  var name = ""
  var state = "open"
  var score = 0
  var owner = "Ann"
  var note = "none"

  static let schema = RecordSchema<Item>("Item")
    .attribute("name", at: \.name).attribute("state", at: \.state)
    .attribute("score", at: \.score).attribute("owner", at: \.owner).attribute("note", at: \.note)
}

/// The workload `reports`. It measures the page that `daybook report` writes about 5,000
/// transactions with one change each, in a sorted list of 2,000 rows.
///
/// The script of the tool's tests drives the page in headless Chromium. If a program is missing,
/// its measurements are left out, and a message on standard error says so.
enum ReportWorkload {
  private static let rowCount = 2_000
  private static let changeCount = 5_000
  private static let driver = "Tests/DaybookToolTests/Browsers/chromium.py"

  static func run(_ settings: Settings) throws -> [Measurement] {
    guard let tool = try Tool.beside(CurrentProcess.programPath) else {
      Command.report(
        "there is no tool beside this program, so reports are not measured. "
          + "try: swift build -c release --product daybook")
      return []
    }
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    try makeJournal(at: scratch.path("items"))
    let page = scratch.path("film.html")
    try tool.run(["report", scratch.path("items"), "Item", "--sort", "score", "-o", page])
    let byteCount = try SystemDisk().status(of: page).byteCount
    let size = Measurement(
      work: "page of \(changeCount) transactions, \(rowCount) rows of five attributes",
      yardstick: "none", unit: "page", promise: .bytesAtMost(5_000_000),
      samples: [Measurement.Sample(ours: Double(byteCount), yardstick: 0)], quantity: .bytes)
    return [size] + (try steps(settings, page: page, in: scratch))
  }

  private static func exists(_ path: String) -> Bool {
    (try? SystemDisk().status(of: path)) != nil
  }

  private static func makeJournal(at path: String) throws {
    var options = JournalOptions()
    (options.durability, options.keepsCheckpoints) = (.none, false)
    let store = try Store(at: path, records: Item.self, options: options)
    let context = store.makeContext()
    for id in 0..<rowCount {
      try context.insert(Item(id: id, name: "Item number \(id)", score: id * 7_919 % 10_007))
    }
    try context.saveAndWait()
    (context.metadata.author, context.metadata.reason) = ("Ann", "a change")
    for change in 1...changeCount {
      try context.update(Item.self, id: change * 31 % rowCount) {
        $0.score = change * 104_729 % 10_007
      }
      try context.saveAndWait()
    }
    try store.closeAndWait()
  }

  private static func run(_ program: String, with arguments: [String]) throws {
    let status = try CurrentProcess.run(program, arguments: arguments)
    guard status == 0 else {
      throw ChildProcess.Refusal(
        description: "\(program) \(arguments.joined(separator: " ")) ended with \(status)")
    }
  }

  /// Returns the measurement of the script's time for a step; an empty array without Chromium.
  private static func steps(
    _ settings: Settings, page: String, in scratch: Scratch
  ) throws -> [Measurement] {
    let browsers = "command -v chromium || command -v chromium-browser || command -v google-chrome"
    let search = "(\(browsers)) >/dev/null && command -v python3 >/dev/null"
    guard exists(driver), try CurrentProcess.run("sh", arguments: ["-c", search]) == 0 else {
      Command.report(
        "the time of a step of a report is not measured: it needs Chromium, python3, and \(driver) "
          + "in the current directory.")
      return []
    }
    let stepCount = settings.count(500)
    let script = """
      (async () => { const times = []; for (let step = 0; step < \(stepCount); step++) { \
      const start = performance.now(); \
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" })); \
      times.push(performance.now() - start); \
      await new Promise((done) => requestAnimationFrame(done)); } \
      times.sort((a, b) => a - b); return times[\(stepCount) >> 1]; })()
      """
    let samples = try (0..<settings.repetitionCount).map { repetition in
      let actions = "open #tx=\(2 + repetition * 900)\nsettle\nevaluate \(script)\n"
      let file = try FileDescriptor.create(scratch.path("actions"), permissions: 0o600)
      try file.writeAll(Array(actions.utf8).span.bytes)
      file.close()
      let paths = [driver, page, scratch.path("actions"), scratch.path("time")]
      try run("sh", with: ["-c", #"python3 "$0" "$1" < "$2" > "$3""#] + paths)
      let bytes = try SystemDisk().open(scratch.path("time"), for: .reading).bytes(at: 0, count: 32)
      let digits = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      guard let milliseconds = Double(digits) else {
        throw ChildProcess.Refusal(description: "\(driver) printed '\(digits)', no time")
      }
      return Measurement.Sample(ours: milliseconds * 1e6, yardstick: sortingTime())
    }
    return [
      Measurement(
        work: "script of a step in that page, in headless Chromium",
        yardstick: "sort of a million numbers", unit: "step", promise: .within(4_000_000),
        samples: samples)
    ]
  }
}
