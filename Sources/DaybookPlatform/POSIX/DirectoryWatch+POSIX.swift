#if !canImport(Darwin) && (!canImport(Glibc) || DAYBOOK_PORTABLE)
  import DaybookCLibrary
  import Synchronization

  /// A watch on a directory that lists the files at regular intervals.
  //
  // Shared state: `last`, guarded by its mutex.
  final class DirectoryWatch: DiskWatch {
    /// The status of a file that the directory contained when it was listed.
    private struct Entry: Equatable {
      let identity: FileIdentity
      let byteCount: UInt64
      let changeTime: Int64
    }

    private struct Listing {
      let entries: [String: Entry]
      /// A Boolean value that indicates whether a file was written shortly before the listing. If
      /// so, a later write may not change the listing.
      ///
      /// The clock of a file system advances in ticks. A second write in the same tick does not
      /// change the time of the file.
      let isRecent: Bool
    }

    private let directory: String
    private let pipe: WakingPipe
    private let last: Mutex<Listing>

    private static let pauseMilliseconds = 10
    /// The longest tick among the clocks of file systems: the two seconds of FAT.
    private static let tickNanoseconds: Int64 = 2_000_000_000

    init(directory: String) throws(DiskError) {
      self.directory = directory
      pipe = try WakingPipe(watching: directory)
      last = Mutex(try DirectoryWatch.list(directory))
    }

    func wait(milliseconds: Int) {
      // A limit of some decades keeps the deadline within the range of its type.
      let duration = Int64(max(0, min(milliseconds, 1 << 40))) * 1_000_000
      let deadline = SystemClock.uptimeNanoseconds + duration
      var hasPaused = false
      while true {
        // The caller must determine why the directory cannot be listed. The pause prevents a busy
        // loop of the caller.
        guard let listing = try? DirectoryWatch.list(directory) else {
          _ = pipe.wait(milliseconds: max(0, min(milliseconds, DirectoryWatch.pauseMilliseconds)))
          return
        }
        let isChanged = last.withLock { last in
          let isChanged = last.entries != listing.entries || last.isRecent && hasPaused
          if isChanged { last = listing }
          return isChanged
        }
        if isChanged { return }
        let rest = (deadline - SystemClock.uptimeNanoseconds + 999_999) / 1_000_000
        guard rest > 0 else { return }
        let pause = min(rest, Int64(DirectoryWatch.pauseMilliseconds))
        if pipe.wait(milliseconds: Int(pause)) { return }
        hasPaused = true
      }
    }

    func wake() { pipe.wake() }

    private static func list(_ directory: String) throws(DiskError) -> Listing {
      let names: [String]
      do throws(DiskError) {
        names = try SystemDisk().list(directory)
      } catch {
        throw DiskError(.watch, path: directory, code: error.code)
      }
      let recently = SystemClock.realTimeNanoseconds - tickNanoseconds
      var entries: [String: Entry] = [:]
      var isRecent = false
      for name in names {
        var information = stat()
        // A file that was deleted after the listing is treated as not listed.
        guard lstat(FilePaths.join(directory, name: name), &information) == 0 else { continue }
        let status = FileStatus(information)
        let time = SystemClock.nanoseconds(
          seconds: Int(information.st_mtim.tv_sec), nanoseconds: Int(information.st_mtim.tv_nsec))
        entries[name] = Entry(
          identity: status.identity, byteCount: status.byteCount, changeTime: time)
        if time >= recently { isRecent = true }
      }
      return Listing(entries: entries, isRecent: isRecent)
    }
  }
#endif
