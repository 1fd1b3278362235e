import DaybookJournal
import DaybookPlatform
import Synchronization

/// A line on a terminal that shows the progress of a long operation. Each update overwrites the
/// line, and `clear()` removes it before other output.
///
/// The line does not appear during the first second, so that fast commands show no progress.
//
// Shared state: `state`, guarded by its mutex. The mutex is also locked while the line is written,
// so that two threads do not mix their output.
final class Progress: Sendable {
  /// The state of the line: whether the terminal shows it, and the uptime of its last update.
  private struct State {
    var isShown = false
    var reportedAt: Int64 = .min
    /// The receiver of the progress instead of the line; nil for the line.
    var receiver: (@Sendable (String) -> Void)?
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

  /// Shows the progress of an operation. The method does nothing if the last update was less than a
  /// tenth of a second ago.
  func show(_ what: String, done: UInt64, of all: UInt64) {
    let isRedirected = isRedirected.load(ordering: .relaxed)
    guard isRedirected || write != nil else { return }
    let now = clock.uptimeNanoseconds
    guard isRedirected || now - startedAt >= Progress.silence else { return }
    state.withLock { state in
      guard now >= state.reportedAt &+ Progress.interval || state.reportedAt == .min else { return }
      state.reportedAt = now
      let percent = all == 0 ? 100 : min(100, done * 100 / max(1, all))
      let text = DisplayWidth.shown("\(what): \(percent) %")
      if let receiver = state.receiver { return receiver(text) }
      guard let write else { return }
      state.isShown = true
      let shown = DisplayWidth.shortened(text, to: columnCount - 1, isPlain: false)
      write(Array("\r\(shown)\u{1B}[K".utf8))
    }
  }

  /// Sends the progress to a closure from now on, and removes the line. A program with a full
  /// screen shows the progress itself.
  func redirect(to receiver: @escaping @Sendable (String) -> Void) {
    clear()
    state.withLock { $0.receiver = receiver }
    isRedirected.store(true, ordering: .relaxed)
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

  // MARK: Readers

  /// Returns an observer that shows the progress of reading a journal or a text; nil if no progress
  /// is shown.
  func reading(_ name: String) -> ReadingProgress? {
    guard write != nil else { return nil }
    return ReadingProgress { phase, done, all in
      self.show("\(phase) \(name)", done: done, of: all)
    }
  }
}
