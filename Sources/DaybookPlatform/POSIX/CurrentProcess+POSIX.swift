#if !canImport(Darwin) && (!canImport(Glibc) || DAYBOOK_PORTABLE)
  import DaybookCLibrary

  extension CurrentProcess {
    /// What `dlsym` takes for all libraries that are loaded: `RTLD_DEFAULT`, a macro that Swift does not import.
    static var allLibraries: UnsafeMutableRawPointer? { nil }

    /// The path of the program that this process runs, as it was started.
    package static var programPath: String { CommandLine.arguments.first ?? "" }

    /// The resident memory that belongs to no file, or 0 as it is not known.
    package static var anonymousByteCount: Int { 0 }

    /// The resident memory, mapped files included, or 0 as it is not known.
    package static var residentByteCount: Int { 0 }

    /// The largest resident memory of the whole run.
    package static var peakResidentByteCount: Int {
      // `RUSAGE_SELF`, which Swift imports as one type or another.
      let thisProcess: Int32 = 0
      var usage = rusage()
      guard getrusage(thisProcess, &usage) == 0 else { return 0 }
      return Int(usage.ru_maxrss) * 1024
    }

    /// Does nothing: the system keeps the peak of the whole run.
    package static func resetPeakResidentByteCount() {}

    /// Does nothing: there is no call that all systems have.
    package static func releaseFreeMemory() {}
  }

  extension Memory {
    /// Does nothing: there is no call that all systems have.
    static func populate(_ memory: UnsafeMutableRawBufferPointer) {}

    /// Does nothing: there is no call that all systems have.
    package static func preferHugePages(_ memory: UnsafeMutableRawPointer, byteCount: Int) {}
  }
#endif
