import DaybookPlatform

/// The opening of a journal's file: for reading, or for writing with the lock.
enum JournalOpening {
  /// The number of attempts to open and lock the file. An attempt fails if a different process
  /// replaces the file between its opening and its locking.
  private static let attemptMax = 100

  /// Opens the file at a location for writing and locks it, or creates the file. After the call,
  /// the locked file has the name of the journal.
  static func openForWriting(
    at location: JournalLocation, _ options: JournalOptions
  ) throws(JournalError) -> (file: any DiskFile, wasCreated: Bool) {
    for _ in 0..<attemptMax {
      let file: any DiskFile
      do throws(JournalError) {
        file = try open(location, for: .readingAndWriting, on: options.disk)
      } catch let error where error.reason == .missing && options.createsIfMissing {
        do {
          if let file = try JournalCreation.create(at: location, options) { return (file, true) }
        } catch {
          throw JournalError(error, path: location.path)
        }
        continue
      }
      try lock(file, at: location, options: options)
      // The previous owner of the lock may have given the name to a different file.
      do {
        let named = try options.disk.status(of: location.resolvedPath)
        if named.identity == (try file.status()).identity {
          // The process that created this file may have ended before it removed the temporary name,
          // or before the final name was durable. So both steps are done again.
          JournalCreation.removeAbandoned(at: location, beside: named.identity, on: options.disk)
          try options.disk.syncDirectory(location.directory)
          return (file, false)
        }
      } catch let error where error.code == Errno.noSuchFile {
        continue
      } catch {
        throw JournalError(error, path: location.path)
      }
    }
    throw JournalError(.replaced, path: location.path)
  }

  /// Opens the file at a location, if it is a regular file.
  static func open(
    _ location: JournalLocation, for access: FileAccess, on disk: any Disk
  ) throws(JournalError) -> any DiskFile {
    do {
      let file = try disk.open(location.resolvedPath, for: access)
      let kind = try file.status().kind
      guard kind == .file else { throw JournalError(.notAFile(kind), path: location.path) }
      return file
    } catch let error as JournalError {
      throw error
    } catch let error as DiskError {
      // Some special files cannot be opened for writing at all.
      if let status = try? disk.status(of: location.resolvedPath), status.kind != .file {
        throw JournalError(.notAFile(status.kind), path: location.path)
      }
      throw JournalError(error, path: location.path)
    } catch {
      preconditionFailure("unexpected type of error: \(error)")
    }
  }

  private static func lock(
    _ file: any DiskFile, at location: JournalLocation, options: JournalOptions
  ) throws(JournalError) {
    do {
      if try file.lock() { return }
      if options.waitsForLock { return try file.lockWaiting() }
    } catch {
      throw JournalError(error, path: location.path)
    }
    throw JournalError(.locked(by: file.lockHolder()), path: location.path)
  }
}
