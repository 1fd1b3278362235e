import Daybook
import DaybookTesting
import FoundationEssentials
import Synchronization

/// The environment of an example: an output, a directory for its journal, and a clock that only the
/// example advances. With this clock, the times in the journal and in the output are identical in
/// every run.
final class Stage {
  /// The options for the example's journal: the defaults, with the stage's clock.
  var options: JournalOptions {
    var options = JournalOptions()
    options.clock = clock
    return options
  }

  /// A Boolean value that indicates whether to print durations, which differ in each run.
  private let isTimed: Bool
  private let directory: String
  private let clock = StageClock()
  private let write: (String) -> Void

  /// - Parameters:
  ///   - directory: The directory for the journal.
  ///   - isTimed: A Boolean value that indicates whether to print durations.
  ///   - write: A closure that prints a line.
  init(
    in directory: String, isTimed: Bool = false, _ write: @escaping (String) -> Void
  ) {
    self.directory = directory
    self.isTimed = isTimed
    self.write = write
  }

  /// The path of a file in the example's directory.
  func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// Prints a sentence that explains the next output.
  func say(_ message: String) { write("\n" + message) }

  /// Prints the title of the example.
  func heading(_ title: String) {
    write(title)
    write(String(repeating: "=", count: title.count))
  }

  /// Prints an action of the user or of the program, and advances the clock by one minute.
  func act(_ message: String) {
    clock.advance(seconds: 60)
    write("\n> \(message)")
  }

  /// Prints delegate calls, or a result of an action. The text can have several lines. The paths of
  /// files are printed without their directory, which has a different name in every run.
  func log(_ message: String) {
    let message = message.replacing("\(directory)/", with: "")
    for line in message.split(separator: "\n") { write("    \(line)") }
  }

  /// Prints a result. If the example prints durations, the line contains the duration.
  func log(_ message: String, took duration: Duration) {
    guard isTimed else { return log(message) }
    let microseconds = duration.components.attoseconds / 1_000_000_000_000
    let digits = String(1_000_000 + microseconds).dropFirst()
    log("\(message) (\(duration.components.seconds).\(digits) s)")
  }

  /// Prints the insertion, deletion, move or update of a row, and the text of its cell.
  func log(
    _ type: FetchedResultsChangeType, of text: String, at indexPath: IndexPath?,
    newIndexPath: IndexPath?
  ) {
    let paths = [indexPath, newIndexPath].compactMap { $0.map { "\($0)" } }
    log("\(type) \(paths.joined(separator: " -> ")) \(text)")
  }

  /// Prints the visible part of a table.
  func show(_ table: TableView) { show("\(table)") }

  /// Prints a list as text.
  func show(_ message: String) {
    write("")
    write(message)
  }
}

/// A clock that advances by one minute with each action of the example. It starts at the beginning
/// of 2026.
//
// Shared state: `elapsed`, guarded by its mutex.
private final class StageClock: JournalClock {
  private let elapsed = Mutex<Int64>(0)

  var now: JournalTime {
    JournalTime(nanoseconds: 1_767_225_600_000_000_000 + elapsed.withLock { $0 })
  }

  /// The real uptime, because the journal's background work must run at its usual intervals.
  var uptimeNanoseconds: Int64 { MachineClock().uptimeNanoseconds }

  func advance(seconds: Int64) { elapsed.withLock { $0 += seconds * 1_000_000_000 } }
}
