import DaybookCLibrary

/// Facts about this process, and operations on it.
public enum CurrentProcess {
  package static var identifier: Int32 { getpid() }

  /// The number of processors that are online.
  package static var processorCount: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

  /// The name of the machine; empty if the system does not return it.
  package static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the value of an environment variable, or nil if it is not set.
  public static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The directory for temporary files: the value of `TMPDIR`, or `/tmp`.
  public static var temporaryDirectory: String {
    let given = environment("TMPDIR") ?? ""
    return given.isEmpty ? "/tmp" : given
  }

  /// Returns the address of a symbol in this process or in a library that it has loaded, or nil.
  package static func symbol(named name: String) -> UnsafeMutableRawPointer? {
    dlsym(allLibraries, name)
  }

  /// Raises the limit of descriptors of the process to the highest value that the system allows.
  ///
  /// - Returns: The new limit.
  package static func raiseDescriptorLimit() -> Int {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 256 }
    var raised = limit
    raised.rlim_cur = limit.rlim_max
    return Int(clamping: setrlimit(resource, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur)
  }

  /// Ends the process with a status, after exit handlers have run.
  public static func exit(_ status: Int32) -> Never { DaybookCLibrary.exit(status) }

  /// Ends the process with a status at once. Exit handlers do not run.
  public static func exitImmediately(_ status: Int32) -> Never { _exit(status) }
}

extension CurrentProcess {
  /// The program of the system that opens a file with the program for its kind.
  public static var opener: String {
    #if canImport(Darwin)
      "open"
    #else
      "xdg-open"
    #endif
  }

  /// Starts a program, and waits until it ends. A name without a slash is searched in `PATH`.
  ///
  /// - Returns: The status in the format of `waitpid`: 0 for a program that ended with status 0.
  /// - Throws: ``DiskError`` if the program cannot be started.
  public static func run(_ program: String, arguments: [String]) throws(DiskError) -> Int32 {
    #if os(tvOS) || os(watchOS)
      // These systems start no other programs.
      throw DiskError(.open, path: program, code: ENOTSUP)
    #else
      var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
      words.append(nil)
      defer { for word in words { free(word) } }
      var process: pid_t = 0
      let code = posix_spawnp(&process, program, nil, nil, words, environ)
      guard code == 0 else { throw DiskError(.open, path: program, code: code) }
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      return status
    #endif
  }
}

/// Reports of programming errors in the use of Daybook.
///
/// The messages are printed in every build, because a release build does not print the message of a
/// failed precondition.
package enum Misuse {
  /// Prints a message on standard error. The message must state the error and its correction.
  package static func report(_ sentence: String) {
    let line = Array("Daybook: \(sentence)\n".utf8)
    try? FileDescriptor.standardError.writeAll(line.span.bytes)
  }

  /// Prints a message on standard error, and ends the process.
  package static func stop(_ sentence: String) -> Never {
    report(sentence)
    abort()
  }
}
