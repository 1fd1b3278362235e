import DaybookJournal
import DaybookPlatform
import DaybookStore
import Synchronization

/// Runs a browser on a terminal.
///
/// The thread of ``run(_:signals:)`` reads keys, draws the screen, and never waits for work. Actors
/// perform the work. They send reports to the inbox, which rings the bell of the signal pipe.
final class Browser {
  private var model: BrowserModel
  private let screen: FullScreen
  private let input: TerminalInput
  private let workers: BrowserWorkers
  private let inbox: BrowserInbox
  private let clock = MachineClock()
  private var decoder = KeyDecoder()
  /// The uptime at which the decoder began to wait for the rest of a key; nil if it does not wait.
  private var waitingSince: Int64?
  /// A Boolean value that indicates whether the user has quit.
  private var isOver = false

  /// The time after which a single Esc counts as a key, in milliseconds.
  private static let escapeMilliseconds = 30

  init(
    _ model: BrowserModel, journal: OpenJournal, on screen: FullScreen, input: TerminalInput,
    inbox: BrowserInbox
  ) {
    self.model = model
    self.screen = screen
    self.input = input
    self.inbox = inbox
    workers = BrowserWorkers(journal, named: model.journal, inbox: inbox)
  }

  /// Shows the browser until the user quits.
  ///
  /// - Parameters:
  ///   - view: The first list; nil to choose an entity.
  ///   - signals: The signals, and the bell of the inbox.
  /// - Returns: The signal that ended the browser, which the caller raises again; nil if the user
  ///   quit.
  func run(_ view: BrowserView?, signals: borrowing SignalPipe) throws -> Int32? {
    try screen.enter()
    // A message on standard error would overwrite a part of the screen.
    StandardError.hold()
    defer {
      screen.leave()
      StandardError.release()
    }
    model.size = screen.size
    if let view {
      perform(model.want(view))
    } else {
      model.openMenu(.entity)
    }
    perform(model.settled())
    while !isOver {
      try screen.draw(BrowserDrawing(model).screen)
      guard
        input.waitForKey(
          orSignalOf: signals,
          milliseconds: waitingSince.map { start in
            let waited = Int((clock.uptimeNanoseconds - start) / 1_000_000)
            return max(0, Browser.escapeMilliseconds - waited)
          })
      else {
        throw ToolError(
          .refused, sentence: "\(DiskError(.read, path: "the terminal", code: Errno.last))")
      }
      if let signal = try takeSignals(signals) { return signal }
      guard takeKeys() else { return nil }
    }
    return nil
  }

  /// Handles the signals and the reports that have arrived.
  ///
  /// - Returns: A signal that ends the browser; nil if no such signal has arrived.
  private func takeSignals(_ signals: borrowing SignalPipe) throws -> Int32? {
    while let number = signals.next() {
      switch number {
      case SignalPipe.Bell.number: break
      case SignalPipe.resize: try resize()
      case SignalPipe.stop: try stop()
      default: return number
      }
    }
    for report in inbox.take() { perform(model.receive(report)) }
    return nil
  }

  /// Handles the keys that have arrived.
  ///
  /// - Returns: False at the end of the input.
  private func takeKeys() -> Bool {
    var bytes: [UInt8] = []
    while input.hasInput {
      guard let byte = input.readByte() else { return false }
      bytes.append(byte)
    }
    var keys = decoder.keys(of: bytes)
    if !bytes.isEmpty { waitingSince = nil }
    // A signal or a report can end the wait before the rest of a key has arrived.
    if let start = waitingSince,
      clock.uptimeNanoseconds - start >= Int64(Browser.escapeMilliseconds) * 1_000_000
    {
      keys = decoder.flush()
      waitingSince = nil
    } else if decoder.isWaiting, waitingSince == nil {
      waitingSince = clock.uptimeNanoseconds
    }
    for key in keys where !isOver { perform(model.press(key)) }
    return true
  }

  private func perform(_ work: [BrowserModel.Work]) {
    for work in work {
      switch work {
      case .quit: isOver = true
      case .stop: try? stop()
      default: workers.start(work, columnCount: model.size.columnCount)
      }
    }
  }

  private func resize() throws {
    model.size = screen.size
    try screen.forget()
    perform(model.settled())
  }

  /// Stops the process until the user continues it.
  private func stop() throws {
    screen.leave()
    Signals.stopProcess()
    try screen.enter()
    try resize()
  }
}

/// The reports that workers have sent, and that the thread of the browser has not taken yet.
final class BrowserInbox: Sendable {
  private let reports = Mutex<[BrowserModel.Report]>([])
  private let bell: SignalPipe.Bell

  init(_ bell: SignalPipe.Bell) { self.bell = bell }

  /// Adds a report, and wakes the thread of the browser.
  func send(_ report: BrowserModel.Report) {
    reports.withLock { reports in
      // Only the last progress is shown.
      if case .progress = report, case .progress? = reports.last { reports.removeLast() }
      reports.append(report)
    }
    bell.ring()
  }

  /// Removes and returns all reports.
  func take() -> [BrowserModel.Report] {
    reports.withLock { reports in
      defer { reports = [] }
      return reports
    }
  }
}
