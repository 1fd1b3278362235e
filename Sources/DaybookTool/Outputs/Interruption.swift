import DaybookPlatform
import Synchronization

/// The reaction of the tool to signals that end it. The tool removes unfinished files, and prints
/// the effect of an interruption by Ctrl-C on the journal.
//
// Shared state: `state`, guarded by its mutex. The thread that waits for signals locks the mutex
// and ends the process without unlocking it. So no file can become complete, and no command can
// end, after the thread has chosen the message.
final class Interruption: Sendable {
  static let shared = Interruption()

  /// The effect of an interruption of a command.
  enum Outcome: Sendable {
    /// The command only reads the journal.
    case unchanged
    /// The command creates a file.
    case noFile
    /// The command replaces the journal by a new file.
    case notReplaced
    /// The command appends transactions to the journal.
    case appended
    /// The command reads a shared log into a replica.
    case partlyRead
    /// The command creates a replica of a shared log.
    case cloned
    /// The command appends a journal to a shared log.
    case partlyPublished
    /// The command repairs a shared log, or a replica of it.
    case partlyRepaired
    /// The command drops the older history of a shared log.
    case perhapsDropped
    /// The signal ends the command without a message, as is usual for a command that waits.
    case silent

    /// Returns the sentence that is printed; nil to print none.
    fileprivate func sentence(hasFinished: Bool) -> String? {
      switch self {
      case .silent: nil
      case .appended:
        "Interrupted. Each printed transaction is in the journal, and the next one may be."
      case .cloned where !hasFinished: "Interrupted. No replica was created."
      case .partlyRead, .cloned:
        "Interrupted. The replica is complete up to some transaction, and 'daybook sync' reads the "
          + "rest."
      case .partlyPublished:
        "Interrupted. The log may contain a part of the journal. The same command continues there."
      case .partlyRepaired where hasFinished:
        "Interrupted. The lost transactions are in a file NAME-lost-N.jsonl beside the replica. If "
          + "the replica has not restarted after them, the same command does it."
      case .partlyRepaired: "Interrupted. The same command continues the repair."
      case .perhapsDropped:
        "Interrupted. The log may have dropped the history. The same command continues."
      case .noFile where hasFinished: "Interrupted after the new file was complete."
      case .notReplaced where hasFinished:
        "Interrupted after the new file had replaced the journal."
      case .noFile: "Interrupted. No file was created."
      case .unchanged, .notReplaced: "Interrupted. The journal was not changed."
      }
    }
  }

  private struct State {
    var files: Set<String> = []
    var folders: Set<String> = []
    /// A Boolean value that indicates whether a file got its final name.
    var hasFinished = false
    /// A Boolean value that indicates whether the command has ended, except for its pager.
    var isOver = false
    var pager: ChildProcess?
  }

  private let state = Mutex(State())

  private static let stackByteCount = 256 << 10
  /// The number that ends the thread. No signal has this number.
  private static let end: UInt8 = 0

  /// The exit status after an interruption, which is the same as in shells.
  private static let status: Int32 = 130

  /// The pager that shows the output; nil without a pager.
  var pager: ChildProcess? {
    get { state.withLock { $0.pager } }
    set { state.withLock { $0.pager = newValue } }
  }

  // MARK: Unfinished files

  /// Returns whether a path is the temporary name of a file that does not have its final name yet.
  private static func isTemporary(_ path: String) -> Bool {
    path.contains(/\.new-[0-9a-f]+$/)
  }

  /// Returns whether a path is the name of the file that contains the committed end of a journal.
  /// It is removed only if the command has created it.
  private static func isCommittedEnd(_ path: String) -> Bool { path.hasSuffix("-end") }

  /// Calls a closure that creates a file. If a signal ends the process, files with temporary names
  /// are removed, and the file with a committed end.
  func creating<Value>(
    _ path: String, by body: () throws(DiskError) -> Value
  ) throws(DiskError) -> Value {
    let result = state.withLock { state in
      let result = Result { () throws(DiskError) in try body() }
      if case .success = result,
        Interruption.isTemporary(path) || Interruption.isCommittedEnd(path)
      {
        state.files.insert(path)
      }
      return Transferred(result)
    }
    return try result.value.get()
  }

