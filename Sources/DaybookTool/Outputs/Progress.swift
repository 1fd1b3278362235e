import DaybookJournal
import DaybookPlatform
import Synchronization

/// A line on a terminal that shows the progress of a long operation. It is overwritten, and removed
/// at the end.
///
/// Nothing is shown during the first second.
//
// Shared state: `state`, guarded by its mutex, which is held while the line is written.
final class Progress: Sendable {
  private struct State {
    var isShown = false
    var reportedAt: Int64 = .min
  }

  private let state = Mutex(State())
  private let clock: any JournalClock
  private let startedAt: Int64
  private let columnCount: Int
  private let write: (@Sendable ([UInt8]) -> Void)?

  /// - Parameters:
  ///   - columnCount: The width of the terminal.
  ///   - clock: The clock that limits how often the line is written.
  ///   - write: A closure that writes the line; nil to show nothing.
  init(
    columnCount: Int, clock: any JournalClock, write: (@Sendable ([UInt8]) -> Void)?
  ) {
    self.columnCount = columnCount
    self.clock = clock
    self.write = write
    startedAt = clock.uptimeNanoseconds
  }

  /// The progress of this process. It is on standard error, if that is a terminal whose lines can
  /// be overwritten.
  static let shared: Progress = {
    let terminal = Terminal.current(.standardError)
    guard let columnCount = terminal.columnCount, !terminal.isPlain else {
      return Progress(columnCount: 0, clock: MachineClock(), write: nil)
    }
    return Progress(columnCount: columnCount, clock: MachineClock()) { bytes in
      // A progress line that cannot be written is dropped.
      try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
    }
  }()

  private static let silence: Int64 = 1_000_000_000
  private static let interval: Int64 = 100_000_000

  /// Shows the progress of an operation, unless it was shown a moment ago.
  func show(_ what: String, done: UInt64, of all: UInt64) {
    guard let write else { return }
    let now = clock.uptimeNanoseconds
    guard now - startedAt >= Progress.silence else { return }
    state.withLock { state in
      guard now >= state.reportedAt &+ Progress.interval || state.reportedAt == .min else { return }
      state.reportedAt = now
      state.isShown = true
      let percent = all == 0 ? 100 : min(100, done * 100 / max(1, all))
      let text = DisplayWidth.shortened(
        DisplayWidth.shown("\(what): \(percent) %"), to: columnCount - 1, isPlain: false)
      write(Array("\r\(text)\u{1B}[K".utf8))
    }
  }

  /// Removes the line before other output is written.
  func clear() {
    guard let write else { return }
    state.withLock { state in
      guard state.isShown else { return }
      state.isShown = false
      write(Array("\r\u{1B}[K".utf8))
    }
  }

  // MARK: Readers

  /// Returns the observer for reading a journal or a text, or nil if no progress is shown.
  func reading(_ name: String) -> ReadingProgress? {
    guard write != nil else { return nil }
    return ReadingProgress { phase, done, all in
      self.show("\(phase) \(name)", done: done, of: all)
    }
  }
}
