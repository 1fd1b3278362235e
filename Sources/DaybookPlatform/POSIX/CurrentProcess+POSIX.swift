#if !canImport(Darwin) && (!canImport(Glibc) || DAYBOOK_PORTABLE)
  import DaybookCLibrary

  extension CurrentProcess {
    /// The argument of `dlsym` that means all loaded libraries.
    ///
    /// It is the value of `RTLD_DEFAULT`, a macro that Swift does not import.
    static var allLibraries: UnsafeMutableRawPointer? { nil }

    /// The path of the program that this process runs, as it was passed when the process started.
    package static var programPath: String { CommandLine.arguments.first ?? "" }

    /// The resident memory that belongs to no file: always 0, because POSIX has no call that
    /// returns it.
    package static var anonymousByteCount: Int { 0 }

    /// The resident memory, mapped files included: always 0, because POSIX has no call that returns
    /// it.
    package static var residentByteCount: Int { 0 }

    /// The largest resident memory of the whole run.
    package static var peakResidentByteCount: Int {
      // The value of `RUSAGE_SELF`, which Swift imports with a type that depends on the system.
      let thisProcess: Int32 = 0
      var usage = rusage()
      guard getrusage(thisProcess, &usage) == 0 else { return 0 }
      return Int(usage.ru_maxrss) * 1024
    }

    /// Does nothing: the system keeps the peak of the whole run.
    package static func resetPeakResidentByteCount() {}

    /// Does nothing: no call for it exists on all systems.
    package static func releaseFreeMemory() {}
  }

  extension Memory {
    /// Does nothing: no call for it exists on all systems.
    static func populate(_ memory: UnsafeMutableRawBufferPointer) {}

    /// Does nothing: no call for it exists on all systems.
    package static func preferHugePages(_ memory: UnsafeMutableRawPointer, byteCount: Int) {}
  }
#endif
