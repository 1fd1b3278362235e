import DaybookPlatform

/// Where a journal stands among other files, and the files that belong to it.
///
/// | file | is |
/// | ---- | -- |
/// | `banks.daybook` | the journal |
/// | `banks.daybook-end` | the published committed end; derived |
/// | `banks.daybook-torn-58` | what a crash left behind transaction 57; kept for people |
/// | `banks.daybook-cache-…` | lists by their names; derived |
/// | `banks.daybook-checkpoint-a`, `-b` | the state as of a transaction; derived |
/// | `.banks.daybook.new-…` | a journal being made, before it has its name; the derived files have such names too |
package struct JournalPlace: Hashable, Sendable {
  /// The path as the caller gave it, for messages.
  package let path: String
  /// The same with every link followed.
  package let resolvedPath: String
  package let directory: String
  package let name: String

  package init(_ path: String, on disk: any Disk) throws(JournalError) {
    self.path = path
    // The system would take the path to end there, and two paths for one.
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

  /// The place of another file beside a journal: under its very name, where a link is not followed.
  package init(_ name: String, beside journal: JournalPlace) {
    path = FilePaths.join(journal.directory, name: name)
    resolvedPath = path
    directory = journal.directory
    self.name = name
  }

  package static let endSuffix = "-end"
  package var endPath: String { resolvedPath + JournalPlace.endSuffix }

  /// A name for what is cut behind a transaction, numbered if there is one already.
  package func tornPath(after sequence: SequenceNumber, attempt: Int) -> String {
    "\(resolvedPath)-torn-\(sequence.next)" + (attempt == 0 ? "" : ".\(attempt)")
  }

  package static let newInfix = ".new-"

  /// The path of a file that does not have its own name yet.
  ///
  /// The number is usually the same, so that what a crash leaves is found without listing the
  /// directory.
  package func newPath(_ number: UInt64 = 0) -> String {
    let newName = ".\(name)\(JournalPlace.newInfix)\(Hexadecimal.digits(number))"
    return FilePaths.join(directory, name: newName)
  }

  /// Returns whether a file is named as one that is being made for this name. A salvage makes a whole journal under
  /// such a name, which first has a temporary name itself.
  func isMade(as newName: String) -> Bool {
    guard let made = JournalPlace.name(made: newName) else { return false }
    return made == name || JournalPlace.name(made: made) == name
  }

  /// The name that a file is to get which is being made under another; nil if none is.
  static func name(made newName: String) -> String? {
    let name = newName.utf8.dropFirst().dropLast(newInfix.utf8.count + 16)
    guard newName.hasPrefix("."),
      newName.utf8.dropFirst(1 + name.count).starts(with: newInfix.utf8),
      newName.utf8.suffix(16).allSatisfy(Hexadecimal.isDigit)
    else { return nil }
    return String(name)
  }
}
