#if canImport(Glibc) && !DAYBOOK_PORTABLE
  import DaybookCLibrary

  /// Files of the `/proc` file system, whose text the kernel generates.
  package enum ProcFiles {
    /// The text of a file, or nil if it cannot be read.
    package static func text(of path: String) -> String? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        text += buffer[..<count]
      }
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// The holders of file locks, from `/proc/locks`.
  ///
  /// A line reads `12: FLOCK  ADVISORY  WRITE 4711 fe:01:393226 0 EOF`: the process, then the device
  /// in hexadecimal and the file's number in decimal.
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
      // A process that waits has an arrow after the number, and is not the holder.
      guard words.count >= 6, words[1] == "FLOCK", let process = Int32(words[4]) else { return nil }
      let place = words[5].split(separator: ":")
      guard place.count == 3, let number = UInt64(place[2]), number == file.number,
        let major = UInt64(place[0], radix: 16), let minor = UInt64(place[1], radix: 16)
      else { return nil }
      guard major == deviceMajor(file.device), minor == deviceMinor(file.device) else { return nil }
      return process
    }

    // The bits of a device number, as the C library's macros of these names have them.
    private static func deviceMajor(_ device: UInt64) -> UInt64 {
      (device >> 8) & 0xfff | (device >> 32) & ~0xfff
    }

    private static func deviceMinor(_ device: UInt64) -> UInt64 {
      device & 0xff | (device >> 12) & ~0xff
    }
  }

  /// The file systems of open files, from `/proc/self/fdinfo` and `/proc/self/mountinfo`.
  ///
  /// The first has a line `mnt_id: 35`. A line of the second reads
  /// `35 28 0:31 / /mnt rw,relatime shared:1 - overlay overlay rw,lowerdir=/l`: the number of the mount first, and the type
  /// after the only hyphen that stands alone.
  package enum MountTable {
    /// The type of the file system of an open file, or nil if it cannot be found out.
    package static func fileSystem(ofDescriptor descriptor: Int32) -> String? {
      guard let information = ProcFiles.text(of: "/proc/self/fdinfo/\(descriptor)"),
        let mounts = ProcFiles.text(of: "/proc/self/mountinfo")
      else { return nil }
      return fileSystem(information: information, mounts: mounts)
    }

    /// The type of the file system from the two texts.
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
