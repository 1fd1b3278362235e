import Daybook
import DaybookPlatform

/// The shell command of `daybook watch --exec`, which runs for each difference.
struct WatchHook {
  private let command: String
  private let environment: [String: String]

  init(_ command: String, for invocation: Invocation) {
    self.command = command
    environment = [
      "DAYBOOK_JOURNAL": invocation["JOURNAL"], "DAYBOOK_ENTITY": invocation["ENTITY"],
    ]
  }

  /// Runs the command for a difference, and waits until it ends. Does nothing for a reset. A signal
  /// that ends the watch ends the command first.
  ///
  /// The command receives texts of the journal only as input and in variables. So they never become
  /// part of the command.
  func run(
    for event: ListWatch.Event, printer: WatchPrinter, in snapshot: StoreSnapshot
  ) throws {
    guard case .difference(let difference, let sequence, let time, let metadata) = event else {
      return
    }
    var environment = environment
    environment["DAYBOOK_TRANSACTION"] = "\(sequence)"
    environment["DAYBOOK_TIME"] = "\(time)"
    // The variables are also set without a value. Otherwise the command would get those of this
    // process.
    environment["DAYBOOK_AUTHOR"] = metadata.author ?? ""
    environment["DAYBOOK_REASON"] = metadata.reason ?? ""
    // The system ends a variable at its first zero byte.
    environment = environment.mapValues { $0.escaping("\0", as: "\u{2400}") }
    let bytes = try printer.json(difference, after: sequence, in: snapshot)
    try printer.flush()
    let process: ChildProcess
    do throws(DiskError) {
      process = try ChildProcess(shell: command, environment: environment, leadsGroup: true)
    } catch {
      // The system limits the size of a variable, and a reason can be longer.
      return StandardError.write(
        "the command of --exec was not started at transaction \(sequence): \(error)")
    }
    let end = process.wait(forwardingSignalsDuring: {
      // A command need not read its input.
      try? process.input.writeAll(bytes.span.bytes)
      process.closeInput()
    })
    guard end != .exited(0), !Signals.hasInterrupt else { return }
    let outcome =
      switch end {
      case .exited(let status): "ended with status \(status)"
      case .signaled(let number): "was ended by signal \(number)"
      }
    StandardError.write("the command of --exec \(outcome) at transaction \(sequence).")
  }
}
