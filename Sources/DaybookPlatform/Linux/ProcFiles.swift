#if canImport(Glibc) && !DAYBOOK_PORTABLE
  import DaybookCLibrary

  /// Files of the `/proc` file system. The kernel generates their text.
  package enum ProcFiles {
    /// Returns the text of a file, or nil if the file cannot be read.
    package static func text(of path: String) -> String? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The holders of file locks, from `/proc/locks`.
  ///
  /// A line has the form `12: FLOCK  ADVISORY  WRITE 4711 fe:01:393226 0 EOF`. The fields after the
  /// mode of the lock are the process, the device in hexadecimal, and the number of the file in
  /// decimal.
  enum LockTable {
    static func holder(of file: FileIdentity) -> LockHolder? {
      guard let table = ProcFiles.text(of: "/proc/locks") else { return nil }
      for line in table.split(separator: "\n") {
        guard let process = process(holding: file, in: line) else { continue }
        let name = ProcFiles.text(of: "/proc/\(process)/comm")?.split(separator: "\n").first
        return LockHolder(process: process, name: name.map(String.init))
      }
      return nil
    }

    private static func process(holding file: FileIdentity, in line: Substring) -> Int32? {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      // The line of a waiting process has an arrow after the first number. That process does not
      // have the lock.
      guard words.count >= 6, words[1] == "FLOCK", let process = Int32(words[4]) else { return nil }
      let identity = words[5].split(separator: ":")
      guard identity.count == 3, let number = UInt64(identity[2]), number == file.number,
        let major = UInt64(identity[0], radix: 16), let minor = UInt64(identity[1], radix: 16)
      else { return nil }
      guard major == deviceMajor(file.device), minor == deviceMinor(file.device) else { return nil }
      return process
    }

    // The bits of a device number, as in the macros `major` and `minor` of the C library.
    private static func deviceMajor(_ device: UInt64) -> UInt64 {
      (device >> 8) & 0xfff | (device >> 32) & ~0xfff
    }

    private static func deviceMinor(_ device: UInt64) -> UInt64 {
      device & 0xff | (device >> 12) & ~0xff
    }
  }

  /// The file systems of open files, from `/proc/self/fdinfo` and `/proc/self/mountinfo`.
  ///
  /// `fdinfo` contains a line such as `mnt_id: 35`. A line of `mountinfo` has the form `35 28 0:31
  /// / /mnt rw,relatime shared:1 - overlay overlay rw,lowerdir=/l`. The line starts with the number
  /// of the mount. The type of the file system follows the only field that is a single hyphen.
  package enum MountTable {
    /// Returns the type of the file system of an open file, or nil if it cannot be determined.
    package static func fileSystem(ofDescriptor descriptor: Int32) -> String? {
      guard let information = ProcFiles.text(of: "/proc/self/fdinfo/\(descriptor)"),
        let mounts = ProcFiles.text(of: "/proc/self/mountinfo")
      else { return nil }
      return fileSystem(information: information, mounts: mounts)
    }

    /// Returns the type of the file system, given the texts of the two files.
    package static func fileSystem(information: String, mounts: String) -> String? {
      let line = information.split(separator: "\n").first { $0.hasPrefix("mnt_id:") }
      guard let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).last else {
        return nil
      }
      for mount in mounts.split(separator: "\n") {
        let words = mount.split(separator: " ")
        guard words.first == number, let hyphen = words.firstIndex(of: "-"),
          hyphen + 1 < words.count
        else { continue }
        return String(words[hyphen + 1])
      }
      return nil
    }
  }
#endif
