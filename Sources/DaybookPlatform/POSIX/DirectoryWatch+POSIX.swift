#if !canImport(Darwin) && (!canImport(Glibc) || DAYBOOK_PORTABLE)
  import DaybookCLibrary
  import Synchronization

  /// A watch on a directory that looks at the files from time to time.
  //
  // Shared state: `last`, guarded by its mutex.
  final class DirectoryWatch: DiskWatch {
    /// The file that the directory has under a name.
    private struct Entry: Equatable {
      let identity: FileIdentity
      let byteCount: UInt64
      let changeTime: Int64
    }

    private struct Listing {
      let entries: [String: Entry]
      /// A Boolean value that indicates whether a file was written to shortly before it was looked at.
      ///
      /// The clock of a file system has ticks. Another write in the same tick leaves the time as it is.
      let isRecent: Bool
    }

    private let directory: String
    private let pipe: WakingPipe
    private let last: Mutex<Listing>

    private static let pauseMilliseconds = 10
    /// The longest tick of a file system's clock that is in use, FAT's, of two seconds.
    private static let tickNanoseconds: Int64 = 2_000_000_000

    init(directory: String) throws(DiskError) {
      self.directory = directory
      pipe = try WakingPipe(watching: directory)
      last = Mutex(try DirectoryWatch.list(directory))
    }

    func wait(milliseconds: Int) {
      // At most some decades, so that the deadline is within the range of its type.
      let duration = Int64(max(0, min(milliseconds, 1 << 40))) * 1_000_000
      let deadline = SystemClock.uptimeNanoseconds + duration
      var hasPaused = false
      while true {
        // The caller finds out why a directory cannot be listed, but not without a pause between two attempts.
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
        // A name that is gone meanwhile is as one that was not listed.
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