  /// Calls a closure that gives a file a new name, which usually is its final name.
  func finishing(
    _ path: String, as target: String, by body: () throws(DiskError) -> Void
  ) throws(DiskError) {
    try state.withLock { (state) throws(DiskError) in
      try body()
      guard state.files.contains(path) else { return }
      if Interruption.isTemporary(target) {
        state.files.insert(target)
      } else if !target.hasSuffix("-shared") {
        // The file that names a shared log is written before the replica.
        state.hasFinished = true
      }
    }
  }

  /// Calls a closure that removes a file, or its temporary name.
  func removing(_ path: String, by body: () throws(DiskError) -> Void) throws(DiskError) {
    try state.withLock { (state) throws(DiskError) in
      state.files.remove(path)
      try body()
    }
  }

  /// Calls a closure that creates a folder and returns its path. If a signal ends the process, the
  /// folder is removed with its files.
  func creatingFolder(_ body: () throws(DiskError) -> String) throws(DiskError) -> String {
    try state.withLock { (state) throws(DiskError) in
      let path = try body()
      state.folders.insert(path)
      return path
    }
  }

  /// Removes a folder with its files.
  func removeFolder(_ path: String) {
    state.withLock { state in
      SystemDisk().removeDirectoryWithFiles(path)
      state.folders.remove(path)
    }
  }

  // MARK: Signals

  /// Calls a closure. Until the closure returns, handles the signals that end a process.
  ///
  /// - Parameters:
  ///   - outcome: The effect of an interruption.
  ///   - body: The command.
  func handlingSignals<Value>(
    _ outcome: Outcome, during body: () throws -> Value
  ) throws -> Value {
    guard let signals = SignalPipe(SignalPipe.ending) else { return try body() }
    let descriptor = signals.descriptor
    // The system counts the whole stack as memory of the process, so the stack is small.
    let thread = SystemThread(stackByteCount: Interruption.stackByteCount) {
      while true {
        let number = SignalPipe.wait(for: descriptor)
        if number == Interruption.end { return }
        self.end(with: Int32(number), outcome: outcome)
      }
    }
    let result = Result { try body() }
    signals.send(Interruption.end)
    if let thread { thread.join() }
    return try result.get()
  }

  /// Records that the command has ended, so that an interruption affects only its pager.
  func markEnd() { state.withLock { $0.isOver = true } }

  /// Removes the unfinished files, and ends the process with the default action of a signal.
  func raise(_ number: Int32) {
    state.withLock { state in
      Interruption.removeAll(of: state)
      Signals.raiseWithDefaultAction(number)
    }
  }

  private func end(with number: Int32, outcome: Outcome) {
    state.withLock { state in
      // After the end of the command, the keys of a pager decide about an interruption.
      guard !(state.isOver && SignalPipe.isInterrupt(number)) else { return }
      Interruption.removeAll(of: state)
      guard SignalPipe.isInterrupt(number) else { return Signals.raiseWithDefaultAction(number) }
      if let pager = state.pager {
        // The user reads the output so far, and quits the pager.
        pager.discardInput()
        _ = pager.wait()
      }
      // Messages are also held before the pager starts.
      StandardError.release()
      if state.pager == nil {
        if let sentence = outcome.sentence(hasFinished: state.hasFinished) {
          StandardError.write(sentence)
        } else {
          Signals.raiseWithDefaultAction(number)
        }
      }
      CurrentProcess.exitImmediately(Interruption.status)
    }
  }

  /// Removes the unfinished files and the folders.
  func removeAll() { state.withLock { Interruption.removeAll(of: $0) } }

  private static func removeAll(of state: State) {
    for path in state.files { try? SystemDisk().remove(path) }
    for path in state.folders { SystemDisk().removeDirectoryWithFiles(path) }
  }
}

/// A value that is returned from a critical section.
private struct Transferred<Value>: @unchecked Sendable {
  // The value is created in the section and used only by the caller.
  let value: Value
  init(_ value: Value) { self.value = value }
}
