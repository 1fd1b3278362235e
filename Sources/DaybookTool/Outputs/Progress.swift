import DaybookJournal
import DaybookPlatform
import Synchronization

/// How far something is that takes long, as a line on a terminal that is written over and in the end taken
/// away.
///
/// Nothing is said of what takes less than a second.
//
// Shared state: `state`, guarded by its mutex, which is held while the line is written.
final class Progress: Sendable {
  private struct State {
    var isShown = false
    var toldAt: Int64 = .min
  }

  private let state = Mutex(State())
  private let clock: any JournalClock
  private let startedAt: Int64
  private let columnCount: Int
  private let write: (@Sendable ([UInt8]) -> Void)?

  /// - Parameter write: Where the line goes; nil if nobody is to be told.
  init(
    columnCount: Int, clock: any JournalClock, write: (@Sendable ([UInt8]) -> Void)?
  ) {
    self.columnCount = columnCount
    self.clock = clock
    self.write = write
    startedAt = clock.uptimeNanoseconds
  }

  /// That of this process: on standard error, if that is a terminal which can write over a line.
  static let shared: Progress = {
    let terminal = Terminal.current(.standardError)
    guard let columnCount = terminal.columnCount, !terminal.isPlain else {
      return Progress(columnCount: 0, clock: MachineClock(), write: nil)
    }
    return Progress(columnCount: columnCount, clock: MachineClock()) { bytes in
      // Where it cannot be written nobody misses it.
      try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
    }
  }()

  private static let silence: Int64 = 1_000_000_000
  private static let interval: Int64 = 100_000_000

  /// Shows how far an operation is, unless it was shown a moment before.
  func show(_ what: String, done: UInt64, of all: UInt64) {
    guard let write else { return }
    let now = clock.uptimeNanoseconds
    guard now - startedAt >= Progress.silence else { return }
    state.withLock { state in
      guard now >= state.toldAt &+ Progress.interval || state.toldAt == .min else { return }
      state.toldAt = now
      state.isShown = true
      let percent = all == 0 ? 100 : min(100, done * 100 / max(1, all))
      let text = DisplayWidth.shortened(
        DisplayWidth.shown("\(what): \(percent) %"), to: columnCount - 1, isPlain: false)
      write(Array("\r\(text)\u{1B}[K".utf8))
    }
  }

  /// Takes the line away, before something else is written.
  func clear() {
    guard let write else { return }
    state.withLock { state in
      guard state.isShown else { return }
      state.isShown = false
      write(Array("\r\u{1B}[K".utf8))
    }
  }

  // MARK: Readers

  /// Who is told of the reading of a journal, or of a text.
  func reading(_ name: String) -> ReadingProgress? {
    guard write != nil else { return nil }
    return ReadingProgress { phase, done, all in
      self.show("\(phase) \(name)", done: done, of: all)
    }
  }
}
