import Glibc

/// Facts about this process, and what it can do to itself.
package enum CurrentProcess {
  package static var identifier: Int32 { getpid() }

  /// The number of processors that are online.
  package static var processorCount: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

  /// The value of an environment variable, or nil if it is not set.
  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The directory for temporary files: the value of `TMPDIR`, or `/tmp`.
  package static var temporaryDirectory: String {
    let given = environment("TMPDIR") ?? ""
    return given.isEmpty ? "/tmp" : given
  }

  /// The address of a symbol in this process or in a library that it has loaded, or nil.
  package static func symbol(named name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }

  /// Ends the process with a status, after exit handlers have run.
  package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }
}
