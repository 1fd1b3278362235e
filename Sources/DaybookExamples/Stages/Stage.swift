import Daybook
import DaybookTesting
import FoundationEssentials
import Synchronization

/// What an example plays on: a terminal, a directory for its journal, and a clock of its own, so that
/// it prints and writes the same whenever it is run.
final class Stage {
  /// What the example writes its journal with: the stage's clock, and otherwise what is usual.
  var options: JournalOptions {
    var options = JournalOptions()
    options.clock = clock
    return options
  }

  /// Whether it prints how long things took, which differs from run to run.
  private let isTimed: Bool
  private let directory: String
  private let clock = StageClock()
  private let write: (String) -> Void

  /// - Parameters:
  ///   - directory: Where the journal is written.
  ///   - isTimed: Whether it prints how long things took.
  ///   - write: Prints a line.
  init(
    in directory: String, isTimed: Bool = false, _ write: @escaping (String) -> Void
  ) {
    self.directory = directory
    self.isTimed = isTimed
    self.write = write
  }

  /// The path of a file in the example's directory.
  func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// Prints what is about to be seen.
  func say(_ text: String) { write("\n" + text) }

  /// Prints the title of the story.
  func begin(_ title: String) {
    write(title)
    write(String(repeating: "=", count: title.count))
  }

  /// Prints what a person or the program does, a minute after what was done before.
  func act(_ text: String) {
    clock.advance(seconds: 60)
    write("\n> \(text)")
  }

  /// Prints what a delegate is told, or what comes of something that was done.
  func hear(_ text: String) { write("    \(text)") }

  /// Prints what was found or read, and how long that took if somebody wants to know.
  func hear(_ text: String, took duration: Duration) {
    guard isTimed else { return hear(text) }
    let microseconds = duration.components.attoseconds / 1_000_000_000_000
    let digits = String(1_000_000 + microseconds).dropFirst()
    hear("\(text) (\(duration.components.seconds).\(digits) s)")
  }

  /// Prints that a row came, went, moved or was updated, and what its cell says.
  func hear(
    _ type: FetchedResultsChangeType, of text: String, at indexPath: IndexPath?,
    newIndexPath: IndexPath?
  ) {
    let paths = [indexPath, newIndexPath].compactMap { $0.map { "\($0)" } }
    hear("\(type) \(paths.joined(separator: " -> ")) \(text)")
  }

  /// Prints what is on the screen.
  func show(_ table: TableView) {
    write("")
    write("\(table)")
  }
}

/// A clock that stands still until a story goes on. It begins with the year 2026.
//
// Shared state: `elapsed`, guarded by its mutex.
private final class StageClock: JournalClock {
  private let elapsed = Mutex<Int64>(0)

  var now: JournalTime {
    JournalTime(nanoseconds: 1_767_225_600_000_000_000 + elapsed.withLock { $0 })
  }

  /// What is due after an interval is done as always.
  var uptimeNanoseconds: Int64 { MachineClock().uptimeNanoseconds }

  func advance(seconds: Int64) { elapsed.withLock { $0 += seconds * 1_000_000_000 } }
}
