import Glibc
import Synchronization

/// Whether somebody has asked the process to end, as with Control-C, while it waits for more.
enum Interruption {
  private static let flag = Atomic(false)

  static var isAsked: Bool { flag.load(ordering: .relaxed) }

  /// From now on the process is not ended by an interrupt, but told of it.
  static func expect() {
    // Made before a signal can come, as whatever makes it takes a lock.
    flag.store(false, ordering: .relaxed)
    var awaited = sigset_t()
    sigemptyset(&awaited)
    for number in [SIGINT, SIGTERM] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in
        Interruption.flag.store(true, ordering: .relaxed)
      }
      // Whatever waits is to return, so nothing is begun again.
      action.sa_flags = 0
      sigaction(number, &action, nil)
      sigaddset(&awaited, number)
    }
    // A thread that holds them back hands that on to the processes that it starts.
    sigprocmask(SIG_UNBLOCK, &awaited, nil)
  }
}
