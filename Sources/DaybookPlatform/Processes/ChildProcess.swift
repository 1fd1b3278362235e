import Glibc

extension CurrentProcess {
  /// Starts a program, and waits until it ends.
  ///
  /// - Returns: The status as `waitpid` has it: 0 for a program that ended with 0.
  /// - Throws: ``DiskError`` if the program cannot be started.
  package static func run(_ program: String, arguments: [String]) throws(DiskError) -> Int32 {
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, program, nil, nil, words, environ)
    guard code == 0 else { throw DiskError(.open, path: program, code: code) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
