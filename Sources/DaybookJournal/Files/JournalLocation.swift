import DaybookPlatform

/// The path of a journal, and the paths of the files that belong to it.
///
/// | file | contents |
/// | ---- | -------- |
/// | `banks.daybook` | the journal |
/// | `banks.daybook-end` | the durable position, as the writer publishes it; derived |
/// | `banks.daybook-shared` | the name of the shared log that the journal is a replica of |
/// | `banks.daybook-torn-58` | the bytes that a crash left after transaction 57; for the user |
/// | `banks.daybook-lost-58` | the replica before its restart after transaction 57; for the user |
/// | `banks.daybook-cache-…` | a list; derived |
/// | `banks.daybook-checkpoint-a`, `-b` | the state after a transaction; derived |
/// | `.banks.daybook.new-…` | an unfinished journal or derived file |
package struct JournalLocation: Hashable, Sendable {
  /// The path as the caller passed it, for messages.
  package let path: String
  /// The path with every link resolved.
  package let resolvedPath: String
  package let directory: String
  package let name: String

  package init(_ path: String, on disk: any Disk) throws(JournalError) {
    self.path = path
    // The system ends a path at the first zero byte, so two different paths would name the same
    // file.
    guard !path.utf8.contains(0) else {
      throw JournalError(DiskError(.resolve, path: path, code: Errno.invalidArgument), path: path)
    }
    do {
      resolvedPath = try disk.resolve(path)
    } catch {
      throw JournalError(error, path: path)
    }
    (directory, name) = FilePaths.split(resolvedPath)
  }

  /// Creates the location of a second file beside a journal. The name is not resolved, even if it
  /// is a symbolic link.
  package init(_ name: String, beside journal: JournalLocation) {
    path = FilePaths.join(journal.directory, name: name)
    resolvedPath = path
    directory = journal.directory
    self.name = name
  }

  package static let endSuffix = "-end"
  package var endPath: String { resolvedPath + JournalLocation.endSuffix }

  /// Returns the path of the side file for the torn bytes after a transaction. If earlier paths are
  /// taken, the path ends with the number of the attempt.
  package func tornPath(after sequence: SequenceNumber, attempt: Int) -> String {
    "\(resolvedPath)-torn-\(sequence.next)" + (attempt == 0 ? "" : ".\(attempt)")
  }

  /// Returns the path under which the file of a replica is kept when the replica restarts after a
  /// transaction.
  func lostPath(after sequence: SequenceNumber, attempt: Int) -> String {
    "\(resolvedPath)-lost-\(sequence.next)" + (attempt == 0 ? "" : ".\(attempt)")
  }

  package static let newInfix = ".new-"

  /// Returns the temporary path of a file that does not have its final name yet.
  ///
  /// Writers usually pass 0. So the next writer finds a file that a crash has left, without listing
  /// the directory.
  package func newPath(_ number: UInt64 = 0) -> String {
    let newName = ".\(name)\(JournalLocation.newInfix)\(Hexadecimal.digits(number))"
    return FilePaths.join(directory, name: newName)
  }

  /// Returns a Boolean value that indicates whether a file name is a temporary name for this
  /// journal.
  ///
  /// A salvage creates a journal under a temporary name of the final journal. While that journal is
  /// being created, its file has a temporary name of that temporary name.
  func isMade(as newName: String) -> Bool {
    guard let made = JournalLocation.name(made: newName) else { return false }
    return made == name || JournalLocation.name(made: made) == name
  }

  /// Returns the final name of the file that has a temporary name; nil if the name is not
  /// temporary.
  static func name(made newName: String) -> String? {
    let name = newName.utf8.dropFirst().dropLast(newInfix.utf8.count + 16)
    guard newName.hasPrefix("."),
      newName.utf8.dropFirst(1 + name.count).starts(with: newInfix.utf8),
      newName.utf8.suffix(16).allSatisfy(Hexadecimal.isDigit)
    else { return nil }
    return String(name)
  }
}
