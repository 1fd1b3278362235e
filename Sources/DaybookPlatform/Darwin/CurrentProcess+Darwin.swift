#if canImport(Darwin)
  import DaybookCLibrary

  extension CurrentProcess {
    /// The argument of `dlsym` that means all loaded libraries.
    ///
    /// It is the value of `RTLD_DEFAULT`, a macro that Swift does not import.
    static var allLibraries: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: -2) }

    /// The path of the program that this process runs.
    package static var programPath: String {
      var byteCount: UInt32 = 0
      _ = _NSGetExecutablePath(nil, &byteCount)
      var bytes = [CChar](repeating: 0, count: Int(byteCount))
      guard _NSGetExecutablePath(&bytes, &byteCount) == 0 else { return "" }
      return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The resident memory that belongs to no file, compressed memory included.
    package static var anonymousByteCount: Int { Int(clamping: taskFacts?.phys_footprint ?? 0) }

    /// The resident memory, mapped files included.
    package static var residentByteCount: Int { Int(clamping: taskFacts?.resident_size ?? 0) }

    /// The largest ``residentByteCount`` of the whole run.
    package static var peakResidentByteCount: Int {
      Int(clamping: taskFacts?.resident_size_peak ?? 0)
    }

    /// Does nothing: the system keeps the peak of the whole run.
    package static func resetPeakResidentByteCount() {}

    /// Returns freed memory to the system, so that it is not counted as resident.
    package static func releaseFreeMemory() { malloc_zone_pressure_relief(nil, 0) }

    private static var taskFacts: task_vm_info_data_t? {
      var facts = task_vm_info_data_t()
      let wordCount = MemoryLayout<task_vm_info_data_t>.size / MemoryLayout<integer_t>.size
      var count = mach_msg_type_number_t(wordCount)
      let status = withUnsafeMutablePointer(to: &facts) { pointer in
        pointer.withMemoryRebound(to: integer_t.self, capacity: wordCount) {
          task_info(task_self_trap(), task_flavor_t(TASK_VM_INFO), $0, &count)
        }
      }
      return status == KERN_SUCCESS ? facts : nil
    }
  }

  extension Memory {
    /// Does nothing: the system has no call that allocates pages at once.
    static func populate(_ memory: UnsafeMutableRawBufferPointer) {}

    /// Does nothing: the system has no huge pages for ordinary memory.
    package static func preferHugePages(_ memory: UnsafeMutableRawPointer, byteCount: Int) {}
  }
#endif
