import DaybookJournal
import DaybookPlatform
import Synchronization

/// A line on a terminal that shows the progress of a long operation. The line contains the part
/// that is done, a bar, the rate, and the time that is left. Each update overwrites the line, and
/// `clear()` removes it before other output.
///
/// The line does not appear during the first second, so that fast commands show no progress.
//
// Shared state: `state`, guarded by its mutex. The mutex is also locked while the line is written,
// so that two threads do not mix their output.
final class Progress: Sendable {
  /// The state of the line, the receiver of the progress, and the current operation.
  private struct State {
    var isShown = false
    var isSuspended = false
    var reportedAt: Int64 = .min
    /// The receiver of the progress instead of the line; nil for the line.
    var receiver: (@Sendable (String) -> Void)?
    /// The operation, the uptime of its first report, and the amount that was done then.
    var what = ""
    var startedAt: Int64 = 0
    var doneAtStart: UInt64 = 0
  }

  private let state = Mutex(State())
  private let clock: any JournalClock
  private let startedAt: Int64
  private let columnCount: Int
  private let write: (@Sendable ([UInt8]) -> Void)?
  /// A Boolean value that indicates whether `state` has a receiver. It is read without the mutex.
  private let isRedirected = Atomic(false)

  /// - Parameters:
  ///   - columnCount: The width of the terminal.
  ///   - clock: The clock that limits the frequency of updates.
  ///   - write: A closure that writes bytes to the terminal; nil to show no progress.
  init(
    columnCount: Int, clock: any JournalClock, write: (@Sendable ([UInt8]) -> Void)?
  ) {
    self.columnCount = columnCount
    self.clock = clock
    self.write = write
    startedAt = clock.uptimeNanoseconds
  }

  /// The progress line of this process. It is on standard error, if this is a terminal on which the
  /// tool can overwrite lines.
  static let shared: Progress = {
    let terminal = Terminal.current(.standardError)
    guard let columnCount = terminal.columnCount, !terminal.isPlain else {
      return Progress(columnCount: 0, clock: MachineClock(), write: nil)
    }
    return Progress(columnCount: columnCount, clock: MachineClock()) { bytes in
      // An error is ignored, because the progress line is not a result.
      try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
    }
  }()

  private static let silence: Int64 = 1_000_000_000
  private static let interval: Int64 = 100_000_000

  /// The unit of an amount of work.
  enum Unit {
    case bytes
    /// Elements with a name in the plural, for example `rows`.
    case things(String)
  }

  /// Shows the progress of an operation. The method does nothing if the last update was less than a
  /// tenth of a second ago.
  ///
  /// - Parameters:
  ///   - what: The operation, for example `reading games.daybook`.
  ///   - done: The amount of work that is done.
  ///   - all: The amount of all work.
  ///   - unit: The unit of both amounts.
  func show(_ what: String, done: UInt64, of all: UInt64, in unit: Unit) {
    let isRedirected = isRedirected.load(ordering: .relaxed)
    guard isRedirected || write != nil else { return }
    let now = clock.uptimeNanoseconds
    state.withLock { state in
      if state.what != what || done < state.doneAtStart {
        (state.what, state.startedAt, state.doneAtStart) = (what, now, done)
      }
      guard isRedirected || now - startedAt >= Progress.silence else { return }
      guard !state.isSuspended else { return }
      guard now >= state.reportedAt &+ Progress.interval || state.reportedAt == .min else { return }
      state.reportedAt = now
      let part = all == 0 ? 1 : min(1, Double(done) / Double(all))
      if let receiver = state.receiver {
        return receiver(DisplayWidth.shown("\(what): \(Int(part * 100)) %"))
      }
      guard let write else { return }
      state.isShown = true
      let speed = Progress.speed(
        of: done - state.doneAtStart, rest: all - min(done, all),
        inNanoseconds: now - state.startedAt, unit: unit)
      let contents = line(DisplayWidth.shown(what), part: part, speed: speed)
      write(Array("\r\(contents)\u{1B}[K".utf8))
    }
  }

  /// Removes the line, and sends later progress to a closure. A command with a full screen shows
  /// the progress itself.
  func redirect(to receiver: @escaping @Sendable (String) -> Void) {
    clear()
    state.withLock { $0.receiver = receiver }
    isRedirected.store(true, ordering: .relaxed)
  }

  /// Returns the text of the line. On a narrow terminal the bar is left out, and then the rate.
  private func line(_ what: String, part: Double, speed: String) -> String {
    let head = "\(what): \(Int(part * 100)) %"
    let filledCount = Int(part * Double(Progress.barWidth))
    let bar =
      "  [" + String(repeating: "=", count: filledCount)
      + String(repeating: " ", count: Progress.barWidth - filledCount) + "]"
    for contents in [head + bar + speed, head + speed]
    where DisplayWidth.columns(contents) < columnCount {
      return contents
    }
    return DisplayWidth.shortened(head, to: columnCount - 1, isPlain: false)
  }

  private static let barWidth = 20

  /// Returns the rate and the time that is left, for example `  1.5 MiB/s  0:42 left`. The text is
  /// empty during the first second of an operation.
  private static func speed(
    of done: UInt64, rest: UInt64, inNanoseconds elapsed: Int64, unit: Unit
  ) -> String {
    guard done > 0, elapsed >= silence else { return "" }
    let rate = Double(done) * 1e9 / Double(elapsed)
    let seconds = Int(min(359_999, (Double(rest) / rate).rounded(.up)))
    let (minutes, second) = (seconds / 60, seconds % 60)
    let digits = second < 10 ? "0\(second)" : "\(second)"
    let clock =
      minutes < 60
      ? "\(minutes):\(digits)"
      : "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):\(digits)"
    return "  \(string(ofRate: Int(rate), unit: unit))/s  \(clock) left"
  }

  private static func string(ofRate rate: Int, unit: Unit) -> String {
    switch unit {
    case .things(let name): return "\(rate) \(name)"
    case .bytes:
      let (tenths, name) =
        rate >= 1 << 20 ? (rate * 10 / (1 << 20), "MiB") : (rate * 10 / 1024, "KiB")
      return "\(tenths / 10).\(tenths % 10) \(name)"
    }
  }

  /// Removes the line, so that other output can be written.
  func clear() {
    guard let write else { return }
    state.withLock { state in
      guard state.isShown else { return }
      state.isShown = false
      write(Array("\r\u{1B}[K".utf8))
    }
  }

  /// Removes the line. Later progress is not shown.
  func suspend() {
    clear()
    state.withLock { $0.isSuspended = true }
  }

  // MARK: Readers

  /// Returns an observer that shows the progress of reading a journal or a text; nil if no progress
  /// is shown.
  func reading(_ name: String) -> ReadingProgress? {
    guard write != nil else { return nil }
    return ReadingProgress { phase, done, all in
      self.show("\(phase) \(name)", done: done, of: all, in: .bytes)
    }
  }
}
