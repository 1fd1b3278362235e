import DaybookPlatform

/// The search for a journal's file, and the start of writing to it.
enum JournalOpening {
  /// The number of times that the file may be replaced between opening and locking it before that
  /// is an error.
  private static let attemptMax = 100

  /// Opens the file of a place for writing and locks it. The file still has the name afterwards.
  static func openForWriting(
    at place: JournalPlace, _ options: JournalOptions
  ) throws(JournalError) -> (file: any DiskFile, wasCreated: Bool) {
    for _ in 0..<attemptMax {
      let file: any DiskFile
      do throws(JournalError) {
        file = try open(place, for: .readingAndWriting, on: options.disk)
      } catch let error where error.reason == .missing && options.createsIfMissing {
        do {
          if let file = try JournalCreation.create(at: place, options) { return (file, true) }
        } catch {
          throw JournalError(error, path: place.path)
        }
        continue
      }
      try lock(file, at: place, options: options)
      // The previous owner of the lock may have given the name to another file.
      do {
        let named = try options.disk.status(of: place.resolvedPath)
        if named.identity == (try file.status()).identity {
          // A process that was creating a journal for this name had the lock and has ended. Perhaps
          // it ended before the name was durable.
          JournalCreation.removeAbandoned(at: place, beside: named.identity, on: options.disk)
          try options.disk.syncDirectory(place.directory)
          return (file, false)
        }
      } catch let error where error.code == Errno.noSuchFile {
        continue
      } catch {
        throw JournalError(error, path: place.path)
      }
    }
    throw JournalError(.replaced, path: place.path)
  }

  /// Opens the file of a place, if it is a regular file.
  static func open(
    _ place: JournalPlace, for access: FileAccess, on disk: any Disk
  ) throws(JournalError) -> any DiskFile {
    do {
      let file = try disk.open(place.resolvedPath, for: access)
      let kind = try file.status().kind
      guard kind == .file else { throw JournalError(.notAFile(kind), path: place.path) }
      return file
    } catch let error as JournalError {
      throw error
    } catch let error as DiskError {
      // Some special files cannot be opened for writing at all.
      if let status = try? disk.status(of: place.resolvedPath), status.kind != .file {
        throw JournalError(.notAFile(status.kind), path: place.path)
      }
      throw JournalError(error, path: place.path)
    } catch {
      preconditionFailure("unexpected type of error: \(error)")
    }
  }

  private static func lock(
    _ file: any DiskFile, at place: JournalPlace, options: JournalOptions
  ) throws(JournalError) {
    do {
      if try file.lock() { return }
      if options.waitsForLock { return try file.lockWaiting() }
    } catch {
      throw JournalError(error, path: place.path)
    }
    throw JournalError(.locked(by: file.lockHolder()), path: place.path)
  }
}
