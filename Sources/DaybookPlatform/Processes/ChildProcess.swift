import DaybookCLibrary
import Synchronization

/// A shell command that runs as a child process and reads its standard input from a pipe.
public struct ChildProcess: Sendable {
  /// The reason for which a process ended.
  public enum End: Hashable, Sendable {
    /// The process exited with a status.
    case exited(Int32)
    /// A signal ended the process.
    case signaled(Int32)
  }

  /// The end of the pipe that this process writes to.
  public let input: FileDescriptor
  private let identifier: pid_t

  /// Starts a command of the system's shell. The child blocks no signal, and handles SIGPIPE in the
  /// default way.
  ///
  /// - Parameters:
  ///   - command: The command, in the language of `sh`.
  ///   - environment: Variables that are added to those of this process, or replace them.
  ///   - leadsGroup: A Boolean value that indicates whether the child leads a new process group.
  ///     Such a child gets no signals from the keys of the terminal, and cannot read from it.
  /// - Throws: ``DiskError`` if the system cannot create the pipe or the process.
  public init(
    shell command: String, environment: [String: String] = [:], leadsGroup: Bool = false
  ) throws(DiskError) {
    #if os(tvOS) || os(watchOS)
      // These systems start no other programs.
      throw DiskError(.open, path: "/bin/sh", code: ENOTSUP)
    #else
      let shell = "/bin/sh"
      var pipe: [Int32] = [-1, -1]
      guard DaybookCLibrary.pipe(&pipe) == 0 else {
        throw DiskError(.open, path: shell, code: errno)
      }
      for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
      #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
      #endif
      posix_spawn_file_actions_init(&actions)
      posix_spawn_file_actions_adddup2(&actions, pipe[0], STDIN_FILENO)
      posix_spawnattr_init(&attributes)
      var signals = sigset_t()
      sigemptyset(&signals)
      posix_spawnattr_setsigmask(&attributes, &signals)
      // This process ignores SIGPIPE, and a child would inherit that.
      sigaddset(&signals, SIGPIPE)
      posix_spawnattr_setsigdefault(&attributes, &signals)
      var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
      if leadsGroup { flags |= Int32(POSIX_SPAWN_SETPGROUP) }
      posix_spawnattr_setflags(&attributes, Int16(flags))
      defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
      }
      typealias Words = [UnsafeMutablePointer<CChar>?]
      let words: Words = [strdup(shell), strdup("-c"), strdup(command), nil]
      let variables: Words =
        ChildProcess.variables(adding: environment).map { strdup($0) } + [nil]
      defer { for word in words + variables { free(word) } }
      var identifier: pid_t = 0
      let code = posix_spawn(&identifier, shell, &actions, &attributes, words, variables)
      close(pipe[0])
      guard code == 0 else {
        close(pipe[1])
        throw DiskError(.open, path: shell, code: code)
      }
      self.identifier = identifier
      input = FileDescriptor(pipe[1], path: command)
    #endif
  }

  /// Returns the variables of this process with some added or replaced, as `NAME=value`.
  private static func variables(adding added: [String: String]) -> [String] {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let entry = String(cString: variable)
      let name = entry.prefix { $0 != "=" }
      if added[String(name)] == nil { variables.append(entry) }
      next += 1
    }
    return variables + added.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }

  /// Ends the input of the process.
  public func closeInput() { input.close() }

  /// Ends the input of the process, while a second thread may be writing to it. Later writes of
  /// that thread have no effect.
  public func discardInput() {
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else { return }
    dup2(nothing, input.number)
    close(nothing)
  }

  /// Calls a closure, and waits until the process ends. The process must lead a group.
  ///
  /// Meanwhile, a signal that requests the end of this process is sent to the group. After the end
  /// of the child, the signal is raised in this process. A child that ignores the signal delays the
  /// end of this process.
  public func wait(forwardingSignalsDuring body: () -> Void) -> End {
    let number = forwardSignals(during: body)
    let end = wait()
    if number > 0 { Signals.raise(number) }
    return end
  }

  /// Forwards signals to the group of the child until the child has ended.
  ///
  /// - Returns: The last forwarded signal; 0 without one.
  private func forwardSignals(during body: () -> Void) -> Int32 {
    guard let signals = SignalPipe(SignalPipe.ending) else {
      body()
      return 0
    }
    // This interrupt arrived before the pipe existed.
    if Signals.hasInterrupt { signalGroup(SIGINT) }
    let descriptor = signals.descriptor
    let last = LastSignal()
    let thread = SystemThread(stackByteCount: ChildProcess.stackByteCount) {
      while true {
        let number = Int32(SignalPipe.wait(for: descriptor))
        if number == 0 { return }
        last.number.store(number, ordering: .relaxed)
        signalGroup(number)
      }
    }
    body()
    waitUntilEnded()
    // The thread ends before the identifier of the child becomes free for other processes.
    signals.send(0)
    if let thread { thread.join() }
    withExtendedLifetime(signals) {}
    return last.number.load(ordering: .relaxed)
  }

  /// The last signal that a thread has forwarded; 0 for none.
  private final class LastSignal: Sendable {
    let number = Atomic<Int32>(0)
  }

  private static let stackByteCount = 256 << 10

  /// Sends a signal to the process group that the child leads.
  private func signalGroup(_ number: Int32) {
    kill(-identifier, number)
    // A process that was stopped, because it reads from the terminal, handles no signal before it
    // continues.
    kill(-identifier, SIGCONT)
  }

  /// Waits until the process has ended. Its identifier stays in use until ``wait()``.
  private func waitUntilEnded() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
  }

  /// Waits until the process ends. The method may be called only once.
  public func wait() -> End {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      // A different thread has already waited for the process.
      guard errno == EINTR else { return .exited(0) }
    }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
  }
}
