import DaybookCLibrary
import Synchronization

/// The actions of signals on this process.
public enum Signals {
  /// Lets a write to a pipe without a reader fail, instead of ending the process.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Sends a signal to this process.
  public static func raise(_ number: Int32) { _ = DaybookCLibrary.raise(number) }

  /// Restores the default action of a signal, and sends it to this process.
  public static func raiseWithDefaultAction(_ number: Int32) {
    signal(number, SIG_DFL)
    _ = DaybookCLibrary.raise(number)
  }

  // Shared state: both are written before the handler is installed, and only read after that.
  private nonisolated(unsafe) static var busErrorMessage: StaticString = ""
  private nonisolated(unsafe) static var busErrorStatus: Int32 = 0

  /// Makes a bus error end the process with a message and a status.
  ///
  /// Reading a mapped page beyond the end of a shortened file is a bus error.
  public static func exitOnBusError(message: StaticString, status: Int32) {
    (busErrorMessage, busErrorStatus) = (message, status)
    signal(SIGBUS) { _ in
      // Only functions that are safe in a signal handler may be called here.
      let message = Signals.busErrorMessage
      _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
      _exit(Signals.busErrorStatus)
    }
  }

  private static let interruptFlag = Atomic(false)

  /// A Boolean value that indicates whether an interrupt has come since ``catchInterrupts()``.
  public static var hasInterrupt: Bool { interruptFlag.load(ordering: .relaxed) }

  /// Lets an interrupt or a request to end set ``hasInterrupt`` instead of ending the process.
  public static func catchInterrupts() {
    // Created before a signal can come, as its creation takes a lock.
    interruptFlag.store(false, ordering: .relaxed)
    var awaited = sigset_t()
    sigemptyset(&awaited)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Signals.interruptFlag.store(true, ordering: .relaxed) }
      // Calls that wait return, and are not restarted.
      var action = sigaction()
      sigaction(number, nil, &action)
      action.sa_flags &= ~SA_RESTART
      sigaction(number, &action, nil)
      sigaddset(&awaited, number)
    }
    // A thread that blocks signals passes that on to the processes that it starts.
    sigprocmask(SIG_UNBLOCK, &awaited, nil)
  }
}
